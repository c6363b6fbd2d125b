r"""
Regularised and preconditioned least squares
============================================

Three ways to say that a model is smooth: as rows appended to the system, in the normal equations, or by building the
model from smooth pieces.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.leastsquares import (
    normal_equations_inversion,
    preconditioned_inversion,
    regularized_inversion,
)

n = 120
rng = np.random.default_rng(1)
t = np.arange(n) * 0.01
truth = np.sin(2 * np.pi * 2 * t) + 0.5 * np.sin(2 * np.pi * 5 * t)
kept = np.sort(rng.permutation(n)[:30])
R = operax.Restriction(n, iava=kept)
data = R @ truth + 0.05 * rng.normal(size=30)

D2 = operax.SecondDerivative(n)
S = operax.Smoothing1D(nsmooth=9, dims=n)
models = {
    "regularized_inversion": regularized_inversion(R, data, [D2], epsRs=[0.5], iter_lim=300)[0],
    "normal_equations_inversion": normal_equations_inversion(R, data, [D2], epsRs=[0.5], epsI=1e-3, maxiter=500)[0],
    "preconditioned_inversion": preconditioned_inversion(R, data, S @ S, iter_lim=15)[0],
}

fig, ax = plt.subplots(figsize=(11, 3), layout="constrained")
ax.plot(t, truth, "k--", lw=1, label="truth")
ax.plot(t[kept], data, "ko", ms=3, label="data")
for (name, model), style in zip(models.items(), ("-", ":", "-")):
    ax.plot(t, model, style, lw=1.5, label=f"{name}, rms error {np.sqrt(np.mean((model - truth) ** 2)):.2f}")
ax.set(xlabel="time (s)", ylabel="amplitude", title="a quarter of the samples")
fig.legend(fontsize=8, loc="outside right upper")
plt.show()
