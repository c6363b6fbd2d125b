r"""
Cosine transform
================

The DCT packs smooth images into few numbers; JPEG stands on it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pywt

from operax.signalprocessing import DCT

image = pywt.data.ascent()[200:456, 150:406].astype(float)
D = DCT(image.shape)
coefficients = D @ image

fig, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
axes[0].imshow(image, cmap="gray", vmin=0, vmax=255)
shown = axes[1].imshow(np.log10(np.abs(coefficients) + 1), cmap="magma")
fig.colorbar(shown, ax=axes[1], shrink=0.8, label="log10 of absolute value")
axes[0].set_title("image")
axes[1].set_title("DCT")
for ax, size in zip(axes[2:], (64, 24)):
    kept = np.zeros_like(coefficients)
    kept[:size, :size] = coefficients[:size, :size]
    ax.imshow(D.H @ kept, cmap="gray", vmin=0, vmax=255)
    ax.set_title(f"from {size} x {size} coefficients")
for ax in axes:
    ax.set(xlabel="column", ylabel="row")
plt.show()
