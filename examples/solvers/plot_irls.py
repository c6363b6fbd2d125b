r"""
Robust least squares: irls
==========================

Iteratively reweighted least squares minimises absolute misfits, so a few wild readings do not pull the answer; with
`kind="model"` it makes the model sparse instead.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.sparsity import irls

rng = np.random.default_rng(0)
n = 100
t = np.arange(n) * 0.01
C = operax.CausalIntegration(n, sampling=0.01)
rate = np.where((t > 0.3) & (t < 0.6), 1.0, 0.2)
data = C @ rate + 0.002 * rng.normal(size=n)
wild = rng.permutation(n)[:8]
data[wild] += rng.normal(size=8)

smooth = 0.02 * operax.FirstDerivative(n, kind="forward")
system = operax.VStack([C, smooth])
rows = np.concatenate([data, np.zeros(n)])
plain = operax.optimization.basic.lsqr(system, rows, niter=300)[0]
robust = irls(system, rows, nouter=30, epsR=1e-3, tolIRLS=1e-5, kind="data", iter_lim=200)[0]

fig, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
axes[0].plot(t, data, "k.", ms=4, label="data with 8 wild readings")
axes[0].plot(t, C @ robust, "C0", label="fit of irls")
axes[0].plot(t, C @ plain, "C3", lw=1, label="fit of lsqr")
axes[0].set(xlabel="time (s)", ylabel="integral (s)", title="data")
axes[1].plot(t, rate, "k--", lw=1, label="truth")
axes[1].plot(t, robust, "C0", label="irls")
axes[1].plot(t, plain, "C3", lw=1, label="lsqr")
axes[1].set(xlabel="time (s)", ylabel="rate", title="model")
for ax in axes:
    ax.legend(fontsize=8)
plt.show()
