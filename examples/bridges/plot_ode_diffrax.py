r"""
A differential equation, solved by diffrax
==========================================

Hares and lynxes. The populations follow

.. math:: \dot u = \alpha u - \beta u v, \qquad \dot v = -\gamma v + \delta u v,

and we look for the four rates in the yearly counts of pelts of the Hudson's Bay Company, 1900 to 1920. diffrax solves
the equation with steps of adapted size, its adjoint gives the gradient, and one decorator puts it into the model.
"""

import diffrax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import pymc as pm

from operax.pytensor import as_jax_op

years = np.arange(1900, 1921.0)
hares = np.array(
    [
        30,
        47.2,
        70.2,
        77.4,
        36.3,
        20.6,
        18.1,
        21.4,
        22,
        25.4,
        27.1,
        40.3,
        57,
        76.6,
        52.3,
        19.5,
        11.2,
        7.6,
        14.6,
        16.2,
        24.7,
    ]
)
lynxes = np.array(
    [4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6]
)

# %%
# The solver is an ordinary object; times and tolerances are static. Only what is a PyTensor variable is one.


def rates(t, populations, parameters):
    u, v = populations
    return jnp.array(
        [(parameters["birth"] - parameters["hunted"] * v) * u, (parameters["fed"] * u - parameters["death"]) * v]
    )


@as_jax_op
def solve(parameters, start, times, *, solver):
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(rates),
        solver,
        t0=times[0],
        t1=times[-1],
        dt0=0.1,
        y0=start,
        args=parameters,
        saveat=diffrax.SaveAt(ts=times),
        stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-3),
        max_steps=500,
        throw=False,  # parameters that need more steps give infinite populations, which NUTS turns away from
    )
    return solution.ys


with pm.Model() as model:
    parameters = {
        "birth": pm.LogNormal("birth", np.log(0.5), 0.5),
        "hunted": pm.LogNormal("hunted", np.log(0.03), 0.5),
        "death": pm.LogNormal("death", np.log(0.8), 0.5),
        "fed": pm.LogNormal("fed", np.log(0.03), 0.5),
    }
    start = pm.LogNormal("start", np.log([30, 5]), 0.3, shape=2)
    populations = pm.Deterministic("populations", solve(parameters, start, years, solver=diffrax.Tsit5()))
    scatter = pm.HalfNormal("scatter", 0.5)
    pm.LogNormal("pelts", pm.math.log(populations), scatter, observed=np.stack([hares, lynxes], 1))
    trace = pm.sample(100, tune=100, chains=2, cores=1, random_seed=2, progressbar=False, target_accept=0.8)

for name in parameters:
    print(f"{name:7s} {trace.posterior[name].mean():.3f} +- {trace.posterior[name].std():.3f} per year")

# %%
# The paths of the posterior through the data, and the orbits they make.

paths = trace.posterior["populations"].stack(sample=("chain", "draw")).transpose("sample", ...).values
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", width_ratios=[2, 1])
for k, (name, counts) in enumerate({"hares": hares, "lynxes": lynxes}.items()):
    axes[0].fill_between(years, *np.quantile(paths[..., k], [0.05, 0.95], axis=0), color=f"C{k}", alpha=0.3)
    axes[0].plot(years, np.median(paths[..., k], axis=0), f"C{k}", label=name)
    axes[0].plot(years, counts, f"C{k}o", ms=4)
axes[0].set(xlabel="year", ylabel="pelts (thousands)", title="median and 90 % band")
axes[0].legend()
axes[1].plot(*paths[::20].T, color="C2", lw=0.5, alpha=0.4)
axes[1].plot(hares, lynxes, "k.", ms=4)
axes[1].set(xlabel="hares (thousands)", ylabel="lynxes (thousands)", title="orbits")
plt.show()
