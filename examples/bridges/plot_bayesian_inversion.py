r"""
Bayesian inversion with a linear operator
=========================================

A seismic trace is a reflectivity convolved with a wavelet. With a Gaussian prior the reflectivity has a Gaussian
posterior in closed form. When the wavelet is not known either, the operator itself holds a random variable, and the
posterior has no closed form: NUTS samples both, with the operator's adjoint as gradient.
"""

import matplotlib.pyplot as plt
import numpy as np
import pymc as pm

import operax
from operax.pytensor import as_linear_op

n, dt, noise, spread = 40, 0.004, 0.1, 0.4
time = np.arange(n) * dt
lag = (np.arange(21) - 10) * dt


def ricker(frequency, exp=np.exp):
    a = (np.pi * frequency * lag) ** 2
    return (1 - 2 * a) * exp(-a)


rng = np.random.default_rng(2)
reflectivity = spread * rng.normal(size=n) * (rng.random(n) < 0.3)
wavelet = ricker(25.0)
C = operax.signalprocessing.Convolve1D(n, wavelet, offset=10)
data = C @ reflectivity + noise * rng.normal(size=n)

# %%
# **A known wavelet.** The operator acts on a PyMC variable. Sampling must agree with the closed form.

with pm.Model():
    r = pm.Normal("r", 0, spread, shape=n)
    pm.Normal("d", as_linear_op(C) @ r, noise, observed=data)
    known = pm.sample(150, tune=100, chains=2, cores=1, random_seed=1, progressbar=False)

G = C.todense()
precision = G.T @ G / noise**2 + np.eye(n) / spread**2
exact_mean = np.linalg.solve(precision, G.T @ data / noise**2)
exact_sd = np.sqrt(np.diag(np.linalg.inv(precision)))
sampled = known.posterior["r"].values.reshape(-1, n)
difference = np.abs(sampled.mean(0) - exact_mean) / exact_sd
print(f"largest difference of the means: {difference.max():.2f} standard deviations")

# %%
# **An unknown wavelet.** Its peak frequency is a random variable; the filter computed from it takes the place of the
# array `h` of the operator.

with pm.Model():
    r = pm.Normal("r", 0, spread, shape=n)
    frequency = pm.LogNormal("frequency", np.log(22), 0.15)
    A = as_linear_op(C, h=ricker(frequency, exp=pm.math.exp))
    pm.Normal("d", A @ r, noise, observed=data)
    unknown = pm.sample(150, tune=150, chains=2, cores=1, random_seed=1, progressbar=False)

found = unknown.posterior["frequency"].values.ravel()
print(f"frequency {found.mean():.1f} +- {found.std():.1f} Hz, truly 25 Hz")

blind = unknown.posterior["r"].values.reshape(-1, n)
fig, axes = plt.subplots(3, 1, figsize=(9, 8), layout="constrained")
axes[0].plot(time, data, "k", lw=1)
axes[0].set(xlabel="time (s)", ylabel="amplitude (dimensionless)", title="data")
axes[1].plot(time, exact_mean, "k", lw=1, label="closed form")
axes[1].fill_between(time, exact_mean - 2 * exact_sd, exact_mean + 2 * exact_sd, color="0.8")
axes[1].errorbar(time, sampled.mean(0), 2 * sampled.std(0), fmt="C0.", lw=0.7, ms=4, label="sampled, wavelet known")
axes[1].plot(time, blind.mean(0), "C1x", ms=4, label="sampled, wavelet unknown")
axes[1].set(
    xlabel="time (s)", ylabel="reflectivity (dimensionless)", title="posterior means and two standard deviations"
)
axes[1].legend(ncols=3)
axes[2].hist(found, 30, density=True, color="C1")
axes[2].axvline(25, color="k")
axes[2].set(xlabel="peak frequency (Hz)", ylabel="density (1/Hz)", title="the wavelet, from the data alone")
plt.show()
