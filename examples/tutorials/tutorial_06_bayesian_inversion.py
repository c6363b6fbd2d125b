r"""
6. Bayesian inversion in PyMC
=============================

A third of the samples of a recorded ECG, averaged over a short window and made noisy: what was in between, and how sure
are we? The forward operator stands inside a PyMC model; NUTS gets its gradient from the operator's adjoint.
"""

import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pywt

import operax
from operax.pytensor import as_linear_op
from operax.signalprocessing import DWT

recording = pywt.data.ecg().astype(float)
recording = ((recording - recording.mean()) / recording.std())[::2]
ecg, other = recording[64:192], recording[192:]
n = ecg.size
t = np.arange(n) / 180.0

# %%
# The forward model: wavelet coefficients to the signal, an average over five samples, one sample in three.

W = DWT(n, wavelet="sym4", level=4)
blur = operax.Smoothing1D(nsmooth=5, dims=n)
kept = np.arange(0, n, 3)
Op = operax.Restriction(n, iava=kept) @ blur @ W.H
rng = np.random.default_rng(0)
sigma = 0.1
data = Op @ (W @ ecg) + sigma * rng.normal(size=kept.size)

# %%
# The prior: coefficients of one scale share a size, taken from the rest of the recording. The noise is unknown.

edges = np.cumsum([0, n // 16] + [n // 2 ** (4 - k) for k in range(4)])
scale = np.concatenate([np.full(edges[k + 1] - edges[k], k) for k in range(5)])
pieces = np.abs(W.batched(other[: other.size // n * n].reshape(-1, n)))
size = np.array([pieces[:, scale == k].mean() for k in range(5)])
forward = as_linear_op(Op)

with pm.Model() as model:
    z = pm.Laplace("z", 0.0, 1.0, shape=n)
    noise = pm.HalfNormal("noise", 0.5)
    pm.Normal("data", forward(z * size[scale]), noise, observed=data)
    posterior = pm.sample(120, tune=130, chains=2, cores=1, random_seed=1, progressbar=False).posterior

# %%
# The posterior of the signal: all draws through the synthesis in one batched call.

draws = posterior["z"].values.reshape(-1, n) * size[scale]
signals = W.H.batched(draws)
low, middle, high = np.quantile(signals, [0.05, 0.5, 0.95], axis=0)
inside = np.mean((ecg > low) & (ecg < high))

fig, axes = plt.subplots(1, 2, figsize=(11, 3.2), layout="constrained", width_ratios=(3, 1))
axes[0].fill_between(t, low, high, color="C0", alpha=0.3, lw=0, label="90 % of the posterior")
axes[0].plot(t, middle, "C0", lw=1, label="median")
axes[0].plot(t, ecg, "k", lw=0.7, label="recorded")
axes[0].plot(t[kept], data, "C3.", ms=3, label="data")
axes[0].set(
    xlabel="time (s)",
    ylabel="amplitude (standard deviations)",
    title=f"{100 * inside:.0f} % of the recording lie in the band",
)
axes[0].legend(fontsize=8)
axes[1].hist(posterior["noise"].values.ravel(), bins=25, color="C0")
axes[1].axvline(sigma, color="k", ls=":", label="true")
axes[1].set(xlabel="noise (standard deviations)", ylabel="draws", title="posterior of the noise")
axes[1].legend(fontsize=8)
plt.show()
