r"""
Fredholm integrals
==================

`Fredholm1` applies one matrix a slice, as in multi-dimensional convolution, where the slices are frequencies:
:math:`d(k, x, z) = \sum_y G(k, x, y)\, m(k, y, z)`.
"""

import matplotlib.pyplot as plt
import numpy as np

from operax.signalprocessing import Fredholm1

nk, nx, ny, nz = 12, 30, 24, 5
x, y = np.linspace(0, 1, nx), np.linspace(0, 1, ny)
frequency = np.linspace(1, 6, nk)
G = np.cos(2 * np.pi * frequency[:, None, None] * np.abs(x[:, None] - y)) / ny
F = Fredholm1(G, nz=nz)

rng = np.random.default_rng(0)
model = rng.normal(size=(nk, ny, nz))
data = F @ model
expected = np.einsum("kxy,kyz->kxz", G, model)
print("equals the sum:", np.allclose(data, expected))

fig, axes = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
for ax, k in zip(axes, (0, 5, 11)):
    shown = ax.imshow(G[k], cmap="RdBu_r", extent=(0, 1, 1, 0))
    ax.set(title=f"kernel at {frequency[k]:.1f} Hz", xlabel="y (km)", ylabel="x (km)")
fig.colorbar(shown, ax=axes, shrink=0.8, label="G")
plt.show()
