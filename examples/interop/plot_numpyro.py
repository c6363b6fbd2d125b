r"""
Operators in a NumPyro model
============================

A profile :math:`\mathbf{x}` is seen through a smoothing instrument :math:`\mathbf{A}`, with noise of unknown size. Two
operators describe the model: :math:`\mathbf{A}` gives the mean of the data, and a difference operator
:math:`\mathbf{D}` the precision of the prior,

.. math:: \mathbf{y} \sim \mathcal{N}(\mathbf{A} \mathbf{x}, \sigma^2), \qquad
          \mathbf{x} \sim \mathcal{N}\big(0, (\tau\, \mathbf{D}^T \mathbf{D} + \epsilon \mathbf{I})^{-1}\big).
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

import operax

rng = np.random.default_rng(1)
n = 24

# %%
# The instrument and the prior's precision. The precision is an operator: its matrix is what NumPyro's multivariate
# normal takes.

instrument = operax.Smoothing1D(5, n).to("jax")
D = operax.SecondDerivative(n).to("jax")
structure = jnp.asarray((D.H @ D).todense("jax"))
identity = jnp.eye(n)

position = np.linspace(0, 1, n)
profile = np.sin(2 * np.pi * position) + 0.5 * np.sin(5 * np.pi * position)
data = jnp.asarray(instrument @ jnp.asarray(profile, "float32")) + 0.1 * rng.standard_normal(n).astype("float32")


def model(data):
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    tau = numpyro.sample("tau", dist.LogNormal(2.0, 2.0))
    x = numpyro.sample("x", dist.MultivariateNormal(jnp.zeros(n), precision_matrix=tau * structure + 1e-2 * identity))
    numpyro.sample("y", dist.Normal(instrument @ x, sigma), obs=data)


# %%
# NUTS differentiates through the operator: reverse mode runs its adjoint.

sampler = MCMC(NUTS(model, max_tree_depth=6), num_warmup=200, num_samples=200, progress_bar=False)
sampler.run(jax.random.key(0), data)
samples = sampler.get_samples()
low, middle, high = np.quantile(samples["x"], [0.05, 0.5, 0.95], axis=0)
print(f"sigma: {samples['sigma'].mean():.3f} (0.1 was used)")
print(f"{np.mean((profile >= low) & (profile <= high)):.0%} of the profile lies in the 90 % band")

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
axes[0].fill_between(position, low, high, alpha=0.3, label="90 % band")
axes[0].plot(position, middle, label="median")
axes[0].plot(position, profile, "k--", label="true")
axes[0].plot(position, data, ".", label="data")
axes[0].set(xlabel="position", ylabel="profile", title="Posterior of the profile")
axes[0].legend()
axes[1].hist(samples["sigma"], bins=30, density=True)
axes[1].axvline(0.1, color="k", linestyle="--", label="true")
axes[1].set(xlabel="noise", ylabel="density", title="Posterior of the noise")
axes[1].legend()
