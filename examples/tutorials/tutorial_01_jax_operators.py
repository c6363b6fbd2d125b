r"""
1. JAX operators
================

What an operator can do under JAX: compile, take derivatives in the model and in its own parameters, map over batches,
pull cotangents back; first the steps that `PyLops' JAX tutorial <https://pylops.readthedocs.io>`_ shows, then what lies
beyond them.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.basic import cgls

jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(0)

# %%
# The input decides
# -----------------
# An operator built with NumPy arrays works on JAX arrays.

A = operax.MatrixMult(rng.normal(size=(60, 40)))
x = jnp.asarray(rng.normal(size=40))
print(type(A @ np.asarray(x)).__name__, "and", type(A @ x).__name__)

# %%
# `JaxOperator` moves the parameters to the device once, and offers the method names of PyLops' wrapper.

Ajax = operax.JaxOperator(A)
y = Ajax @ x
print(np.abs(A @ np.asarray(x) - y).max() < 1e-12)

# %%
# Derivatives
# -----------
# Reverse mode uses the operator's adjoint. `rmatvecad` pulls a data vector back through the derivative, which for a
# linear map is the adjoint itself.

print(np.abs(Ajax.rmatvecad(x, y) - A.H @ y).max() < 1e-12)

f = lambda x: 0.5 * jnp.sum((A @ x) ** 2)
print(np.abs(jax.grad(f)(x) - A.H @ (A @ x)).max() < 1e-12)
print(np.abs(jax.hessian(f)(x) - (A.H @ A).todense()).max() < 1e-12)

# %%
# Batches
# -------
# `vmap` over inputs is one vectorised call.

xs = jnp.asarray(rng.normal(size=(7, 40)))
print(jax.vmap(lambda v: A @ v)(xs).shape)

# %%
# Beyond: operators as arguments
# ------------------------------
# An operator is a pytree. Passed as an argument it is not baked into the compiled program, and its derivative is an
# operator again, with a derivative in the place of each array.


@jax.jit
def misfit(op, x, y):
    return 0.5 * jnp.sum((op @ x - y) ** 2)


Aj = A.to("jax")
slope = jax.grad(misfit)(Aj, x, jnp.zeros(60))
print(type(slope).__name__, np.abs(slope.A - jnp.outer(A @ x, x)).max() < 1e-12)

# %%
# Beyond: a batch of operators, and composites
# ---------------------------------------------

scales = jnp.linspace(0.5, 2, 5)
family = jax.vmap(lambda s: jax.tree.map(lambda leaf: s * leaf, Aj))(scales)
print(jax.vmap(misfit, in_axes=(0, None, None))(family, x, y).round(2))

regularised = operax.VStack([A, 0.1 * operax.FirstDerivative(40)])
print(jax.jit(jax.grad(lambda x: jnp.sum((regularised @ x) ** 2)))(x).shape)

# %%
# Beyond: a whole solve, compiled, batched and differentiated
# -----------------------------------------------------------
# How does the answer of a damped inversion react to the data? The Jacobian of the solution is the resolution of the
# inversion; forward mode through the solver gives it.

D = operax.signalprocessing.Convolve1D(60, h=np.hanning(11) / 5, offset=5)


@jax.jit
def invert(y):
    return cgls(D, y, niter=400, damp=0.2, tol=1e-12)[0]


truth = jnp.zeros(60).at[20:28].set(1.0).at[40].set(1.0)
resolution = jax.jacfwd(lambda m: invert(D @ m))(truth)
many = jax.vmap(invert)(D.batched(jnp.stack([truth, 2 * truth, -truth])))

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
shown = axes[0].imshow(resolution, cmap="RdBu_r", vmin=-0.35, vmax=0.35)
axes[0].set(xlabel="true model (samples)", ylabel="estimate (samples)", title="resolution of a deconvolution")
fig.colorbar(shown, ax=axes[0], label="d estimate / d model")
axes[1].plot(many.T, lw=1)
axes[1].plot(truth, "k--", lw=1, label="truth")
axes[1].set(xlabel="position (samples)", ylabel="amplitude", title="three solves in one call")
axes[1].legend()
plt.show()
