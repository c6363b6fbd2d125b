"""The figure of the README: python docs/readme_figure.py writes docs/_static/readme.png.

A real MRI slice, blurred by an unknown width; the slice reconstructed; the width found by the gradient through the
reconstruction.
"""

import gzip
from pathlib import Path

import jax
import jax.numpy as jnp
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cbook import get_sample_data

import operax
from operax.optimization.basic import cgls


def main() -> None:
    with gzip.open(get_sample_data("s1045.ima.gz", asfileobj=False)) as file:
        slice_ = np.frombuffer(file.read(), np.uint16).reshape(256, 256)[30:190, 60:220].astype("float32")
    image = jnp.asarray(slice_ / slice_.max())
    v, u = jnp.mgrid[-6:7, -6:7]

    def blur(width):
        h = jnp.exp(-0.5 * (u**2 + v**2) / width**2)
        return operax.signalprocessing.Convolve2D(image.shape, h=h / h.sum(), offset=(6, 6))

    data = blur(2.0) @ image + 0.003 * jax.random.normal(jax.random.key(0), image.shape)

    @jax.jit
    @jax.value_and_grad
    def misfit(width):
        return jnp.sum((cgls(blur(width), data, niter=60, damp=0.03, tol=1e-6)[0] - image) ** 2)

    widths = np.linspace(1.2, 2.8, 17)
    values = [misfit(float(w)) for w in widths]
    model = cgls(blur(2.0), data, niter=60, damp=0.03)[0]

    fig, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained", width_ratios=(1, 1, 1.25))
    for ax, (title, panel) in zip(axes, (("y = Op @ x, with noise", data), ("cgls(Op, y)", model))):
        ax.imshow(panel, cmap="gray", vmin=0, vmax=0.9)
        ax.set(title=title, xlabel="column", ylabel="row")
    axes[2].plot(widths, [v for v, _ in values], "k")
    for w, (value, slope) in zip(widths[1::3], values[1::3]):
        ends = np.array([-0.12, 0.12])
        axes[2].plot(w + ends, value + slope * ends, "C3", lw=2)
    axes[2].axvline(2.0, color="0.7", ls=":")
    axes[2].set(
        title="jax.grad through the solver",
        xlabel="width of the blur (samples)",
        ylabel="squared error of cgls(Op, y)",
    )
    fig.savefig(Path(__file__).parent / "_static" / "readme.png", dpi=80)


if __name__ == "__main__":
    main()
