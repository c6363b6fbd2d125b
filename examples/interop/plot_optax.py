r"""
An operator's arrays as parameters, with optax
==============================================

Calibration of an instrument: what goes in is known for some shots, what comes out was recorded, and the filter in
between is looked for. The filter is an array inside the operator, and an operator is a pytree, so optax optimises it
like any other parameter:

.. math:: \min_{\mathbf{h}} \; \frac{1}{k} \sum_k \| \mathbf{C}(\mathbf{h})\, \mathbf{x}_k - \mathbf{y}_k \|^2
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax

import operax

rng = np.random.default_rng(3)
n, half, shots = 200, 15, 8

# %%
# Spikes go in, traces with noise come out.

lag = np.arange(-half, half + 1)


def ricker(width):
    t = lag / width
    return ((1 - 2 * t**2) * np.exp(-(t**2))).astype("float32")


spikes = ((rng.random((shots, n)) < 0.05) * rng.standard_normal((shots, n))).astype("float32")
true_wavelet, first_wavelet = ricker(4.0), ricker(6.5)
traces = operax.signalprocessing.Convolve1D(n, true_wavelet, offset=half).batched(spikes)
traces = jnp.asarray(traces + 0.1 * rng.standard_normal(traces.shape), "float32")

# %%
# The parameters are the operator itself. ``jax.grad`` gives a gradient of the same form, and `batched` applies the
# operator to all shots in one call.

Op = operax.signalprocessing.Convolve1D(n, first_wavelet, offset=half).to("jax")


def loss(Op):
    return jnp.sum((Op.batched(spikes) - traces) ** 2) / shots


optimizer = optax.adam(0.02)


@jax.jit
def step(Op, state):
    value, gradient = jax.value_and_grad(loss)(Op)
    updates, state = optimizer.update(gradient, state)
    return optax.apply_updates(Op, updates), state, value


state, values = optimizer.init(Op), []
for _ in range(400):
    Op, state, value = step(Op, state)
    values.append(float(value))


def error(wavelet):
    return np.linalg.norm(wavelet - true_wavelet) / np.linalg.norm(true_wavelet)


wavelet = np.asarray(Op.h)
print(f"loss {values[0]:.2f} at first, {values[-1]:.2f} at last")
print(f"error of the wavelet {error(first_wavelet):.0%} at first, {error(wavelet):.0%} at last")

# %%
fig, axes = plt.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
axes[0].plot(lag, true_wavelet, "k", label="true")
axes[0].plot(lag, first_wavelet, ":", label="first guess")
axes[0].plot(lag, wavelet, "--", label="found")
axes[0].set(xlabel="lag (samples)", ylabel="amplitude", title="The filter in the operator")
axes[0].legend()
axes[1].plot(traces[0], "k", label="recorded")
axes[1].plot(Op @ jnp.asarray(spikes[0]), "--", label="modelled")
axes[1].set(xlabel="time (samples)", ylabel="amplitude", title="One shot")
axes[1].legend()
axes[2].semilogy(values)
axes[2].set(xlabel="iteration", ylabel="loss", title="Convergence")
