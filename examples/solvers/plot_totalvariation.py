r"""
Total variation: splitbregman, ADMM, primal-dual
================================================

Blocky models have sparse differences. Three algorithms for one problem; the primal-dual one is that of Chambolle and
Pock.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.proximal import admm, primaldual
from operax.optimization.sparsity import splitbregman

rng = np.random.default_rng(0)
n = 150
truth = np.zeros(n)
truth[30:60], truth[60:90], truth[110:130] = 1.0, 2.0, -1.0
data = truth + 0.3 * rng.normal(size=n)
eye = operax.Identity(n)
D = operax.FirstDerivative(n, kind="forward")
weight = 0.8

models = {
    "splitbregman": splitbregman(
        eye, data, [D], niter_outer=60, niter_inner=3, mu=1.0, epsRL1s=[weight], tol=1e-6, iter_lim=30
    )[0],
    "admm": admm(eye, data, [D], niter=300, epsRL1s=[weight])[0],
    "primaldual": primaldual(eye, data, [D], niter=600, epsRL1s=[weight])[0],
}

fig, ax = plt.subplots(figsize=(9, 3.2), layout="constrained")
ax.plot(data, "0.75", lw=1, label="data")
ax.plot(truth, "k--", lw=1, label="truth")
for (name, model), style in zip(models.items(), ("-", "--", ":")):
    ax.plot(model, style, lw=1.5, label=name)
ax.set(xlabel="position (samples)", ylabel="amplitude", title="denoising with total variation")
ax.legend(fontsize=8)
plt.show()
