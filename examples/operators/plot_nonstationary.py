r"""
Filters that change on the way
==============================

Non-stationary convolution interpolates between filters given at some places. Its twin, `NonStationaryFilters1D`, takes
the input as known and the filters as the model, so that they can be estimated.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.signalprocessing import NonStationaryConvolve1D, NonStationaryConvolve2D, NonStationaryFilters1D

# %%
# Three wavelets of falling frequency, as absorption makes them.

nt, dt = 301, 0.004
t = np.arange(nt) * dt
half = np.arange(21) * dt
filters = np.stack([operax.utils.ricker(half, f0=f)[0] for f in (40.0, 25.0, 12.0)])
at = (50, 150, 250)
spikes = np.zeros(nt)
spikes[20:290:45] = 1.0

C = NonStationaryConvolve1D(nt, hs=filters, ih=at)
trace = C @ spikes

# %%
# Now the wavelets are unknown and the spikes known: the same data, another operator, a least-squares solution.

N = NonStationaryFilters1D(spikes, hsize=filters.shape[1], ih=at)
estimated = operax.optimization.basic.lsqr(N, trace, niter=200)[0].reshape(filters.shape)

fig, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained", width_ratios=(2, 1))
axes[0].plot(t, trace, "k", lw=1)
axes[0].vlines(np.asarray(at) * dt, -0.5, 1, "C3", ls=":", label="filters are given here")
axes[0].set(xlabel="time (s)", ylabel="amplitude", title="NonStationaryConvolve1D of equal spikes")
axes[0].legend(fontsize=8)
lag = (np.arange(filters.shape[1]) - filters.shape[1] // 2) * dt
for k in range(3):
    axes[1].plot(lag, filters[k], f"C{k}", lw=3, alpha=0.4, label=f"at {at[k] * dt:.1f} s")
    axes[1].plot(lag, estimated[k], f"C{k}--", lw=1)
axes[1].set(xlabel="lag (s)", ylabel="amplitude", title="filters: true, and estimated (dashed)")
axes[1].legend(fontsize=8)
plt.show()

# %%
# Two dimensions: a blur that grows from left to right.

n = 70
grid = np.zeros((n, n))
grid[8::13, 8::13] = 1.0
v, u = np.mgrid[-6:7, -6:7]
widths = np.array([[0.8, 2.0, 3.0]] * 2)
hs = np.stack([[np.exp(-0.5 * (u**2 + v**2) / w**2) for w in row] for row in widths])
hs /= hs.sum(axis=(-2, -1), keepdims=True)
C2 = NonStationaryConvolve2D((n, n), hs=hs, ihx=(20, 50), ihz=(10, 35, 60))
blurred = C2 @ grid

fig, ax = plt.subplots(figsize=(4.4, 3.4), layout="constrained")
shown = ax.imshow(blurred, cmap="magma", vmax=0.1)
ax.set(xlabel="z (samples)", ylabel="x (samples)", title="NonStationaryConvolve2D of points")
fig.colorbar(shown, ax=ax, label="amplitude")
plt.show()
