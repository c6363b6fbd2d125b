r"""
Wavelet transforms
==================

`DWT`, `DWT2D` and `DWTND` of PyWavelets' wavelets. Most coefficients of natural signals are small, which compression
and compressed sensing live on.
"""

import matplotlib.pyplot as plt
import numpy as np
import pywt

from operax.signalprocessing import DWT, DWT2D, DWTND

ecg = pywt.data.ecg().astype(float)
ecg -= ecg.mean()
t = np.arange(ecg.size) / 360.0
W = DWT(ecg.size, wavelet="db4", level=4)
coefficients = W @ ecg


def keep_largest(values, share):
    """Values with all but the largest `share` set to zero."""
    threshold = np.quantile(np.abs(values), 1 - share)
    return np.where(np.abs(values) >= threshold, values, 0)


fig, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
axes[0].plot(np.sort(np.abs(coefficients))[::-1], "k")
axes[0].set(xlabel="coefficient, sorted", ylabel="absolute value", yscale="log", ylim=(0.1, None), title="DWT, db4")
axes[1].plot(t, ecg, "0.6", lw=2, label="recorded ECG")
axes[1].plot(t, W.H @ keep_largest(coefficients, 0.06), "C0", lw=0.8, label="from 6 % of the coefficients")
axes[1].set(xlabel="time (s)", ylabel="amplitude (digits)", xlim=(0, 1.5))
axes[1].legend(fontsize=8)
plt.show()

# %%
# Two dimensions.

image = pywt.data.camera()[128:384, 128:384].astype(float)
W2 = DWT2D(image.shape, wavelet="bior4.4", level=3)
bands = W2 @ image
few = W2.H @ keep_largest(bands, 0.04)

fig, axes = plt.subplots(1, 3, figsize=(10, 3.3), layout="constrained")
axes[0].imshow(image, cmap="gray", vmin=0, vmax=255)
shown = axes[1].imshow(np.log10(np.abs(bands) + 1), cmap="magma")
fig.colorbar(shown, ax=axes[1], shrink=0.8, label="log10 of absolute value")
axes[2].imshow(few, cmap="gray", vmin=0, vmax=255)
for ax, title in zip(axes, ("image", "DWT2D, bior4.4, 3 levels", "from 4 % of the coefficients")):
    ax.set(title=title, xlabel="column", ylabel="row")
plt.show()

# %%
# Three dimensions, and an orthogonal wavelet: the adjoint is the inverse.

cube = np.random.default_rng(0).normal(size=(8, 8, 8))
W3 = DWTND(cube.shape, wavelet="haar", level=2)
print("inverse to rounding:", np.abs(W3.H @ (W3 @ cube) - cube).max() < 1e-12)
