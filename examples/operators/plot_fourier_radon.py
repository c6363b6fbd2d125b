r"""
Radon transforms in the frequency domain
========================================

`FourierRadon2D` shifts by exact phases, so lines need no interpolation; `ChirpRadon2D` does the same with chirps, at
the cost of a few Fourier transforms, and has a closed inverse.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.signalprocessing import ChirpRadon2D, FourierRadon2D

nt, nh, dt, dh = 101, 41, 0.004, 10.0
taxis, haxis = np.arange(nt) * dt, (np.arange(nh) - nh // 2) * dh
pmax = 6e-4
pxaxis = np.linspace(-pmax, pmax, nh)
wavelet = operax.utils.ricker(np.arange(41) * dt, f0=15)[0]
_, data = operax.utils.linear2d(haxis, taxis, 1500.0, [0.12, 0.24], [15, -20], [1.0, -0.7], wavelet)

F = FourierRadon2D(taxis, haxis, pxaxis, nfft=256, kind="linear")
C = ChirpRadon2D(taxis, haxis, pmax * dh / dt)
by_fourier = (F.H @ data).reshape(nh, nt)
by_chirp = (C @ data).reshape(nh, nt)
back = C.inverse(by_chirp).reshape(nh, nt)

fig, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
h = (haxis[0], haxis[-1], taxis[-1], 0)
p = (-pmax * 1e3, pmax * 1e3, taxis[-1], 0)
panels = (
    ("data: two plane waves", data, h, "offset (m)"),
    ("FourierRadon2D, adjoint", by_fourier, p, "slowness (ms/m)"),
    ("ChirpRadon2D, forward", by_chirp, p, "slowness (ms/m)"),
    ("ChirpRadon2D, inverse", back, h, "offset (m)"),
)
for ax, (title, image, extent, xlabel) in zip(axes, panels):
    limit = np.abs(image).max()
    shown = ax.imshow(np.real(image).T, cmap="RdBu_r", vmin=-limit, vmax=limit, extent=extent, aspect="auto")
    ax.set(title=title, xlabel=xlabel, ylabel="time (s)")
    fig.colorbar(shown, ax=ax)
plt.show()
