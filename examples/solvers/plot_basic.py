r"""
Conjugate gradients: cg, cgls, lsqr
===================================

`cg` for symmetric positive definite systems; `cgls` and `lsqr` for least squares. Their residuals fall alike, because
they build the same Krylov spaces; `lsqr` also estimates norms and errors.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.basic import cg, cgls, lsqr

n = 100
rng = np.random.default_rng(0)
h = np.exp(-0.5 * (np.arange(-7, 8) / 2.5) ** 2)
C = operax.signalprocessing.Convolve1D(n, h=h / h.sum(), offset=7)
truth = np.zeros(n)
truth[20:45], truth[60:75] = 1.0, -0.7
data = C @ truth + 0.01 * rng.normal(size=n)

damp = 0.05
by_cg = cg(C.H @ C + damp**2 * operax.Identity(n), C.H @ data, niter=60, tol=1e-10)
by_cgls = cgls(C, data, niter=60, damp=damp, tol=1e-10)
by_lsqr = lsqr(C, data, niter=60, damp=damp)
print(by_cg, by_cgls, by_lsqr, sep="\n")

# %%
# A result unpacks like a tuple, says why it stopped, and plots its own convergence.

fig, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
axes[0].plot(truth, "k--", lw=1, label="truth")
axes[0].plot(data, "0.6", lw=1, label="data")
for name, result, style in (("cg, normal equations", by_cg, "-"), ("cgls", by_cgls, "--"), ("lsqr", by_lsqr, ":")):
    axes[0].plot(result[0], style, label=name)
by_cgls.plot(ax=axes[1], color="C1", label="cgls")
by_lsqr.plot(ax=axes[1], color="C2", ls=":", label="lsqr")
axes[0].set(xlabel="position (samples)", ylabel="amplitude", title="deconvolution")
axes[1].set(ylabel="norm of the residual", title="convergence")
for ax in axes:
    ax.legend(fontsize=8)
plt.show()
