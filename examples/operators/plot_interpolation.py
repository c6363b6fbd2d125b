r"""
Interpolation
=============

Values between samples, and back: given a few values at odd places, the adjoint of an interpolation is what a
reconstruction needs.
"""

import matplotlib.pyplot as plt
import numpy as np
import pywt

import operax
from operax.optimization.leastsquares import regularized_inversion
from operax.signalprocessing import Bilinear, Interp, InterpCubicSpline

n = 40
t = np.arange(n)
signal = np.sin(2 * np.pi * t / 13) * np.exp(-0.5 * ((t - 20) / 10) ** 2)
fine = np.linspace(0, n - 1.01, 400)

fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
ax.plot(t, signal, "ko", ms=3, label="samples")
nearest = Interp(n, t[:-1] + 0.3, kind="nearest")[0]  # `Interp` gives the operator and the positions it uses
ax.plot(t[:-1] + 0.3, nearest @ signal, "C2x", ms=4, label="nearest")
for kind in ("linear", "sinc"):
    ax.plot(fine, Interp(n, fine, kind=kind)[0] @ signal, lw=1, label=kind)
ax.plot(fine, InterpCubicSpline(n, fine) @ signal, "k", lw=0.7, label="cubic spline")
ax.set(xlabel="position (samples)", ylabel="amplitude", title="Interp and InterpCubicSpline")
ax.legend(fontsize=8, ncols=2)
plt.show()

# %%
# Two dimensions: a fifth as many readings as pixels, at random places, and the smoothest image through them.

image = pywt.data.camera()[90:218, 190:318].astype(float)
rng = np.random.default_rng(0)
places = rng.uniform(0, 126.9, size=(2, image.size // 5))
B = Bilinear(places, image.shape)
readings = B @ image
smooth = regularized_inversion(B, readings, [operax.Laplacian(image.shape)], epsRs=[0.1], iter_lim=150)[0]
smooth = smooth.reshape(image.shape)

fig, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
axes[0].imshow(image, cmap="gray", vmin=0, vmax=255)
axes[1].scatter(places[1], places[0], c=readings, s=2, cmap="gray", vmin=0, vmax=255)
axes[1].set(xlim=(0, 127), ylim=(127, 0), aspect="equal")
shown = axes[2].imshow(smooth, cmap="gray", vmin=0, vmax=255)
for ax, title in zip(axes, ("image", "readings of Bilinear", "regularised inversion")):
    ax.set(title=title, xlabel="column", ylabel="row")
fig.colorbar(shown, ax=axes, shrink=0.8, label="grey level")
plt.show()
