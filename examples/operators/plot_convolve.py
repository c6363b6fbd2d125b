r"""
Convolution
===========

In one, two or more dimensions, with the filter's zero wherever you say.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.signalprocessing import Convolve1D, Convolve2D, ConvolveND

# %%
# A reflectivity and a wavelet make a seismic trace.

rng = np.random.default_rng(4)
nt, dt = 201, 0.004
t = np.arange(nt) * dt
reflectivity = np.where(rng.random(nt) > 0.93, rng.normal(size=nt), 0.0)
wavelet, _, centre = operax.utils.ricker(np.arange(31) * dt, f0=25)
C = Convolve1D(nt, h=wavelet, offset=centre)
trace = C @ reflectivity

fig, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
ax.vlines(t, 0, reflectivity, "k", lw=1, label="reflectivity")
ax.plot(t, trace, "C0", label="Convolve1D")
ax.set(xlabel="time (s)", ylabel="amplitude", title="a 25 Hz wavelet")
ax.legend(fontsize=8)
plt.show()

# %%
# A point spread function in two dimensions, and what the adjoint does with its result.

points = np.zeros((60, 80))
points[15, 20], points[30, 50], points[45, 30] = 1.0, 1.5, -1.0
v, u = np.mgrid[-7:8, -7:8]
psf = np.exp(-0.5 * ((u + v) ** 2 / 20 + (u - v) ** 2 / 4))
C2 = Convolve2D(points.shape, h=psf / psf.sum(), offset=(7, 7))
blurred = C2 @ points

fig, axes = plt.subplots(1, 3, figsize=(11, 2.8), layout="constrained")
for ax, (title, image) in zip(axes, (("points", points), ("Convolve2D", blurred), ("its adjoint", C2.H @ blurred))):
    limit = np.abs(image).max()
    shown = ax.imshow(image, cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.set(title=title, xlabel="x (samples)", ylabel="y (samples)")
    fig.colorbar(shown, ax=ax, shrink=0.8, label="amplitude")
plt.show()

# %%
# Any number of axes: a moving average over three of them.

C3 = ConvolveND((6, 7, 8), h=np.full((3, 3, 3), 1 / 27), offset=(1, 1, 1), axes=(0, 1, 2))
print((C3 @ np.ones((6, 7, 8)))[3, 3, 3])
