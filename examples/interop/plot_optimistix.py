r"""
A nonlinear least-squares fit, with optimistix
==============================================

The picture of a slit is blurred, and the film answers with a power law: :math:`y = (\mathbf{C}(\sigma)\,
\mathbf{x})^\gamma`. The blur, an operator, depends on a width :math:`\sigma` that we look for together with the
exponent and with the edges and the brightness of the slit. optimistix runs Levenberg-Marquardt, and differentiates
through the operator and through the filter inside it.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optimistix as optx

import operax

rng = np.random.default_rng(0)
n, half, noise = 80, 10, 0.01
position, lag = jnp.arange(n, dtype="float32"), jnp.arange(-half, half + 1)

# %%
# The operator is built inside the function that is fitted: its filter is traced like any array.


def blur(width):
    weights = jnp.exp(-0.5 * (lag / width) ** 2)
    return operax.signalprocessing.Convolve1D(n, weights / weights.sum(), offset=half)


def slit(unknown):
    inside = jax.nn.sigmoid(position - unknown["left"]) * jax.nn.sigmoid(unknown["right"] - position)
    return 0.2 + unknown["brightness"] * inside


def forward(unknown):
    return jnp.maximum(blur(jnp.exp(unknown["log width"])) @ slit(unknown), 1e-3) ** unknown["exponent"]


true = {"left": 25.3, "right": 48.6, "brightness": 0.8, "log width": np.log(2.5), "exponent": 1.6}
data = forward(true) + noise * rng.standard_normal(n).astype("float32")

# %%
# The residuals are weighted with the noise. The background is known to be 0.2, which fixes the exponent.


def residuals(unknown, data):
    return (forward(unknown) - data) / noise


first = {"left": 23.0, "right": 52.0, "brightness": 0.7, "log width": 1.2, "exponent": 1.3}
first = jax.tree.map(jnp.float32, first)
solver = optx.LevenbergMarquardt(rtol=1e-4, atol=1e-4)
solution = optx.least_squares(residuals, solver, first, args=data, max_steps=100)
found = solution.value
print(f"{int(solution.stats['num_steps'])} steps")
for name, value in true.items():
    print(f"{name:10s} {float(found[name]):6.2f} (true {value:.2f})")

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
axes[0].plot(position, data, ".", label="data")
axes[0].plot(position, forward(first), ":", label="first guess")
axes[0].plot(position, forward(found), label="fit")
axes[0].set(xlabel="position (pixels)", ylabel="density on the film", title="Data and fit")
axes[0].legend()
axes[1].plot(position, slit(true), "k", label="true")
axes[1].plot(position, slit(found), "--", label="found")
axes[1].set(xlabel="position (pixels)", ylabel="brightness", title="The slit before blur and film")
axes[1].legend()
