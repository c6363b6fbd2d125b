r"""
Along local slopes: seislets, plane-wave spraying and smoothing
===============================================================

Where events have a slope that varies from place to place, transforms that follow it need few coefficients, and
smoothing along it does not blur.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.signalprocessing import PWSmoother2D, PWSprayer2D, Seislet

# %%
# A layered section that dips and bends, and its slopes, in samples a trace.

nx, nt, dt, dx = 64, 128, 0.004, 8.0
x, t = np.arange(nx), np.arange(nt)
bend = 6 * np.sin(2 * np.pi * x / nx)
rng = np.random.default_rng(2)
reflectivity = np.convolve(np.where(rng.random(3 * nt) > 0.9, rng.normal(size=3 * nt), 0), np.hanning(7), "same")
section = np.stack([np.interp(t - bend[i] + nt, np.arange(3 * nt), reflectivity) for i in range(nx)])
slope_samples = np.broadcast_to(np.gradient(bend)[:, None], (nx, nt)).copy()

# %%
# The seislet transform of the section, and the section from a tenth of the coefficients.

S = Seislet(slope_samples * dt / dx, sampling=(dx, dt))
coefficients = (S @ section).reshape(S.dimsd)
threshold = np.quantile(np.abs(coefficients), 0.9)
few = np.where(np.abs(coefficients) >= threshold, coefficients, 0)
back = S.inverse(few.ravel()).reshape(nx, nt)

fig, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for ax, (title, image) in zip(
    axes, (("section", section), ("seislet coefficients", coefficients), ("from a tenth of them", back))
):
    shown = ax.imshow(image.T, cmap="RdBu_r", vmin=-1.5, vmax=1.5, aspect="auto")
    ax.set(title=title, xlabel="trace", ylabel="time (samples)")
fig.colorbar(shown, ax=axes, label="amplitude")
plt.show()

# %%
# Spraying spreads a spike along the local slope; smoothing along the slope removes noise and keeps the layers.
# Both take sections with time along the first axis.

spike = np.zeros((nt, nx))
spike[40, 32], spike[90, 15] = 1.0, 1.0
noisy = section + 0.4 * rng.normal(size=section.shape)
sigma = slope_samples.T.astype("float32")
sprayed = (PWSprayer2D((nt, nx), sigma=sigma, radius=12) @ spike).reshape(nt, nx).T
smooth = (PWSmoother2D((nt, nx), sigma=sigma, radius=4) @ noisy.T).reshape(nt, nx).T
scale = np.vdot(section, smooth) / np.vdot(smooth, smooth)

fig, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for ax, (title, image, limit) in zip(
    axes,
    (
        ("PWSprayer2D of two spikes", sprayed, sprayed.max()),
        ("section with noise", noisy, 1.5),
        ("PWSmoother2D", scale * smooth, 1.5),
    ),
):
    shown = ax.imshow(image.T, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    ax.set(title=title, xlabel="trace", ylabel="time (samples)")
    fig.colorbar(shown, ax=ax, label="amplitude")
print("signal to noise in dB:", *(round(float(operax.utils.snr(section, s)), 1) for s in (noisy, scale * smooth)))
plt.show()
