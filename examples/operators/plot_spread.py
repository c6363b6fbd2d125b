r"""
Spreading along curves
======================

`Spread` adds each value of a panel along a curve of another panel. Curves are given as a table or by a function; a
spike becomes a line or a hyperbola, and the adjoint, a sum along the curves, focuses them again.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax

nt0, nx0 = 80, 15
nt, nx = 100, 60
position = np.arange(nx) - nx / 2
slowness = np.linspace(-0.8, 0.8, nx0)


def line(ip, it):
    """Samples on the line of slope `ip` and time `it`, and how far the line lies beyond them."""
    times = it + slowness[ip] * position
    times = np.where((times >= 0) & (times < nt - 1), times, np.nan)
    return np.floor(times), times - np.floor(times)


S = operax.Spread((nx0, nt0), (nx, nt), fh=line, interp=True)
model = np.zeros((nx0, nt0))
model[3, 40], model[11, 60] = 1.0, -1.0
data = S @ model
focused = S.H @ data

fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
for ax, (title, image, xlabel) in zip(
    axes,
    (("model", model, "slope number"), ("data: two lines", data, "trace"), ("adjoint", focused, "slope number")),
):
    limit = np.abs(image).max()
    shown = ax.imshow(image.T, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    ax.set(title=title, xlabel=xlabel, ylabel="time (samples)")
    fig.colorbar(shown, ax=ax, label="amplitude")
plt.show()
