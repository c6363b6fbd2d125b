r"""
A neural network inside a PyMC model
====================================

Motorcycle helmets: the acceleration of a dummy's head after an impact is quiet at first, then swings, and its scatter
changes as it goes. A small equinox network gives mean and scatter together; its weights are random variables, so the
prediction has a band of its own where data are few.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt

from operax.pytensor import as_jax_op

# %%
# Data with the same traits, made on the spot: a swing with growing scatter, and a gap.

rng = np.random.default_rng(0)
time = np.sort(np.concatenate([rng.uniform(0, 0.45, 45), rng.uniform(0.6, 1, 40)]))
swing = lambda t: np.where(t < 0.25, 0.0, -np.sin(2 * np.pi * (t - 0.25) / 0.6) * np.exp(-2 * (t - 0.25)))
head = swing(time) + (0.03 + 0.12 * time) * rng.normal(size=time.size)

# %%
# The network is a pytree. PyTensor variables take the place of its arrays (all in one vector here), and the network is
# called as it is.

network = eqx.nn.MLP("scalar", 2, width_size=6, depth=1, activation=jnp.tanh, key=jax.random.key(1))
arrays, rest = eqx.partition(network, eqx.is_array)
flat, rebuild = jax.flatten_util.ravel_pytree(arrays)
print(flat.size, "weights")


@as_jax_op
def predict(weights, t):
    net = eqx.combine(rebuild(weights), rest)
    mean, spread = jax.vmap(net)(4 * t - 2).T
    return mean, jax.nn.softplus(spread - 2) + 0.01


with pm.Model() as model:
    weights = pm.Normal("weights", 0, 1.5, shape=flat.size)
    mean, spread = predict(weights, time)
    pm.Normal("head", mean, spread, observed=head)
    start, narrow = {"weights": np.asarray(flat, float)}, {"weights": np.full(flat.size, 0.05)}
    fit = pm.ADVI(start=start, start_sigma=narrow, random_seed=3).fit(
        10_000, progressbar=False, obj_optimizer=pm.adam(learning_rate=0.01)
    )
    trace = fit.sample(400, random_seed=4)

# %%
# Predictions of all draws in one call of `jax.vmap`.

grid = np.linspace(0, 1, 120)
draws = trace.posterior["weights"].values[0]
W = pt.tensor("W", shape=(None, flat.size))
means, spreads = pt.vectorize(lambda w: predict(w, grid), signature="(k)->(n),(n)")(W)
means, spreads = pytensor.function([W], [means, spreads])(draws)
total = means + spreads * rng.normal(size=means.shape)

fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", width_ratios=[2, 1])
axes[0].fill_between(grid, *np.quantile(total, [0.05, 0.95], axis=0), color="C0", alpha=0.2, label="90 % of data")
axes[0].fill_between(grid, *np.quantile(means, [0.05, 0.95], axis=0), color="C0", alpha=0.5, label="90 % of the mean")
axes[0].plot(time, head, "k.", ms=4)
axes[0].plot(grid, swing(grid), "k--", lw=1, label="truth")
axes[0].set(xlabel="time after impact (s)", ylabel="acceleration (100 g)", title="mean and scatter by a network")
axes[0].legend()
axes[1].plot(grid, np.median(spreads, axis=0), "C0", label="posterior median")
axes[1].plot(grid, 0.03 + 0.12 * grid, "k--", lw=1, label="truth")
axes[1].set(xlabel="time after impact (s)", ylabel="scatter (100 g)", title="scatter")
axes[1].legend()
plt.show()
