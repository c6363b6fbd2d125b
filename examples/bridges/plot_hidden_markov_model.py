r"""
A hidden Markov model, marginalised by a scan
=============================================

A machine is quiet or busy, and we only see how much it hums. The states are discrete, so they are summed out of the
likelihood by the forward algorithm,

.. math:: \alpha_t(j) = p(y_t \mid j) \sum_i \alpha_{t-1}(i) P_{ij},

a loop over time with a small state: exactly what `jax.lax.scan` is for. One decorator makes the whole loop a PyTensor
Op, with its gradient.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pytensor.tensor as pt

from operax.pytensor import as_jax_op

# %%
# Data: 400 hours of a machine that stays quiet or busy for a while, and hums at a level of its own in each state.

rng = np.random.default_rng(4)
n, stay, levels, noise = 400, np.array([0.95, 0.90]), np.array([-0.5, 0.8]), 0.6
states = np.zeros(n, int)
for t in range(1, n):
    states[t] = states[t - 1] if rng.random() < stay[states[t - 1]] else 1 - states[t - 1]
hum = levels[states] + noise * rng.normal(size=n)


# %%
# The log-likelihood and the probability of each state given all data, in plain JAX. Both come out of the same scans.


def log_emission(y, levels, noise):
    return -0.5 * ((y[:, None] - levels) / noise) ** 2 - jnp.log(noise) - 0.5 * jnp.log(2 * jnp.pi)


def log_transition(stay):
    return jnp.log(jnp.array([[stay[0], 1 - stay[0]], [1 - stay[1], stay[1]]]))


@as_jax_op
def log_likelihood(y, stay, levels, noise):
    emission, transition = log_emission(y, levels, noise), log_transition(stay)

    def step(alpha, e):
        return e + jax.nn.logsumexp(alpha[:, None] + transition, axis=0), None

    alpha, _ = jax.lax.scan(step, emission[0] - jnp.log(2.0), emission[1:])
    return jax.nn.logsumexp(alpha)


@as_jax_op
def busy_probability(y, stay, levels, noise):
    emission, transition = log_emission(y, levels, noise), log_transition(stay)
    forward = lambda a, e: (b := e + jax.nn.logsumexp(a[:, None] + transition, axis=0), b)
    backward = lambda b, e: (jax.nn.logsumexp(transition + e + b, axis=1), b)
    first = emission[0] - jnp.log(2.0)
    alpha = jnp.concatenate([first[None], jax.lax.scan(forward, first, emission[1:])[1]])
    last, beta = jax.lax.scan(backward, jnp.zeros(2), emission[1:], reverse=True)
    total = alpha + jnp.concatenate([last[None], beta[1:], jnp.zeros((1, 2))])
    return jax.nn.softmax(total, axis=1)[:, 1]


# %%
# The model. `pm.Potential` adds the marginal likelihood; NUTS uses the gradient of the scan.

with pm.Model() as model:
    stay_ = pm.Beta("stay", 8, 2, shape=2)
    levels_ = pm.Normal("levels", 0, 1, shape=2, transform=pm.distributions.transforms.ordered, initval=[-1.0, 1.0])
    noise_ = pm.HalfNormal("noise", 1)
    pm.Potential("hum", log_likelihood(hum, stay_, levels_, noise_))
    trace = pm.sample(300, tune=300, chains=2, cores=1, random_seed=1, progressbar=False)

print({name: trace.posterior[name].mean(("chain", "draw")).values.round(2) for name in ("stay", "levels", "noise")})

# %%
# The probability of the busy state for every draw at once: PyTensor's vectorisation of a wrapped function is one call
# of `jax.vmap`.

draws = trace.posterior.stack(sample=("chain", "draw")).transpose("sample", ...).isel(sample=slice(None, None, 6))
one = [pt.dvector("stay"), pt.dvector("levels"), pt.dscalar("noise")]
many = [pt.dmatrix("stays"), pt.dmatrix("levels"), pt.dvector("noises")]
batched = pt.vectorize(lambda s, l, z: busy_probability(hum, s, l, z), signature="(k),(k),()->(n)")(*many)
busy = batched.eval(dict(zip(many, (draws["stay"].values, draws["levels"].values, draws["noise"].values))))

fig, axes = plt.subplots(2, 1, figsize=(9, 5), layout="constrained", sharex=True)
axes[0].plot(hum, ".", ms=3, color="0.5")
axes[0].plot(levels[states], "k", lw=1, label="true level")
axes[0].set(ylabel="hum (dimensionless)", title="data")
axes[0].legend(loc="upper right")
axes[1].fill_between(np.arange(n), states, step="mid", color="0.85", label="truly busy")
axes[1].plot(busy.mean(0), "C0", label="posterior probability")
axes[1].fill_between(np.arange(n), *np.quantile(busy, [0.05, 0.95], axis=0), color="C0", alpha=0.3)
axes[1].set(xlabel="time (h)", ylabel="probability of busy", title="states, with 90 % bands of the parameters")
axes[1].legend(loc="upper right")
plt.show()

# %%
# Nearly all hours are told right.

print(f"{np.mean((busy.mean(0) > 0.5) == states):.1%} of the hours")
