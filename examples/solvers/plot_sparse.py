r"""
Sparse models: omp, ista, fista, spgl1
======================================

Few non-zeros explain the data. Pick them one by one (`omp`), shrink towards them (`ista`, and `fista` with momentum),
or fix the misfit to the noise level (`spgl1`).
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.sparsity import fista, ista, omp, spgl1

rng = np.random.default_rng(2)
rows, columns = 40, 100
A = operax.MatrixMult(rng.normal(size=(rows, columns)) / np.sqrt(rows))
truth = np.zeros(columns)
truth[[8, 31, 55, 62, 90]] = [1.5, -1.0, 0.8, 1.2, -0.6]
noise = 0.02 * rng.normal(size=rows)
data = A @ truth + noise

by_ista = ista(A, data, niter=300, eps=0.05)
by_fista = fista(A, data, niter=300, eps=0.05)
models = {
    "omp": omp(A, data, niter_outer=20, sigma=np.linalg.norm(noise))[0],
    "ista": by_ista[0],
    "fista": by_fista[0],
    "spgl1": spgl1(A, data, sigma=np.linalg.norm(noise), iter_lim=200)[0],
}

fig, axes = plt.subplots(2, 2, figsize=(10, 4.6), layout="constrained", sharex=True, sharey=True)
for ax, (name, model) in zip(axes.flat, models.items()):
    ax.vlines(np.flatnonzero(truth), 0, truth[truth != 0], "0.7", lw=5, label="truth")
    ax.vlines(np.arange(columns), 0, model, "C0", lw=1.2, label=name)
    ax.set(title=f"{name}: {np.count_nonzero(np.abs(model) > 1e-3)} non-zeros")
    ax.legend(fontsize=8)
for ax in axes[1]:
    ax.set_xlabel("coefficient number")
for ax in axes[:, 0]:
    ax.set_ylabel("value")
plt.show()

# %%
# Momentum: the cost of `fista` falls faster.

fig, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for name, result in (("ista", by_ista), ("fista", by_fista)):
    cost = np.asarray(result.cost)
    ax.semilogy(cost - min(np.min(by_ista.cost), np.min(by_fista.cost)) + 1e-12, label=name)
ax.set(xlabel="iteration", ylabel="cost above the minimum", ylim=(1e-9, None))
ax.legend()
plt.show()
