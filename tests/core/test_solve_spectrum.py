"""Solves, eigenvalues, condition numbers and traces against NumPy's, on operators of either library."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse

import operax
from operax.utils.estimators import trace_hutchinson, trace_hutchpp, trace_nahutchpp

rng = np.random.default_rng(0)
A = rng.standard_normal((6, 6)) + 3 * np.eye(6)
T = rng.standard_normal((8, 5))
C = A + 1j * rng.standard_normal((6, 6))
LIBRARIES = ("numpy", "jax")


def _in(library, x):
    return jnp.asarray(x) if library == "jax" else np.asarray(x)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("leaves", LIBRARIES)
@pytest.mark.parametrize("densesolver", ["scipy", "numpy"])
@pytest.mark.parametrize("matrix", [A, T, C], ids=["square", "tall", "complex"])
def test_explicit_division(library, leaves, densesolver, matrix):
    y = rng.standard_normal(matrix.shape[0])
    Op = operax.MatrixMult(matrix).to(leaves)
    x = Op.div(_in(library, y), densesolver=densesolver)
    assert isinstance(x, jax.Array if library == "jax" else np.ndarray)
    np.testing.assert_allclose(x, np.linalg.lstsq(matrix, y, rcond=None)[0], rtol=1e-9)
    np.testing.assert_allclose(Op / _in(library, y), x)


def test_several_right_hand_sides_and_precision():
    Y = rng.standard_normal((6, 3)).astype("f")
    X = operax.MatrixMult(A.astype("f")) / Y
    assert X.dtype == np.float32
    np.testing.assert_allclose(X, np.linalg.solve(A, Y), rtol=1e-4)


@pytest.mark.parametrize("library", LIBRARIES)
def test_sparse_division(library):
    Op = operax.MatrixMult(scipy.sparse.csr_matrix(np.where(np.abs(A) > 0.5, A, 0)))
    y = rng.standard_normal(6)
    np.testing.assert_allclose(Op / _in(library, y), np.linalg.solve(Op.todense(), y), rtol=1e-6)


@pytest.mark.parametrize("library", LIBRARIES)
def test_division_by_iteration(library):
    Op = operax.Diagonal(np.arange(1.0, 7.0).reshape(2, 3)) + 0.1 * operax.Flip((2, 3))
    y = rng.standard_normal((2, 3))
    x = Op / _in(library, y)
    assert x.shape == (2, 3)
    np.testing.assert_allclose(np.ravel(x), np.linalg.solve(Op.todense(), y.ravel()), rtol=1e-5)
    assert (Op / _in(library, y.ravel())).shape == (6,)


def test_division_is_differentiable_in_the_matrix():
    y = jnp.asarray(rng.standard_normal(6))
    found = jax.grad(lambda op: jnp.sum((op / y) ** 2))(operax.MatrixMult(A).to("jax")).A
    x = np.linalg.solve(A, y)
    np.testing.assert_allclose(found, -np.outer(np.linalg.solve(A.T, 2 * x), x), rtol=1e-8)


def test_division_says_what_is_wrong():
    Op = operax.MatrixMult(A)
    with pytest.raises(ValueError, match="densesolver='lapack'"):
        Op.div(np.ones(6), densesolver="lapack")
    with pytest.raises(ValueError, match=r"\(6,\), got \(5,\)"):
        Op / np.ones(5)
    with pytest.raises(TypeError, match="list"):
        Op / [1.0] * 6


@pytest.mark.parametrize("leaves", LIBRARIES)
def test_eigenvalues(leaves):
    def largest(values, n=None):
        values = values[np.argsort(-np.abs(values))][:n]
        return -np.sort(-values)

    for matrix in (A, C):
        Op = operax.MatrixMult(matrix).to(leaves)
        np.testing.assert_allclose(Op.eigs(), largest(np.linalg.eigvals(matrix)), rtol=1e-8)
    S = A @ A.T
    Op = operax.MatrixMult(S).to(leaves)
    np.testing.assert_allclose(Op.eigs(symmetric=True), np.linalg.eigvalsh(S)[::-1], rtol=1e-8)
    D = operax.Diagonal(np.array([3.0, 1, -5, 2, 0.5, 4])).to(leaves)
    np.testing.assert_allclose(D.eigs(2), [4, -5], rtol=1e-8)
    np.testing.assert_allclose(D.eigs(3, symmetric=True), [4, 3, -5], rtol=1e-8)
    np.testing.assert_allclose(D.eigs(), [4, 3, 2, 1, 0.5, -5], rtol=1e-8)
    singular = np.linalg.svd(T, compute_uv=False)
    for matrix, values in ((T, singular), (T.T, singular)):
        Op = operax.MatrixMult(matrix).to(leaves)
        np.testing.assert_allclose(Op.eigs(), values, rtol=1e-8)
        np.testing.assert_allclose((Op @ operax.Identity(matrix.shape[1])).eigs(2), values[:2], rtol=1e-7)


def test_eigenvalues_by_lobpcg():
    d = np.arange(1.0, 41.0)
    Op = operax.Diagonal(d)
    np.testing.assert_allclose(Op.eigs(2, symmetric=True, niter=200, uselobpcg=True), [40, 39], rtol=1e-5)
    with pytest.raises(ValueError, match="Hermitian"):
        operax.Diagonal(d + 1j).eigs(2, uselobpcg=True)
    with pytest.raises(ValueError, match="neigs=0"):
        Op.eigs(0)


def test_condition_number(monkeypatch):
    for matrix in (A, C, T, T.T):
        np.testing.assert_allclose(operax.MatrixMult(matrix).cond(), np.linalg.cond(matrix), rtol=1e-8)
    np.testing.assert_allclose(operax.Diagonal(np.array([3.0, -5, 1])).cond(), 5.0)
    assert operax.MatrixMult(np.ones((3, 3))).cond() == np.inf
    d = np.linspace(1.0, 7.0, 30)
    monkeypatch.setattr("operax._core.spectrum.SMALL", 5)
    np.testing.assert_allclose(operax.Diagonal(d).cond(), 7.0, rtol=1e-6)
    np.testing.assert_allclose(operax.Diagonal(d).cond(uselobpcg=True, niter=300), 7.0, rtol=1e-3)


@pytest.mark.parametrize("leaves", LIBRARIES)
def test_exact_trace(leaves):
    np.testing.assert_allclose(operax.MatrixMult(C).to(leaves).trace(), np.trace(C))
    big = operax.Diagonal(np.arange(700.0)).to(leaves)
    np.testing.assert_allclose(big.trace(), np.arange(700.0).sum())
    with pytest.raises(ValueError, match="square"):
        operax.MatrixMult(T).trace()
    with pytest.raises(NotImplementedError, match="magic"):
        big.trace(method="magic")


@pytest.mark.parametrize("backend", LIBRARIES)
@pytest.mark.parametrize("method", ["hutchinson", "hutch++", "na-hutch++"])
def test_estimated_trace(method, backend):
    d = 1.0 / np.arange(1, 61) ** 2
    Op = operax.Diagonal(d) + 1e-3 * operax.FirstDerivative(60)
    found = Op.trace(neval=42, method=method, backend=backend, rng=1)
    np.testing.assert_allclose(found, d.sum(), rtol=0.03)


@pytest.mark.parametrize("sampler", ["gaussian", "rayleigh", "rademacher", "unitvector"])
def test_samplers_are_unbiased(sampler):
    Op = operax.MatrixMult(C)
    found = trace_hutchinson(Op, neval=6 if sampler == "unitvector" else 40000, sampler=sampler, rng=2)
    np.testing.assert_allclose(found, np.trace(C), rtol=1e-9 if sampler == "unitvector" else 0.03)


def test_low_rank_trace_is_exact():
    U = rng.standard_normal((40, 3))
    L = operax.MatrixMult(U @ U.T)
    for sampler in ("gaussian", "rayleigh", "rademacher"):
        np.testing.assert_allclose(trace_hutchpp(L, neval=15, sampler=sampler), np.trace(U @ U.T), rtol=1e-8)
        np.testing.assert_allclose(trace_nahutchpp(L, neval=24, sampler=sampler), np.trace(U @ U.T), rtol=1e-6)
    complex_ = operax.MatrixMult((U @ U.T) * (1 + 2j))
    np.testing.assert_allclose(trace_hutchpp(complex_, neval=15), np.trace(U @ U.T) * (1 + 2j), rtol=1e-8)
    np.testing.assert_allclose(trace_nahutchpp(complex_, neval=24), np.trace(U @ U.T) * (1 + 2j), rtol=1e-6)


def test_estimators_say_what_is_wrong():
    Op = operax.Identity(10)
    with pytest.raises(ValueError, match="neval=2"):
        trace_hutchpp(Op, neval=2)
    with pytest.raises(NotImplementedError, match="'unitvector'"):
        trace_hutchpp(Op, neval=6, sampler="unitvector")
    with pytest.raises(ValueError, match=r"c1=0\.9"):
        trace_nahutchpp(Op, neval=6, c1=0.9)


def test_sparse_form():
    S = scipy.sparse.csr_matrix(np.where(np.abs(A) > 1, A, 0))
    assert (operax.MatrixMult(S).tosparse() != S).nnz == 0
    D = operax.FirstDerivative(6).tosparse()
    assert scipy.sparse.issparse(D)
    np.testing.assert_allclose(D.toarray(), operax.FirstDerivative(6).todense())
    assert D.nnz == 8
