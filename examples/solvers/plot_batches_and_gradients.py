r"""
Batches of solves, and derivatives through them
===============================================

On JAX a solve is a function like any other: compiled, mapped over many data, differentiated. Here `vmap` solves for a
range of dampings at once, and the gradient finds the one that serves best.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.basic import cgls

jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(0)
n = 80
h = np.exp(-0.5 * (np.arange(-8, 9) / 3) ** 2)
C = operax.signalprocessing.Convolve1D(n, h=h / h.sum(), offset=8)
truth = jnp.asarray(np.sin(np.arange(n) / 6) * (np.arange(n) > 25))
data = C @ truth + 0.02 * jnp.asarray(rng.normal(size=n))


def error(logdamp):
    model = cgls(C, data, niter=500, damp=jnp.exp(logdamp), tol=1e-11)[0]
    return jnp.sum((model - truth) ** 2)


# %%
# Forty solves in one call. Each stops by itself.

logdamps = jnp.linspace(np.log(1e-3), np.log(1.0), 40)
errors = jax.jit(jax.vmap(error))(logdamps)

# %%
# The same number by its derivative, which costs one more solve however many iterations the first took.

slope = jax.jit(jax.value_and_grad(error))
path = [(jnp.log(0.4), slope(jnp.log(0.4))[0])]
for _ in range(15):
    value, g = slope(path[-1][0])
    at = path[-1][0] - 0.25 * g
    path.append((at, slope(at)[0]))

fig, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
axes[0].loglog(np.exp(logdamps), errors, "k.-", lw=1, label="vmap over 40 dampings")
axes[0].loglog(np.exp([p for p, _ in path]), [v for _, v in path], "C3o-", ms=4, label="gradient descent")
axes[0].set(xlabel="damping", ylabel="squared error of the model", title="one program, many solves")
best = cgls(C, data, niter=500, damp=float(np.exp(path[-1][0])), tol=1e-11)[0]
axes[1].plot(truth, "k--", lw=1, label="truth")
axes[1].plot(data, "0.6", lw=1, label="data")
axes[1].plot(best, "C3", lw=1, label=f"damping {float(np.exp(path[-1][0])):.3f}")
axes[1].set(xlabel="position (samples)", ylabel="amplitude")
for ax in axes:
    ax.legend(fontsize=8)
plt.show()
