"""Sampling with every sampler of `pm.sample`, against the conjugate closed form."""

import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from operax.pytensor import as_jax_op

pm = pytest.importorskip("pymc")

pytestmark = [pytest.mark.bridge, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

# A Gaussian model: y = G c + noise, with G c in JAX; its posterior is Gaussian, with a known mean and covariance.
RNG = np.random.default_rng(5)
G = RNG.normal(size=(30, 2))
NOISE = 0.5
Y = G @ np.array([1.0, -2.0]) + NOISE * RNG.normal(size=30)
PRECISION = G.T @ G / NOISE**2 + np.eye(2)
MEAN = np.linalg.solve(PRECISION, G.T @ Y / NOISE**2)
SD = np.sqrt(np.diag(np.linalg.inv(PRECISION)))


@as_jax_op
def predict(c):
    return jnp.asarray(G) @ c


def gaussian_model():
    with pm.Model() as model:
        c = pm.Normal("c", 0, 1, shape=2)
        pm.Normal("obs", predict(c), NOISE, observed=Y)
    return model


def check(trace):
    draws = trace.posterior["c"].values
    assert draws.shape[-1] == 2
    flat = draws.reshape(-1, 2)
    # NUTS on a Gaussian gives about one independent draw each: eight standard errors, and a third of the spread
    np.testing.assert_allclose(flat.mean(0), MEAN, atol=(8 * SD / np.sqrt(len(flat))).max())
    np.testing.assert_allclose(flat.std(0), SD, rtol=0.35)


OPTIONS = dict(draws=300, tune=300, chains=2, random_seed=11, progressbar=False, compute_convergence_checks=False)


def test_nuts_of_pymc_in_one_process():
    with gaussian_model():
        check(pm.sample(cores=1, **OPTIONS))


@pytest.mark.parametrize("sampler", ["nutpie", "numpyro", "blackjax"])
def test_other_samplers(sampler):
    pytest.importorskip(sampler)
    with gaussian_model():
        try:
            trace = pm.sample(nuts_sampler=sampler, **OPTIONS)
        except TypeError as error:
            if sampler != "blackjax" or "progress_bar" not in str(error):
                raise
            pytest.skip("PyMC's call does not fit this BlackJAX (1.3 does); a test below runs BlackJAX itself")
        check(trace)


def test_one_process_goes_from_the_default_mode_to_numpyro_and_back():
    pytest.importorskip("numpyro")
    with gaussian_model() as model:
        before = pm.find_MAP(progressbar=False)["c"]
        check(pm.sample(nuts_sampler="numpyro", **OPTIONS))  # turns JAX's 64-bit switch on
        after = pm.find_MAP(progressbar=False)["c"]
        dlogp = model.compile_dlogp()({"c": MEAN})
    np.testing.assert_allclose(before, MEAN, rtol=1e-4)
    np.testing.assert_array_equal(before, after)
    np.testing.assert_allclose(dlogp, 0.0, atol=1e-10)


def test_blackjax_on_the_density_of_the_model():
    blackjax = pytest.importorskip("blackjax")
    from pymc.sampling.jax import get_jaxified_logp

    with jax.enable_x64(True):
        logp = get_jaxified_logp(gaussian_model())
        density = lambda c: logp([c])
        keys = jax.random.split(jax.random.key(3))
        adaptation = blackjax.window_adaptation(blackjax.nuts, density)
        (state, parameters), _ = adaptation.run(keys[0], jnp.zeros(2), num_steps=300)
        step = blackjax.nuts(density, **parameters).step

        def one(state, key):
            state, _ = step(key, state)
            return state, state.position

        _, draws = jax.jit(lambda s, k: jax.lax.scan(one, s, k))(state, jax.random.split(keys[1], 600))
    flat = np.asarray(draws)
    np.testing.assert_allclose(flat.mean(0), MEAN, atol=(8 * SD / np.sqrt(len(flat))).max())
    np.testing.assert_allclose(flat.std(0), SD, rtol=0.35)


@pytest.mark.parametrize("backend, gradient", [("numba", "pytensor"), ("jax", "pytensor"), ("jax", "jax")])
def test_nutpie_backends(backend, gradient):
    nutpie = pytest.importorskip("nutpie")
    compiled = nutpie.compile_pymc_model(gaussian_model(), backend=backend, gradient_backend=gradient)
    check(nutpie.sample(compiled, draws=300, tune=300, chains=2, seed=11, progress_bar=False))


SCRIPT = """
import sys, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {here!r})
import numpy as np
import jax, jax.numpy as jnp

if __name__ == "__main__":
    import pymc as pm
    from operax.pytensor import as_jax_op

    rng = np.random.default_rng(5)
    n = {size}
    G, noise = rng.normal(size=(n, 2)), 0.5
    y = G @ np.array([1.0, -2.0]) + noise * rng.normal(size=n)

    @jax.custom_vjp
    def predict(c):
        return jnp.asarray(G) @ c

    predict.defvjp(lambda c: (jnp.asarray(G) @ c, None), lambda _, g: (jnp.asarray(G).T @ g,))

    def mean(c):
        big = jnp.eye({square}) @ jnp.ones(({square}, {square}))  # makes XLA use its pool of threads, before the fork
        return predict(c) + 0 * big[0, 0]

    with pm.Model() as model:
        c = pm.Normal("c", 0, 1, shape=2)
        pm.Normal("obs", as_jax_op(mean)(c), noise, observed=y)
    model.compile_dlogp()(model.initial_point())
    started = time.monotonic()
    try:
        with model:
            trace = pm.sample(200, tune=200, chains=2, cores=2, mp_ctx={context!r}, random_seed=3, progressbar=False,
                              compute_convergence_checks=False)
    except Exception as error:
        chain = []
        while error is not None:
            chain.append(str(error))
            error = error.__cause__ or error.__context__
        assert any("forkserver" in text for text in chain), chain
        print("raised", time.monotonic() - started)
    else:
        precision = G.T @ G / noise**2 + np.eye(2)
        truth = np.linalg.solve(precision, G.T @ y / noise**2)
        draws = trace.posterior["c"].values.reshape(-1, 2)
        assert np.allclose(draws.mean(0), truth, atol=0.2), (draws.mean(0), truth)
        print("sampled", time.monotonic() - started)
"""


def run_script(context, square, tmp_path):
    script = tmp_path / "model.py"
    script.write_text(textwrap.dedent(SCRIPT.format(here=str(tmp_path), context=context, square=square, size=30)))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
    outcome, seconds = done.stdout.split()[-2:]
    return outcome, float(seconds)


@pytest.mark.skipif(sys.platform != "linux", reason="forks by default on Linux only")
@pytest.mark.parametrize("square", [2, 300])
def test_two_forked_processes_sample_or_raise(square, tmp_path):
    outcome, seconds = run_script("fork", square, tmp_path)
    if square == 2:
        assert outcome == "sampled"  # small computations run in the calling thread
    elif outcome == "raised":
        assert seconds < 60  # within 30 s on a machine that is not busy


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_two_new_processes_sample_a_function_with_its_own_derivative(context, tmp_path):
    outcome, _ = run_script(context, 300, tmp_path)
    assert outcome == "sampled"
