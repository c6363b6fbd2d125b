r"""
8. Blind deconvolution
======================

Neither the image nor the blur is known. Operators are differentiable in their parameters, so the width and the
elongation of the blur can be found by following the gradient through a complete reconstruction; and the filter itself
by gradients in the operator.
"""

import gzip

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
from matplotlib.cbook import get_sample_data

import operax
from operax.optimization.basic import cgls
from operax.signalprocessing import Convolve2D

with gzip.open(get_sample_data("s1045.ima.gz", asfileobj=False)) as file:
    image = np.frombuffer(file.read(), np.uint16).reshape(256, 256)[40:168:2, 70:198:2].astype("float32")
image /= image.max()
dims = image.shape
v, u = jnp.mgrid[-4:5, -4:5]


def blur(logwidths):
    """A Gaussian blur of two widths, in samples; the operator is made of the parameters that are sought."""
    width = jnp.exp(logwidths)
    h = jnp.exp(-0.5 * ((v / width[0]) ** 2 + (u / width[1]) ** 2))
    return Convolve2D(dims, h=h / h.sum(), offset=(4, 4))


true = jnp.log(jnp.array([1.0, 2.0]))
data = blur(true) @ jnp.asarray(image) + 0.002 * jax.random.normal(jax.random.key(0), dims)

# %%
# One frame cannot tell a sharp image with a wide blur from a soft image with a narrow one. Two frames can: the second
# is taken with the blur turned by 90 degrees, and only the right widths give one image that fits both.

data_turned = blur(true[::-1]) @ jnp.asarray(image) + 0.002 * jax.random.normal(jax.random.key(1), dims)


DAMP = 0.008  # noise / size of the image


def reconstruct(logwidths):
    both = operax.VStack([blur(logwidths), blur(logwidths[::-1])])
    frames = jnp.concatenate([data.ravel(), data_turned.ravel()])
    return cgls(both, frames, niter=100, damp=DAMP, tol=1e-5)[0].reshape(dims)


def loss(logwidths):
    image = reconstruct(logwidths)
    misfit = jnp.sum((blur(logwidths) @ image - data) ** 2) + jnp.sum(
        (blur(logwidths[::-1]) @ image - data_turned) ** 2
    )
    return misfit + DAMP**2 * jnp.sum(image**2)


step = optax.adam(0.07)
logwidths = jnp.log(jnp.array([1.5, 1.5001]))
state = step.init(logwidths)


@jax.jit
def update(logwidths, state):
    value, slope = jax.value_and_grad(loss)(logwidths)
    change, state = step.update(slope, state)
    return logwidths + change, state, value


path, values = [np.exp(logwidths)], []
for _ in range(30):
    logwidths, state, value = update(logwidths, state)
    path.append(np.exp(logwidths))
    values.append(float(value))
print("widths found:", np.round(path[-1], 2), "true:", np.round(np.exp(true), 2))

# %%
# The filter without a formula: 81 free numbers, when the image is known. The gradient is taken with respect to the
# operator itself and has its structure; the filter is the leaf.

op = blur(jnp.log(jnp.array([1.5, 1.5])))
adam = optax.adam(0.01)
memory = adam.init(op)


@jax.jit
def learn(op, memory):
    slope = jax.grad(lambda op: jnp.mean((op @ jnp.asarray(image) - data) ** 2))(op)
    change, memory = adam.update(slope, memory)
    return optax.apply_updates(op, change), memory


for _ in range(150):
    op, memory = learn(op, memory)

fig, axes = plt.subplots(2, 3, figsize=(10, 6), layout="constrained")
for ax, (title, panel) in zip(
    axes[0], (("image", image), ("first frame", data), ("both unknown: reconstruction", reconstruct(logwidths)))
):
    shown = ax.imshow(panel, cmap="gray", vmin=0, vmax=0.9)
    ax.set(title=title, xlabel="column", ylabel="row")
fig.colorbar(shown, ax=axes[0], shrink=0.8, label="intensity / maximum")
axes[1, 0].plot(np.array(path), label=["width along rows", "width along columns"])
axes[1, 0].hlines(np.exp(true), 0, 30, "k", ls=":", label="true")
axes[1, 0].set(xlabel="step of Adam", ylabel="width (samples)", title="widths of the blur")
axes[1, 0].legend(fontsize=8)
for ax, (title, h) in zip(axes[1, 1:], (("true filter", blur(true).h), ("learnt filter, 81 numbers", op.h))):
    shown = ax.imshow(np.asarray(h), cmap="viridis", vmin=0, vmax=0.09, extent=(-4.5, 4.5, 4.5, -4.5))
    ax.set(title=title, xlabel="column (samples)", ylabel="row (samples)")
fig.colorbar(shown, ax=axes[1, 1:], shrink=0.8, label="weight")
plt.show()
