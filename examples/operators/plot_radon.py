r"""
Radon transforms
================

Sums along lines, parabolas and hyperbolas. Events of a seismic gather become points, which can be told apart, muted,
or interpolated. Slownesses are in seconds per metre; velocities of the hyperbolic kind are scaled by
:math:`(dt / dh)^2`, as in PyLops.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.signalprocessing import Radon2D, Radon3D

nt, nh, npx, dt, dh = 101, 51, 41, 0.004, 10.0
taxis, haxis = np.arange(nt) * dt, (np.arange(nh) - nh // 2) * dh
wavelet, _, centre = operax.utils.ricker(np.arange(21) * dt, f0=25)
smooth = operax.signalprocessing.Convolve1D((npx, nt), h=wavelet, offset=centre, axis=1)

axes_of = {
    "linear": (np.linspace(-4e-4, 4e-4, npx), "slowness (ms/m)", 1e3),
    "parabolic": (np.linspace(-1e-5, 1e-5, npx), "curvature (1e-6 s/m2)", 1e6),
    "hyperbolic": (np.linspace(1200, 3000, npx) * (dt / dh) ** 2, "velocity (km/s)", 1e-3 * (dh / dt) ** 2),
}

fig, axes = plt.subplots(3, 3, figsize=(9, 8), layout="constrained")
for row, (kind, (pxaxis, label, factor)) in zip(axes, axes_of.items()):
    points = np.zeros((npx, nt))
    points[10, 30], points[28, 60] = 1.0, -1.0
    model = smooth @ points
    R = Radon2D(taxis, haxis, pxaxis, kind=kind, centeredh=True, interp=True)
    data = (R @ model).reshape(nh, nt)
    adjoint = (R.H @ data).reshape(npx, nt)
    p = (pxaxis[0] * factor, pxaxis[-1] * factor, taxis[-1], 0)
    for ax, (title, image, extent, xlabel) in zip(
        row,
        (
            (f"model, {kind}", model, p, label),
            ("data", data, (haxis[0], haxis[-1], taxis[-1], 0), "offset (m)"),
            ("adjoint", adjoint, p, label),
        ),
    ):
        limit = np.abs(image).max()
        shown = ax.imshow(image.T, cmap="RdBu_r", vmin=-limit, vmax=limit, extent=extent, aspect="auto")
        ax.set(title=title, xlabel=xlabel, ylabel="time (s)")
        fig.colorbar(shown, ax=ax)
plt.show()

# %%
# Two offsets, two slownesses.

hy = hx = (np.arange(11) - 5) * dh
py = px = np.linspace(-5e-4, 5e-4, 7)
R3 = Radon3D(taxis[:50], hy, hx, py, px, kind="linear")
cube = np.zeros((7, 7, 50))
cube[2, 4, 25] = 1.0
data = (R3 @ cube.reshape(R3.dims)).reshape(11, 11, 50)

fig, axes = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
for ax, (image, label) in zip(axes, ((data[:, 5], "y offset (m)"), (data[5], "x offset (m)"))):
    shown = ax.imshow(image.T, cmap="gray_r", extent=(hx[0], hx[-1], taxis[49], 0), aspect="auto")
    ax.set(xlabel=label, ylabel="time (s)", title="Radon3D of one point")
    fig.colorbar(shown, ax=ax, label="amplitude")
plt.show()
