"""Solves in single precision corrected in double: digits that single precision does not have."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax.optimization.refinement import refined


def system(kind="real"):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(40, 40)) + (1j * rng.normal(size=(40, 40)) if kind == "complex" else 0))[0]
    A = (Q * np.geomspace(1, 1e3, 40)) @ Q.conj().T
    A = ((A + A.conj().T) / 2).astype("complex64" if kind == "complex" else "float32")  # exact in single precision
    truth = rng.normal(size=40)
    return A, truth, A.astype("complex128" if kind == "complex" else "float64") @ truth


@pytest.mark.parametrize("solver", [operax.cg, operax.cgls])
@pytest.mark.parametrize("library", [np.asarray, jnp.asarray])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_reaches_double_precision(kind, library, solver):
    A, truth, y = system(kind)
    op, y = operax.MatrixMult(library(A)), library(y)
    plain = np.abs(solver(op, y.astype(A.dtype), niter=400, tol=1e-7)[0] - truth).max()
    x, rounds, cost = refined(solver, op, y, rounds=8, goal=1e-13, niter=400)
    assert np.abs(np.asarray(x) - truth).max() < 1e-9 < 1e-6 < plain
    assert rounds <= 8 and len(cost) == rounds + 1 and np.all(np.diff(cost) < 0)
    assert np.asarray(x).dtype == np.asarray(y).dtype


def test_iterations_run_in_single_precision():
    A, _, y = system()
    seen = []

    def solver(op, data, **options):
        seen.append((op.A.dtype, data.dtype))
        return operax.cg(op, data, **options)

    refined(solver, operax.MatrixMult(A.astype("float64")), y, rounds=2, niter=3)
    assert seen == [(np.float32, np.float32)] * 2


def test_gradient_inside_jit():
    A, _, y = system()
    energy = lambda y: jnp.sum(refined(operax.cg, operax.MatrixMult(jnp.asarray(A)), y, rounds=6, niter=400)[0] ** 2)
    inverse = np.linalg.inv(A.astype("float64"))
    np.testing.assert_allclose(jax.jit(jax.grad(energy))(jnp.asarray(y)), 2 * inverse.T @ (inverse @ y), rtol=1e-5)


def test_stops_and_says_why():
    A, _, y = system()
    result = refined(operax.cg, operax.MatrixMult(A), y, rounds=20, goal=1e-10, niter=400)
    assert result.converged and result.iterations < 20
    assert not refined(operax.cg, operax.MatrixMult(A), y, rounds=1, niter=2).converged


def test_errors():
    A, _, y = system()
    with pytest.raises(ValueError, match="rounds=0 must be at least 1"):
        refined(operax.cg, operax.MatrixMult(A), y, rounds=0)
    with pytest.raises(ValueError, match="without an explicit dtype"):
        refined(operax.cg, operax.MatrixMult(A, dtype="float64"), y)
    with pytest.raises(TypeError, match="data must be an array, got list"):
        refined(operax.cg, operax.MatrixMult(A), list(y))
    with jax.enable_x64(False), pytest.raises(ValueError, match="64-bit mode"):
        refined(operax.cg, operax.MatrixMult(A), jnp.asarray(y.astype("float32")))
