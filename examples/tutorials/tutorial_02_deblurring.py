r"""
2. Deblurring a real MRI slice
==============================

An MRI slice of a head, which ships with matplotlib, is blurred and made noisy. Three reconstructions: damped least
squares, sparse wavelet coefficients, total variation.
"""

import gzip

import jax
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cbook import get_sample_data

import operax
from operax.optimization.basic import cgls
from operax.optimization.sparsity import fista, splitbregman
from operax.signalprocessing import DWT2D, Convolve2D
from operax.utils import snr

with gzip.open(get_sample_data("s1045.ima.gz", asfileobj=False)) as file:
    image = np.frombuffer(file.read(), np.uint16).reshape(256, 256)[::2, ::2].astype("float32")
image /= image.max()

v, u = np.mgrid[-4:5, -4:5]
psf = np.exp(-0.5 * (u**2 + v**2) / 1.8**2)
psf = (psf / psf.sum()).astype("float32")
blur = Convolve2D(image.shape, h=psf, offset=(4, 4)).to("jax")

noise = 0.01 * np.random.default_rng(0).normal(size=image.shape).astype("float32")
data = jax.numpy.asarray(blur @ image + noise)

# %%
# Damped least squares: one compiled conjugate-gradient loop.

damped = cgls(blur, data, niter=60, damp=0.05)[0]

# %%
# Few wavelet coefficients: the model is `W.H` times a sparse vector, and `fista` finds the vector. The derivative of
# anything of this with respect to the image, the filter or the penalty would be available.

W = DWT2D(image.shape, wavelet="db3", level=3, dtype="float32")
sparse = W.H @ fista(blur @ W.H, data, niter=80, eps=1e-3, alpha=1.0)[0]

# %%
# Total variation: absolute differences along both axes are penalised, which keeps edges.

Dop = [operax.FirstDerivative(image.shape, axis=axis, kind="forward", dtype="float32") for axis in (0, 1)]
blocky = splitbregman(
    blur, data, Dop, niter_outer=12, niter_inner=3, mu=20.0, epsRL1s=[0.08, 0.08], tol=1e-5, iter_lim=6
)[0]

fig, axes = plt.subplots(1, 5, figsize=(13, 3.2), layout="constrained")
panels = {"slice": image, "blurred, with noise": data, "cgls, damped": damped, "fista, wavelets": sparse}
panels["splitbregman, TV"] = blocky
for ax, (title, panel) in zip(axes, panels.items()):
    panel = np.asarray(panel).reshape(image.shape)
    quality = "" if title == "slice" else f"\nSNR {float(snr(image, panel)):.1f} dB"
    shown = ax.imshow(panel, cmap="gray", vmin=0, vmax=0.8)
    ax.set(title=title + quality, xlabel="column", ylabel="row")
fig.colorbar(shown, ax=axes, shrink=0.7, label="intensity / maximum")
plt.show()
