"""To SciPy's LinearOperator and back."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg as sl

import operax
from operax.testing import check_operator

RNG = np.random.default_rng(7)
MATRIX = RNG.standard_normal((7, 5)) + 1j * RNG.standard_normal((7, 5))


class Written(sl.LinearOperator):
    """As users write them."""

    def __init__(self, matrix):
        super().__init__(matrix.dtype, matrix.shape)
        self.matrix = matrix

    def _matvec(self, x):
        return self.matrix @ x

    def _rmatvec(self, y):
        return self.matrix.conj().T @ y


@pytest.mark.parametrize("make", [Written, sl.aslinearoperator], ids=["written", "wrapped"])
@pytest.mark.parametrize("matrix", [MATRIX, MATRIX.real.copy()], ids=["complex", "real"])
def test_scipy_operators_become_ours(make, matrix):
    op = operax.aslinearoperator(make(matrix))
    np.testing.assert_allclose(op.todense(), matrix)
    check_operator(op)


def test_scipys_own_arithmetic_becomes_ours():
    theirs = 2 * sl.aslinearoperator(MATRIX).H @ Written(MATRIX)
    np.testing.assert_allclose(operax.aslinearoperator(theirs).todense(), 2 * MATRIX.conj().T @ MATRIX)


def test_sparse_matrices_are_native():
    matrix = scipy.sparse.random_array((6, 5), density=0.4, rng=1, format="csr")
    op = operax.aslinearoperator(matrix)
    assert isinstance(op, operax.MatrixMult)
    gradient = jax.jit(jax.grad(lambda v: jnp.sum((op @ v) ** 2)))(jnp.ones(5))
    np.testing.assert_allclose(gradient, 2 * (matrix.T @ (matrix @ np.ones(5))))


def test_jit_grad_vmap_through_scipys_code():
    op = operax.aslinearoperator(Written(MATRIX.real.copy()))
    x = RNG.standard_normal((3, 5))
    gradient = jax.jit(jax.vmap(jax.grad(lambda v: jnp.sum((op @ v) ** 2))))(jnp.asarray(x))
    np.testing.assert_allclose(gradient, 2 * x @ MATRIX.real.T @ MATRIX.real)


def test_matrices_and_vectors_in_scipys_protocol():
    theirs = operax.MatrixMult(MATRIX).to_scipy()
    assert isinstance(theirs, sl.LinearOperator)
    assert theirs.shape == (7, 5)
    assert theirs.dtype == np.complex128
    X, Y = RNG.standard_normal((5, 3)), RNG.standard_normal((7, 2))
    np.testing.assert_allclose(theirs @ X, MATRIX @ X)
    np.testing.assert_allclose(theirs @ X[:, 0], MATRIX @ X[:, 0])
    np.testing.assert_allclose(theirs.H @ Y, MATRIX.conj().T @ Y)
    np.testing.assert_allclose(theirs.rmatvec(Y[:, 0]), MATRIX.conj().T @ Y[:, 0])
    np.testing.assert_allclose(theirs.T @ Y, MATRIX.T @ Y)
    np.testing.assert_allclose(theirs.T.H @ X, MATRIX.conj() @ X)


def test_operators_with_jax_arrays_give_numpy():
    theirs = operax.MatrixMult(jnp.asarray(MATRIX)).to_scipy()
    assert type(theirs @ np.ones(5)) is np.ndarray


def test_solvers():
    normal = MATRIX.conj().T @ MATRIX
    op, y = operax.MatrixMult(MATRIX), RNG.standard_normal(7)
    x = np.linalg.lstsq(MATRIX, y)[0]
    square, b = (op.H @ op).to_scipy(), MATRIX.conj().T @ y
    np.testing.assert_allclose(square @ x, normal @ x)
    for solver in (sl.cg, sl.gmres):
        found, info = solver(square, b, rtol=1e-12, maxiter=1000)
        assert info == 0
        np.testing.assert_allclose(found, x, rtol=1e-8)
    np.testing.assert_allclose(sl.lsqr(op.to_scipy(), y, atol=1e-14, btol=1e-14)[0], x, rtol=1e-8)


def test_decompositions_of_n_dimensional_operators():
    op = operax.Laplacian((6, 5), axes=(0, 1), weights=(1, 1), sampling=(1, 1))
    values = np.linalg.svd(op.todense(), compute_uv=False)
    np.testing.assert_allclose(np.sort(sl.svds(op.to_scipy(), k=3)[1]), np.sort(values[:3]), rtol=1e-8)
    square = op.H @ op
    found = sl.eigsh(square.to_scipy(), k=2, return_eigenvectors=False)
    np.testing.assert_allclose(np.sort(found), np.sort(values[:2] ** 2), rtol=1e-8)
    found = sl.lobpcg(square.to_scipy(), RNG.standard_normal((30, 2)), tol=1e-9, maxiter=300)[0]
    np.testing.assert_allclose(np.sort(found), np.sort(values[:2] ** 2), rtol=1e-6)


def test_there_and_back_is_the_same_object():
    theirs = sl.aslinearoperator(MATRIX)
    assert operax.aslinearoperator(theirs).to_scipy() is theirs
    ours = operax.FirstDerivative((3, 2))
    assert operax.aslinearoperator(ours.to_scipy()) is ours


def test_dtype_can_be_said():
    assert operax.FirstDerivative(4).to_scipy(dtype="float32").dtype == np.float32
