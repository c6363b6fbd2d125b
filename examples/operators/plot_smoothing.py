r"""
Smoothing
=========

Averages over a moving window, in one, two and more dimensions.
"""

import matplotlib.pyplot as plt
import numpy as np
import pywt

import operax

rng = np.random.default_rng(0)
ecg = pywt.data.ecg()[:400].astype(float)
ecg = (ecg - ecg.mean()) / ecg.std()
t = np.arange(400) / 360.0
noisy = ecg + 0.3 * rng.normal(size=400)

fig, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained", sharey=True)
axes[0].plot(t, noisy, "0.6", lw=0.7, label="noisy")
axes[0].plot(t, ecg, "k", lw=1, label="recorded")
axes[1].plot(t, noisy, "0.8", lw=0.5)
for n in (5, 15):
    axes[1].plot(t, operax.Smoothing1D(nsmooth=n, dims=400) @ noisy, lw=1, label=f"Smoothing1D, {n} samples")
for ax, title in zip(axes, ("an ECG trace with added noise", "averages")):
    ax.set(xlabel="time (s)", ylabel="amplitude (standard deviations)", title=title)
    ax.legend(fontsize=8)
plt.show()

# %%
# In two dimensions the window has a size an axis.

image = pywt.data.camera()[100:228, 180:308].astype(float)
fig, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for ax, (title, shown) in zip(
    axes,
    (
        ("image", image),
        ("Smoothing2D, 7 x 7", operax.Smoothing2D((7, 7), dims=image.shape) @ image),
        ("Smoothing2D, 1 x 15", operax.Smoothing2D((1, 15), dims=image.shape) @ image),
    ),
):
    picture = ax.imshow(shown, cmap="gray", vmin=0, vmax=255)
    ax.set(title=title, xlabel="column", ylabel="row")
fig.colorbar(picture, ax=axes, shrink=0.8, label="grey level")
plt.show()
