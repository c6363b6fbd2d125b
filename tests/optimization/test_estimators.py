"""Estimates against dense matrices: value within the error given, the same on NumPy and JAX, derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax.optimization import estimators

SIZE = 30


def definite(kind="real", seed=0):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(SIZE, SIZE))
    if kind == "complex":
        B = B + 1j * rng.normal(size=(SIZE, SIZE))
    return B @ B.conj().T / SIZE + np.eye(SIZE)


KINDS = ["real", "complex"]
LIBRARIES = {"numpy": np.asarray, "jax": jnp.asarray}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", KINDS)
def test_values_lie_within_a_few_errors(kind, library):
    A = definite(kind)
    op = operax.MatrixMult(LIBRARIES[library](A))
    found = estimators.trace(op, samples=400)
    assert abs(found.value - np.trace(A)) < 4 * found.error and found.error < 0.05 * abs(np.trace(A))
    found = estimators.logdet(op, samples=400)
    assert abs(found.value - np.linalg.slogdet(A)[1]) < 4 * found.error
    assert found.error < 0.1 * np.linalg.slogdet(A)[1]
    found = estimators.diagonal(op, samples=400)
    away = np.abs(found.value - np.diag(A)) / found.error
    assert away.max() < 5 and np.mean(away < 2) > 0.8


def test_the_error_falls_with_the_samples_and_seeds_repeat():
    op = operax.MatrixMult(definite())
    few, many = (estimators.trace(op, samples=n, seed=1).error for n in (100, 1600))
    assert 0.2 < many / few < 0.32  # 1 / 4
    assert estimators.trace(op, seed=3).value == estimators.trace(op, seed=3).value
    assert estimators.trace(op, seed=3).value != estimators.trace(op, seed=4).value


def test_diagonal_operators_are_exact():
    d = np.array([[1.0, 2.0, 0.5], [4.0, 3.0, 8.0]])
    op = operax.Diagonal(d)
    assert np.isclose(estimators.trace(op, 8).value, d.sum()) and estimators.trace(op, 8).error == 0
    np.testing.assert_allclose(estimators.diagonal(op, 8).value, d)
    np.testing.assert_allclose(estimators.logdet(op, 8).value, np.log(d).sum())


@pytest.mark.parametrize("method", ["lanczos", "lobpcg"])
@pytest.mark.parametrize("shape", [(40, 30), (30, 40)])
@pytest.mark.parametrize("kind", KINDS)
def test_singular_values(kind, shape, method):
    rng = np.random.default_rng(0)
    A = rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind == "complex" else 0)
    truth = np.linalg.svd(A, compute_uv=False)[:3]
    found = estimators.singular_values(operax.MatrixMult(A), 3, method=method)
    assert np.all(np.abs(found.value - truth) <= found.error + 1e-13 * truth[0])
    np.testing.assert_allclose(found.value, truth, rtol=1e-6)


def test_few_steps_give_honest_bounds():
    A = np.random.default_rng(0).normal(size=(60, 60))
    truth = np.linalg.svd(A, compute_uv=False)
    found = estimators.singular_values(operax.MatrixMult(A), 2, steps=8)
    nearest = np.min(np.abs(np.asarray(found.value)[:, None] - truth), axis=1)
    assert np.all(nearest <= found.error) and found.error.max() > 1e-3


def test_derivatives_against_the_inverse_and_the_identity():
    A = jnp.asarray(definite())
    slope = jax.grad(lambda A: estimators.logdet(operax.MatrixMult(A), samples=4000).value)(A)
    np.testing.assert_allclose(slope, np.linalg.inv(A), atol=0.06)
    # off the diagonal the mean of 4000 signs is left
    small = jnp.array([[3.0, 1.0], [1.0, 2.0]])
    slope = jax.grad(lambda A: estimators.trace(operax.MatrixMult(A), samples=4000).value)(small)
    np.testing.assert_allclose(slope, np.eye(2), atol=0.05)
    d = jnp.array([1.0, 2.0, 4.0])
    slope = jax.grad(lambda d: estimators.logdet(operax.Diagonal(d), samples=4).value)(d)
    np.testing.assert_allclose(slope, 1 / d)


def test_inside_jit_and_vmap():
    A = jnp.asarray(definite())
    value = jax.jit(lambda A: estimators.logdet(operax.MatrixMult(A), steps=10).value)(A)
    np.testing.assert_allclose(value, estimators.logdet(operax.MatrixMult(np.asarray(A)), steps=10).value)
    keys = jax.random.split(jax.random.key(0), 4)
    many = jax.vmap(lambda key: estimators.trace(operax.MatrixMult(A), 400, key).value)(keys)
    np.testing.assert_allclose(many, np.trace(A), rtol=0.05)
    assert len(set(np.asarray(many).tolist())) == 4
    stacked = jnp.stack([A, 2 * A])
    traces = jax.vmap(lambda A: estimators.trace(operax.MatrixMult(A), 10).value)(stacked)
    np.testing.assert_allclose(traces[1], 2 * traces[0])


def test_the_program_does_not_grow_with_the_steps():
    def length(function, steps):
        text = jax.jit(lambda A: function(operax.MatrixMult(A), steps).value).lower(jnp.asarray(definite())).as_text()
        return text.count("\n")

    for function in (
        lambda op, steps: estimators.logdet(op, 4, steps=steps),
        lambda op, steps: estimators.singular_values(op, 2, steps=steps),
    ):
        assert length(function, 20) < 1.1 * length(function, 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimators.trace(operax.MatrixMult(np.ones((2, 3)))), r"square operator is needed.*\(2, 3\)"),
        (lambda: estimators.trace(operax.Identity(3), samples=1), "samples=1 must be at least 2"),
        (lambda: estimators.logdet(operax.Identity(3), steps=0), "steps=0 must be at least 1"),
        (lambda: estimators.logdet(operax.Diagonal(np.array([1.0, -2.0]))), "not positive definite"),
        (lambda: estimators.singular_values(operax.Identity(3), 4), "count=4 must be at least 1 and at most 3"),
        (lambda: estimators.singular_values(operax.Identity(9), 2, steps=1), "at least count=2"),
        (lambda: estimators.singular_values(operax.Identity(9), 2, method="svd"), "method='svd' is unknown"),
        (lambda: estimators.singular_values(operax.Identity(9), 2, method="lobpcg"), "too large for LOBPCG"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
