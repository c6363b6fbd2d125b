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

models = {
    "omp": omp(A, data, niter_outer=20, sigma=np.linalg.norm(noise))[0],
    "ista": ista(A, data, niter=300, eps=0.05)[0],
    "fista": fista(A, data, niter=300, eps=0.05)[0],
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
# Momentum: `fista` comes closer to the answer in fewer iterations. A callback measures the distance to it.

answer = fista(A, data, niter=5000, eps=0.05, tol=0.0)[0]

fig, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for solver in (ista, fista):
    distance = []
    solver(A, data, niter=300, eps=0.05, callback=lambda x, d=distance: d.append(np.linalg.norm(x - answer)))
    ax.semilogy(distance, label=solver.__name__)
ax.set(xlabel="iteration", ylabel="distance to the answer")
ax.legend()
plt.show()
