r"""
Fourier transforms
==================

Along one axis, two, or several. With `norm="ortho"` a transform is unitary, so its adjoint is its inverse; `real=True`
keeps the half of the spectrum that a real signal needs.
"""

import matplotlib.pyplot as plt
import numpy as np
import pywt

from operax.signalprocessing import FFT, FFT2D, FFTND

# %%
# A recorded heartbeat. The operator knows its frequencies.

dt = 1 / 360.0
ecg = pywt.data.ecg()[:512].astype(float)
ecg -= ecg.mean()
F = FFT(512, nfft=512, sampling=dt, real=True)
spectrum = F @ ecg

# %%
# Keep the frequencies below 20 Hz and go back.

low = F.H @ np.where(F.f <= 20, spectrum, 0)

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
axes[0].plot(np.arange(512) * dt, ecg, "0.6", lw=1, label="recorded")
axes[0].plot(np.arange(512) * dt, np.real(low), "C0", lw=1, label="below 20 Hz")
axes[0].set(xlabel="time (s)", ylabel="amplitude (digits)", title="ECG")
axes[0].legend(fontsize=8)
axes[1].semilogy(F.f, np.abs(spectrum), "k", lw=0.8)
axes[1].axvspan(0, 20, color="C0", alpha=0.15)
axes[1].set(xlabel="frequency (Hz)", ylabel="amplitude", title="FFT(real=True)")
plt.show()

# %%
# Two dimensions: a striped image has two peaks, found at the stripes' wavenumbers.

ny, nx, d = 96, 128, 10.0
y, x = np.meshgrid(np.arange(ny) * d, np.arange(nx) * d, indexing="ij")
stripes = np.cos(2 * np.pi * (0.012 * x + 0.006 * y)) * np.exp(-(((x - 640) / 300) ** 2) - ((y - 480) / 250) ** 2)
F2 = FFT2D((ny, nx), nffts=(ny, nx), sampling=(d, d), fftshift_after=True)

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
shown = axes[0].imshow(stripes, cmap="RdBu_r", extent=(0, nx * d, ny * d, 0))
axes[0].set(xlabel="x (m)", ylabel="y (m)", title="stripes")
fig.colorbar(shown, ax=axes[0], label="amplitude")
amplitude = np.abs(F2 @ stripes)
shown = axes[1].imshow(amplitude, cmap="viridis", extent=(F2.f2[0], F2.f2[-1], F2.f1[-1], F2.f1[0]))
axes[1].set(xlabel="wavenumber in x (1/m)", ylabel="wavenumber in y (1/m)", title="FFT2D")
fig.colorbar(shown, ax=axes[1], label="amplitude")
plt.show()

# %%
# Three dimensions, over any of the axes.

cube = np.random.default_rng(0).normal(size=(8, 10, 12))
F3 = FFTND((8, 10, 12), axes=(0, 1, 2))
print("unitary to rounding:", np.abs(F3.H @ (F3 @ cube) - cube).max() < 1e-12)
