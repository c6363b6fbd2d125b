r"""
7. Learned regularisation
=========================

A network that removes noise is a prior. Train a small one, in equinox, on natural images; then use it inside an
iteration that knows the physics (plug and play), on an image it has not seen; and train a few unrolled steps end to
end, with the operator inside the network.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
import pywt

from operax.optimization.basic import cgls
from operax.signalprocessing import Convolve2D
from operax.utils import psnr

size = 48
rng = np.random.default_rng(0)
photo = np.concatenate([pywt.data.ascent(), pywt.data.aero()], axis=1).astype("float32") / 255
corners = [(int(a), int(b)) for a, b in zip(rng.integers(0, 448, 96), rng.integers(0, 960, 96))]
patches = jnp.asarray(np.stack([photo[a : a + size, b : b + size] for a, b in corners]))
image = jnp.asarray(pywt.data.camera()[100:148, 196:244].astype("float32") / 255)  # not among the training images

# %%
# The physics: a blur, and noise.

v, u = np.mgrid[-3:4, -3:4]
psf = np.exp(-0.5 * (u**2 + v**2) / 1.3**2).astype("float32")
A = Convolve2D((size, size), h=psf / psf.sum(), offset=(3, 3)).to("jax")
key = jax.random.key(0)
data = A @ image + 0.02 * jax.random.normal(key, image.shape)

# %%
# The network: four convolutions that predict the noise.


class Denoiser(eqx.Module):
    layers: list

    def __init__(self, key, width=12):
        sizes = [(1, width), (width, width), (width, width), (width, 1)]
        keys = jax.random.split(key, len(sizes))
        self.layers = [eqx.nn.Conv2d(i, o, 3, padding=1, key=k) for (i, o), k in zip(sizes, keys)]

    def __call__(self, x):
        y = x[None]
        for layer in self.layers[:-1]:
            y = jax.nn.relu(layer(y))
        return x - self.layers[-1](y)[0]


def denoising_loss(net, batch, key):
    noise = 0.06 * jax.random.normal(key, batch.shape)
    return jnp.mean((jax.vmap(net)(batch + noise) - batch) ** 2)


def train(net, loss, steps, rate):
    adam = optax.adam(rate)
    state = adam.init(eqx.filter(net, eqx.is_array))

    @eqx.filter_jit
    def step(net, state, key):
        pick, noise = jax.random.split(key)
        batch = patches[jax.random.choice(pick, len(patches), (4,))]
        value, slope = eqx.filter_value_and_grad(loss)(net, batch, noise)
        change, state = adam.update(slope, state)
        return eqx.apply_updates(net, change), state, value

    values = []
    for key in jax.random.split(jax.random.key(1), steps):
        net, state, value = step(net, state, key)
        values.append(float(value))
    return net, values


net, values = train(Denoiser(jax.random.key(2)), denoising_loss, 120, 4e-3)

# %%
# Plug and play: a gradient step of the data misfit, then the denoiser.


@eqx.filter_jit
def plug_and_play(net, data, steps=20):
    def step(x, _):
        return net(x - A.H @ (A @ x - data)), None

    return jax.lax.scan(step, data, length=steps)[0]


plugged = plug_and_play(net, data)

# %%
# Unrolled: four such steps, trained as one network to deblur. The operator's adjoint is used in the backward pass.


class Unrolled(eqx.Module):
    net: Denoiser
    rates: jax.Array

    def __call__(self, data):
        x = data
        for k in range(4):
            x = self.net(x - self.rates[k] * (A.H @ (A @ x - data)))
        return x


def deblurring_loss(model, batch, key):
    blurred = A.batched(batch) + 0.02 * jax.random.normal(key, batch.shape)
    return jnp.mean((jax.vmap(model)(blurred) - batch) ** 2)


unrolled, deblurring = train(Unrolled(net, jnp.ones(4)), deblurring_loss, 40, 1.5e-3)

classic = cgls(A, data, niter=60, damp=0.2)[0]
results = {
    "image": image,
    "data": data,
    "cgls, damped": classic,
    "plug and play": plugged,
    "unrolled, 4 steps": unrolled(data),
}

fig, axes = plt.subplots(1, 5, figsize=(13, 3.2), layout="constrained")
for ax, (title, panel) in zip(axes, results.items()):
    quality = "\n" if title == "image" else f"\nPSNR {float(psnr(np.asarray(image), np.asarray(panel), xmax=1)):.1f} dB"
    shown = ax.imshow(panel, cmap="gray", vmin=0, vmax=1)
    ax.set(title=title + quality, xlabel="column", ylabel="row")
fig.colorbar(shown, ax=axes, shrink=0.7, label="intensity")
plt.show()

# %%

fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.semilogy(values, lw=0.8, label="denoiser")
ax.semilogy(deblurring, lw=0.8, label="unrolled")
ax.set(xlabel="step of Adam", ylabel="mean squared error", title="training")
ax.legend()
plt.show()
