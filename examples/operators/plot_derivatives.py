r"""
Derivatives
===========

First and second derivatives along an axis, the gradient, the Laplacian, and derivatives along a direction that changes
from place to place.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax

# %%
# A peak and a step in one dimension. `kind` chooses the stencil: forward and backward differences are half a sample to
# either side, the centred one is in place and has one of third or fifth order.

n, dt = 120, 0.01
t = np.arange(n) * dt
signal = np.exp(-0.5 * ((t - 0.35) / 0.06) ** 2) + (t > 0.8)

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
axes[0].plot(t, signal, "k", label="signal")
for kind, colour in (("forward", "C0"), ("centered", "C1"), ("backward", "C2")):
    D = operax.FirstDerivative(n, sampling=dt, kind=kind)
    axes[1].plot(t, D @ signal, colour, label=f"FirstDerivative, {kind}", lw=1)
axes[1].plot(t, (operax.SecondDerivative(n, sampling=dt) @ signal) / 40, "k", lw=0.8, label="SecondDerivative / 40")
axes[0].set(xlabel="time (s)", ylabel="amplitude", title="signal")
axes[1].set(xlabel="time (s)", ylabel="amplitude per s", title="derivatives", ylim=(-30, 30))
axes[1].legend(fontsize=7)
plt.show()

# %%
# In two dimensions the gradient gives one array an axis, stacked in front; the Laplacian sums second derivatives.

y, x = np.mgrid[-1:1:81j, -1:1:101j]
disc = (x**2 + y**2 < 0.5).astype(float) * (1 + 0.5 * x)
gradient = operax.Gradient(disc.shape) @ disc
laplacian = operax.Laplacian(disc.shape) @ disc

fig, axes = plt.subplots(1, 4, figsize=(11, 2.8), layout="constrained", sharey=True)
panels = (
    ("model", disc),
    ("Gradient, axis 0", gradient[0]),
    ("Gradient, axis 1", gradient[1]),
    ("Laplacian", laplacian),
)
for ax, (title, image) in zip(axes, panels):
    limit = np.abs(image).max()
    shown = ax.imshow(image, cmap="RdBu_r", vmin=-limit, vmax=limit, extent=(-1, 1, 1, -1))
    ax.set(title=title, xlabel="x (km)")
    fig.colorbar(shown, ax=ax, shrink=0.8)
axes[0].set_ylabel("y (km)")
plt.show()

# %%
# Along a field of unit vectors, the directional derivative is zero where the image does not change along the vector.
# Here the vectors run around the centre, and so does the edge of the disc.

radius = np.maximum(np.hypot(x, y), 1e-6)
tangent = np.stack([x / radius, -y / radius])
normal = np.stack([y / radius, x / radius])

fig, axes = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained", sharey=True)
for ax, (title, v) in zip(axes, (("along the edge", tangent), ("across the edge", normal))):
    image = operax.FirstDirectionalDerivative(disc.shape, v=v) @ disc
    shown = ax.imshow(image, cmap="RdBu_r", vmin=-0.5, vmax=0.5, extent=(-1, 1, 1, -1))
    ax.set(title=f"derivative {title}", xlabel="x (km)")
    fig.colorbar(shown, ax=ax, shrink=0.8, label="amplitude per sample")
axes[0].set_ylabel("y (km)")
plt.show()
