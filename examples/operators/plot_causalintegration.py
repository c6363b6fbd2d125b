r"""
Causal integration
==================

A running integral, its three rules, and its use the other way round: a derivative without amplified noise.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.leastsquares import regularized_inversion

n, dt = 150, 0.02
t = np.arange(n) * dt
rate = np.sin(2 * np.pi * t)
exact = (1 - np.cos(2 * np.pi * t)) / (2 * np.pi)

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
axes[0].plot(t, exact, "k", lw=3, alpha=0.3, label="exact")
for kind in ("full", "half", "trapezoidal"):
    integral = operax.CausalIntegration(n, sampling=dt, kind=kind) @ rate
    axes[0].plot(t, integral, lw=1, label=kind)
axes[0].set(xlabel="time (s)", ylabel="integral (s)", title="integral of a sine")
axes[0].legend(fontsize=8)

# %%
# Differencing noisy data amplifies the noise. Solving for the derivative whose integral fits the data, with a smooth
# derivative preferred, does not.

rng = np.random.default_rng(1)
C = operax.CausalIntegration(n, sampling=dt, kind="half")
data = C @ rate + 0.01 * rng.normal(size=n)
differences = operax.FirstDerivative(n, sampling=dt) @ data
smooth = regularized_inversion(C, data, [operax.SecondDerivative(n)], epsRs=[0.3], iter_lim=300)[0]

axes[1].plot(t, differences, "C3", lw=0.7, label="differences of the data")
axes[1].plot(t, smooth, "C0", label="regularised inversion")
axes[1].plot(t, rate, "k--", lw=1, label="truth")
axes[1].set(xlabel="time (s)", ylabel="rate (dimensionless)", title="derivative of noisy data")
axes[1].legend(fontsize=8)
plt.show()
