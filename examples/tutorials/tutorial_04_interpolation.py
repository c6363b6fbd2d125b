r"""
4. Missing traces: Radon and Fourier interpolation
==================================================

Half of the traces of a gather are missing. Where the events are simple in some transform, few coefficients explain the
traces that are there, and those coefficients give the ones that are not.
"""

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.sparsity import fista
from operax.signalprocessing import FFT2D, FourierRadon2D, Sliding2D, sliding2d_design
from operax.utils import linear2d, ricker, snr

nt, nh, dt, dh = 128, 64, 0.004, 10.0
taxis, haxis = np.arange(nt) * dt, np.arange(nh) * dh
wavelet = ricker(np.arange(41) * dt, f0=20)[0]
_, section = linear2d(haxis, taxis, 1500.0, [0.1, 0.2, 0.3], [20, 0, -15], [1.0, -0.8, 0.7], wavelet)
section = section.astype("float32")

rng = np.random.default_rng(1)
kept = np.sort(rng.permutation(nh)[: nh // 2])
R = operax.Restriction((nh, nt), iava=kept, axis=0)
data = jnp.asarray(R @ section)

# %%
# Fourier: plane waves are points in frequency and wavenumber. `fista` finds few of them that explain the data.

F = FFT2D((nh, nt), nffts=(nh, 2 * nt), dtype="complex64")
spectrum = fista(R @ F.H, data.astype("complex64"), niter=150, eps=0.02, alpha=1.0)[0]
fourier = np.real(F.H @ spectrum).reshape(nh, nt)

# %%
# Radon: plane waves are points in slowness and time, here in windows of half the traces.

nwin, nover, npx = 32, 16, 41
pxaxis = np.linspace(-5e-4, 5e-4, npx)
nwins, dims, _, _ = sliding2d_design((nh, nt), nwin, nover, (npx, nt), verb=False)
local = FourierRadon2D(taxis, (np.arange(nwin) - nwin // 2) * dh, pxaxis, nfft=256, kind="linear", dtype="float32")
S = Sliding2D(local, dims, (nh, nt), nwin, nover, tapertype="cosine")
panels = fista(R @ S, data, niter=80, eps=0.3)[0]
radon = np.asarray(S @ panels).reshape(nh, nt)

fig, axes = plt.subplots(1, 4, figsize=(12, 3.6), layout="constrained", sharey=True)
extent = (haxis[0], haxis[-1], taxis[-1], 0)
pictures = {
    "complete": section,
    "half the traces": np.asarray(R.H @ data),
    "Fourier": fourier,
    "Radon in windows": radon,
}
for ax, (title, picture) in zip(axes, pictures.items()):
    quality = f"\nSNR {float(snr(section, picture)):.1f} dB" if title != "complete" else "\n"
    shown = ax.imshow(picture.T, cmap="RdBu_r", vmin=-1, vmax=1, extent=extent, aspect="auto")
    ax.set(title=title + quality, xlabel="offset (m)")
axes[0].set_ylabel("time (s)")
fig.colorbar(shown, ax=axes, label="amplitude")
plt.show()
