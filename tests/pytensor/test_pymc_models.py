"""Wrapped functions inside PyMC models: everything but long sampling runs."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

from operax.pytensor import as_jax_op

pm = pytest.importorskip("pymc")

pytestmark = [pytest.mark.bridge, pytest.mark.filterwarnings("ignore")]

RNG = np.random.default_rng(3)
T = np.linspace(-1, 1, 20)
Y = 1.0 + 2.0 * T + 0.3 * RNG.normal(size=20)


@as_jax_op
def line(t, coefficients):
    return coefficients["a"] + coefficients["b"] * t


@as_jax_op
def loglike(y, mu, sigma):
    return -0.5 * ((y - mu) / sigma) ** 2 - jnp.log(sigma) - 0.5 * jnp.log(2 * jnp.pi)


def linear_model(line=line):
    with pm.Model() as model:
        t = pm.Data("t", T)
        y = pm.Data("y", Y)
        a, b = pm.Normal("a", 0, 10), pm.Normal("b", 0, 10)
        mu = pm.Deterministic("mu", line(t, {"a": a, "b": b}))
        pm.Normal("obs", mu, 0.3, observed=y, shape=mu.shape)
    return model


def design(t):
    return np.stack([np.ones_like(t), t], 1)


def posterior_mode(t, y, noise=0.3, prior=10.0):
    G = design(t)
    return np.linalg.solve(G.T @ G / noise**2 + np.eye(2) / prior**2, G.T @ y / noise**2)


def test_logp_and_its_derivatives_against_the_closed_form():
    model = linear_model()
    point = {"a": np.array(0.5), "b": np.array(1.5)}
    logp = model.compile_logp()(point)
    G, c = design(T), np.array([0.5, 1.5])
    residual = (Y - G @ c) / 0.3
    truth = np.sum(-0.5 * residual**2 - np.log(0.3) - 0.5 * np.log(2 * np.pi))
    truth += np.sum(-0.5 * (c / 10) ** 2 - np.log(10) - 0.5 * np.log(2 * np.pi))
    np.testing.assert_allclose(logp, truth, rtol=1e-8)  # PyMC holds log(sqrt(2 pi)) in 32 bits
    plain = linear_model(lambda t, c: c["a"] + c["b"] * t).compile_logp()(point)
    np.testing.assert_allclose(logp, plain, rtol=1e-14)
    np.testing.assert_allclose(model.compile_dlogp()(point), G.T @ residual / 0.3 - c / 100, rtol=1e-10)
    np.testing.assert_allclose(
        np.abs(model.compile_d2logp()(point)), G.T @ G / 0.09 + np.eye(2) / 100, rtol=1e-10, atol=1e-10
    )
    assert not jax.config.jax_enable_x64


def test_find_map():
    with linear_model():
        found = pm.find_MAP(progressbar=False)
    np.testing.assert_allclose([found["a"], found["b"]], posterior_mode(T, Y), rtol=1e-4)


def test_data_can_be_resized():
    model = linear_model()
    point = {"a": np.array(0.5), "b": np.array(1.5)}
    with model:
        dlogp = model.compile_dlogp()
        dlogp(point)
        pm.set_data({"t": T[:5], "y": Y[:5]})
        G, c = design(T[:5]), np.array([0.5, 1.5])
        np.testing.assert_allclose(dlogp(point), G.T @ (Y[:5] - G @ c) / 0.09 - c / 100, rtol=1e-10)
        prior = pm.sample_prior_predictive(draws=7, random_seed=1)
    assert prior.prior["mu"].shape == (1, 7, 5) and prior.prior_predictive["obs"].shape == (1, 7, 5)
    draws = prior.prior
    truth = draws["a"].values[..., None] + draws["b"].values[..., None] * T[:5]
    np.testing.assert_allclose(draws["mu"].values, truth, rtol=1e-12)


def test_predictive_deterministics_and_log_likelihood():
    rng = np.random.default_rng(0)
    import xarray as xr

    posterior = xr.Dataset({k: (("chain", "draw"), rng.normal(size=(2, 9))) for k in "ab"})
    truth = posterior["a"].values[..., None] + posterior["b"].values[..., None] * T
    with linear_model() as model:
        deterministics = pm.compute_deterministics(posterior, progressbar=False)
        np.testing.assert_allclose(deterministics["mu"].values, truth, rtol=1e-12)
        predictive = pm.sample_posterior_predictive(
            posterior, var_names=["mu", "obs"], progressbar=False, random_seed=1
        )
        np.testing.assert_allclose(predictive.posterior_predictive["mu"].values, truth, rtol=1e-12)
        density = pm.draw(pm.logp(model["obs"], model["y"]).sum(), random_seed=0)
    assert np.isfinite(density)


def test_do_and_freeze():
    from pymc.model.transform.optimization import freeze_dims_and_data

    model = linear_model()
    frozen = freeze_dims_and_data(model)
    point = {"a": np.array(0.5), "b": np.array(1.5)}
    np.testing.assert_allclose(frozen.compile_logp()(point), model.compile_logp()(point), rtol=1e-12)
    assert frozen["mu"].type.shape == (20,)
    intervened = pm.do(model, {"b": 3.0})
    a, mu = pm.draw([intervened["a"], intervened["mu"]], random_seed=2)
    np.testing.assert_allclose(mu, a + 3.0 * T, rtol=1e-12)


def test_potential_and_custom_logp():
    point = {"a": np.array(0.5), "b": np.array(1.5)}
    reference = linear_model().compile_dlogp()(point)
    for kind in ("potential", "custom"):
        with pm.Model() as model:
            a, b = pm.Normal("a", 0, 10), pm.Normal("b", 0, 10)
            mu = line(T, {"a": a, "b": b})
            if kind == "potential":
                pm.Potential("obs", loglike(Y, mu, pt.constant(0.3)).sum())
            else:
                pm.CustomDist("obs", mu, logp=lambda y, mu: loglike(y, mu, 0.3), observed=Y)
        np.testing.assert_allclose(model.compile_dlogp()(point), reference, rtol=1e-10)


def test_a_discrete_variable_beside_a_continuous_one():
    pick = as_jax_op(lambda k, mu: jnp.where(k == 0, mu, -mu))
    with pm.Model() as model:
        k, mu = pm.Bernoulli("k", 0.5), pm.Normal("mu")
        pm.Normal("obs", pick(k, mu), 1.0, observed=2.0)
    for value in (0, 1):
        sign = 1 - 2 * value
        got = model.compile_dlogp(vars=[mu])({"k": np.array(value), "mu": np.array(0.7)})
        np.testing.assert_allclose(got, sign * (2.0 - sign * 0.7) - 0.7, rtol=1e-12)
    with model:
        trace = pm.sample(
            5, tune=5, chains=1, cores=1, progressbar=False, random_seed=1, compute_convergence_checks=False
        )
    assert set(np.unique(trace.posterior["k"])) <= {0, 1}


def test_integer_data_beside_parameters():
    group = np.array([0, 1, 1, 0, 2])
    y = np.array([1.0, 2.0, 2.5, 0.5, -1.0])
    with pm.Model() as model:
        index = pm.Data("index", group)
        mu = pm.Normal("mu", 0, 10, shape=3)
        pm.Normal("obs", as_jax_op(lambda mu, index: mu[index])(mu, index), 1.0, observed=y)
    at = np.array([0.3, 1.0, -2.0])
    expected = np.bincount(group, y - at[group]) - at / 100
    np.testing.assert_allclose(model.compile_dlogp()({"mu": at}), expected, rtol=1e-10)


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_one_likelihood_for_scalar_and_vector_parameters_over_trials(mode):
    # trials of a choice experiment: drift `v` differs by trial or not, `a` is common to all, `p` has no gradient
    def one_trial(response, v, a, p):
        z = response[0] * v - a * jnp.abs(response[1])
        return -jnp.log1p(jnp.exp(-z)) + 0.01 * p

    @as_jax_op
    def loglikelihood(data, v, a, p):
        axes = (0, 0 if jnp.ndim(v) else None, None, None)
        return jnp.sum(jax.vmap(one_trial, axes)(data, v, a, p))

    data = np.stack([np.where(RNG.uniform(size=12) > 0.5, 1.0, -1.0), RNG.uniform(size=12)], 1)
    for v in (pt.dscalar("v"), pt.dvector("v")):
        a, p = pt.dscalar("a"), pt.lscalar("p")
        value = loglikelihood(data, v, a, p)
        f = pytensor.function([v, a, p], [value, *pytensor.grad(value, [v, a])], mode=mode)
        at = np.array(0.4) if v.ndim == 0 else RNG.normal(size=12)
        got = f(at, 0.9, 3)
        z = data[:, 0] * at - 0.9 * data[:, 1]
        slope = 1 / (1 + np.exp(z))
        gv = slope * data[:, 0]
        np.testing.assert_allclose(got[0], np.sum(-np.log1p(np.exp(-z)) + 0.03), rtol=1e-12)
        np.testing.assert_allclose(got[1], gv if v.ndim else gv.sum(), rtol=1e-12)
        np.testing.assert_allclose(got[2], -(slope * data[:, 1]).sum(), rtol=1e-12)
        with pytest.raises(pytensor.gradient.DisconnectedInputError):
            pytensor.grad(value, p)


def test_the_random_variable_of_a_function_is_not_needed_for_its_shape():
    with pm.Model() as model:
        x = pm.Normal("x", shape=3)
        pm.Deterministic("y", as_jax_op(lambda x: jnp.outer(x, x))(x))
    assert model["y"].type.shape == (3, 3)


@pytest.mark.slow
def test_variational_and_sequential_monte_carlo():
    truth = posterior_mode(T, Y)
    with linear_model():
        # PyMC's default step of 1e-3 has not arrived after thousands of steps: where it stands then is chance
        optimizer = pm.adam(learning_rate=0.02)
        approximation = pm.fit(3000, method="advi", obj_optimizer=optimizer, random_seed=1, progressbar=False)
        draws = approximation.sample(500, random_seed=1).posterior
    np.testing.assert_allclose([draws["a"].mean(), draws["b"].mean()], truth, atol=0.3)
    with linear_model(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        smc = pm.sample_smc(100, chains=1, cores=1, random_seed=1, progressbar=False).posterior
    np.testing.assert_allclose([smc["a"].mean(), smc["b"].mean()], truth, atol=0.3)
