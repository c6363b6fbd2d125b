r"""
Redundant transforms: complex wavelets and curvelets
====================================================

Ordinary wavelet coefficients change when the signal moves by a sample. Those of the dual-tree complex transform hardly
do, and curvelets add direction.
"""

import matplotlib.pyplot as plt
import numpy as np

from operax.signalprocessing import DTCWT, DWT, UDCT
from operax.utils import snr

# %%
# Energy in one scale while a step moves: constant is good.

n = 128
energy = {"DTCWT": [], "DWT": []}
D, W = DTCWT(n, level=3), DWT(n, wavelet="db2", level=3)
for shift in range(16):
    step = (np.arange(n) > 50 + shift).astype(float) - (np.arange(n) > 90 + shift)
    spectrum = D @ step
    energy["DTCWT"].append(float(np.sum(np.abs(D.get_pyramid(spectrum).highpasses[2]) ** 2)))
    energy["DWT"].append(float(np.sum((W @ step)[n // 8 : n // 4] ** 2)))

fig, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
for name, values in energy.items():
    ax.plot(np.array(values) / np.mean(values), ".-", label=name)
ax.set(xlabel="shift (samples)", ylabel="energy / mean", title="third scale of a moving box")
ax.legend()
plt.show()

# %%
# The curvelet transform as a filter: keep the largest coefficients of a noisy image of curved edges.

rng = np.random.default_rng(0)
y, x = np.mgrid[-1:1:128j, -1:1:128j]
image = ((x + 0.3) ** 2 + y**2 < 0.4).astype(float) + 0.5 * (np.abs(y - 0.6 * np.sin(2 * x)) < 0.08)
noisy = image + 0.35 * rng.normal(size=image.shape)
U = UDCT(image.shape, num_scales=4)
coefficients = U @ noisy
threshold = np.quantile(np.abs(coefficients), 0.98)
clean = U.H @ np.where(np.abs(coefficients) > threshold, coefficients, 0)

fig, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
titles = "image", f"with noise, {snr(image, noisy):.0f} dB", f"2 % of the curvelets, {snr(image, clean):.0f} dB"
for ax, title, shown in zip(axes, titles, (image, noisy, clean)):
    picture = ax.imshow(shown, cmap="gray", vmin=-0.3, vmax=1.5)
    ax.set(title=title, xlabel="x (samples)", ylabel="y (samples)")
fig.colorbar(picture, ax=axes, shrink=0.8, label="amplitude")
plt.show()
