r"""
3. Deconvolution of a real trace
================================

An ECG is a train of heartbeats, each a pulse of about the same shape. Estimate the pulse from the recording itself,
then take it out: what remains are spikes at the times of the beats.
"""

import matplotlib.pyplot as plt
import numpy as np
import pywt

from operax.optimization.leastsquares import regularized_inversion
from operax.optimization.sparsity import fista
from operax.signalprocessing import Convolve1D

dt = 1 / 360.0  # the recording has 360 samples a second
ecg = pywt.data.ecg().astype(float)
ecg -= np.median(ecg)
ecg /= np.abs(ecg).max()
n = ecg.size
t = np.arange(n) * dt

# %%
# The pulse: the median of windows around the highest samples.

peaks, rest = [], ecg.copy()
while rest.max() > 0.6:
    peaks.append(int(rest.argmax()))
    rest[max(peaks[-1] - 100, 0) : peaks[-1] + 100] = 0
half = 36
pulse = np.median([ecg[p - half : p + half + 1] for p in peaks if half <= p < n - half], axis=0)
pulse *= np.hanning(2 * half + 1)
C = Convolve1D(n, h=pulse, offset=half)

# %%
# Least squares gives the spikes a band-limited look; a sparsity penalty gives spikes.

smooth = regularized_inversion(C, ecg, [C.H @ C], epsRs=[0.1], iter_lim=200)[0]
spikes = fista(C, ecg, niter=600, eps=0.8)[0]
beats = np.flatnonzero((spikes > 0.3 * spikes.max()) & (spikes >= np.roll(spikes, 1)) & (spikes > np.roll(spikes, -1)))
print("beats at", np.round(t[beats], 2), "s; heart rate", np.round(60 / np.diff(t[beats]), 1), "per minute")

fig, axes = plt.subplots(3, 1, figsize=(9, 6), layout="constrained", sharex=True)
axes[0].plot(t, ecg, "k", lw=0.8, label="recorded")
axes[0].plot(t, C @ spikes, "C1", lw=1, label="spikes convolved with the pulse")
axes[0].set(ylabel="amplitude / maximum", title="ECG, 360 samples a second")
axes[1].plot(t, smooth, "C0", lw=0.8)
axes[1].set(ylabel="spikes", title="regularised least squares")
axes[2].plot(t, spikes, "C3", lw=0.8)
axes[2].plot(t[beats], spikes[beats], "kv", ms=4, label="beats")
axes[2].set(xlabel="time (s)", ylabel="spikes", title="sparse: fista")
axes[0].legend(fontsize=8)
axes[2].legend(fontsize=8)
plt.show()
