r"""
Sliding windows and patches
===========================

Cut a signal into overlapping windows, apply an operator to each, and add the windows up with tapers that sum to one.
All windows go through the inner operator in one call.
"""

import matplotlib.pyplot as plt
import numpy as np
import pywt

from operax.signalprocessing import DCT, FFT, Patch2D, Sliding1D, patch2d_design, sliding1d_design

# %%
# A signal whose frequency rises has a short description in every window. The design function tells the sizes.

n, dt = 480, 1 / 240
t = np.arange(n) * dt
sweep = np.cos(2 * np.pi * (10 * t + 12 * t**2))
nwin, nover, nop = 64, 32, 64
nwins, dim, _, _ = sliding1d_design(n, nwin, nover, nop, verb=False)
F = FFT(nwin, nfft=nwin, sampling=dt).H
S = Sliding1D(F, dim=nwins * nop, dimd=n, nwin=nwin, nover=nover, tapertype="hanning")
spectra = np.abs(S.H @ sweep.astype("complex128")).reshape(nwins, nop)[:, : nop // 2]

fig, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
axes[0].plot(t, sweep, "k", lw=0.7)
axes[0].set(xlabel="time (s)", ylabel="amplitude", title="a sweep from 10 Hz")
shown = axes[1].imshow(spectra.T, origin="lower", aspect="auto", cmap="viridis", extent=(0, n * dt, 0, 0.5 / dt))
axes[1].set(xlabel="time (s)", ylabel="frequency (Hz)", title="Sliding1D of FFT, adjoint")
fig.colorbar(shown, ax=axes[1], label="amplitude")
plt.show()

# %%
# Patches of an image, each with few cosine coefficients: noise goes, edges stay.

rng = np.random.default_rng(0)
image = pywt.data.camera()[100:228, 180:308].astype(float)
noisy = image + 25 * rng.normal(size=image.shape)
win, over = (16, 16), (8, 8)
nwins, dims, _, _ = patch2d_design(image.shape, win, over, win, verb=False)
windows = Patch2D(DCT(win).H, dims, image.shape, win, over, win, tapertype=None)
P = Patch2D(DCT(win).H, dims, image.shape, win, over, win, tapertype="hanning")
coefficients = windows.H @ noisy  # no taper on the way in, since the one on the way out sums to one
clean = P @ np.where(np.abs(coefficients) > 75, coefficients, 0)

fig, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for ax, (title, shown) in zip(axes, (("image", image), ("with noise", noisy), ("Patch2D of DCT, thresholded", clean))):
    picture = ax.imshow(shown, cmap="gray", vmin=0, vmax=255)
    ax.set(title=title, xlabel="column", ylabel="row")
fig.colorbar(picture, ax=axes, shrink=0.8, label="grey level")
plt.show()
