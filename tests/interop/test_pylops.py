"""PyLops' operators here, ours there."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax.testing import check_operator

pytestmark = pytest.mark.bridge
pylops = pytest.importorskip("pylops")

RNG = np.random.default_rng(11)
MATRIX = RNG.standard_normal((5, 6))


class Written(pylops.LinearOperator):
    """As users write them: in NumPy, in place, invisible to JAX."""

    def __init__(self, dims):
        super().__init__(dtype="float64", dims=dims, dimsd=dims)
        self.weights = np.arange(1.0, 1.0 + np.prod(dims))

    def _matvec(self, x):
        y = np.zeros(self.shape[0])
        for i in range(len(x)):
            y[i] += self.weights[i] * x[i]
            if i:
                y[i] -= x[i - 1]
        return y

    def _rmatvec(self, y):
        x = np.zeros(self.shape[1])
        for i in range(len(y)):
            x[i] += self.weights[i] * y[i]
            if i:
                x[i - 1] -= y[i]
        return x


OPERATORS = {
    "written": lambda: Written((3, 2)),
    "matrix": lambda: pylops.MatrixMult(MATRIX),
    "complex": lambda: pylops.MatrixMult(MATRIX + 1j, dtype="complex128"),
    "derivative": lambda: pylops.FirstDerivative((4, 3), axis=0),
    "real FFT": lambda: pylops.signalprocessing.FFT((4, 3), axis=0, real=True),
    "real part": lambda: pylops.Real(3, dtype="complex128"),
    "product": lambda: pylops.FirstDerivative(6).H * pylops.Diagonal(np.arange(6.0)),
}


@pytest.mark.parametrize("kind", OPERATORS)
def test_pylops_operators_become_ours(kind):
    theirs = OPERATORS[kind]()
    op = operax.aslinearoperator(theirs)
    assert (op.dims, op.dimsd) == (tuple(theirs.dims), tuple(theirs.dimsd))
    x = RNG.standard_normal(op.dims)
    np.testing.assert_allclose(op @ x, theirs @ x)
    np.testing.assert_allclose(jax.jit(lambda v: op @ v)(jnp.asarray(x)), theirs @ x)
    check_operator(op)


def test_jit_grad_vmap_through_their_code():
    theirs = Written((3, 2))
    op = operax.aslinearoperator(theirs)
    x = RNG.standard_normal((4, 3, 2))
    gradient = jax.jit(jax.vmap(jax.grad(lambda v: jnp.sum((op @ v) ** 2))))(jnp.asarray(x))
    expected = [2 * (theirs.H @ (theirs @ one)) for one in x]
    np.testing.assert_allclose(gradient, expected)


@pytest.mark.parametrize("library", [np, jnp], ids=["numpy", "jax"])
def test_ours_in_their_composites(library):
    ours = operax.FirstDerivative((4, 3), axis=0)
    theirs = ours.to_pylops()
    assert isinstance(theirs, pylops.LinearOperator)
    assert (theirs.dims, theirs.dimsd) == (ours.dims, ours.dimsd)
    x = library.asarray(RNG.standard_normal((4, 3)))
    np.testing.assert_allclose(theirs @ x, ours @ x)
    np.testing.assert_allclose(theirs.H @ x, ours.H @ x)
    both = 2 * theirs.H @ theirs
    np.testing.assert_allclose(both @ x, 2 * (ours.H @ (ours @ x)), atol=1e-12)


def test_stacked_beside_theirs_and_solved_with_their_solver():
    ours = operax.MatrixMult(MATRIX)
    mixed = pylops.VStack([ours.to_pylops(), 0.1 * pylops.Identity(6)])
    dense = np.vstack([MATRIX, 0.1 * np.eye(6)])
    np.testing.assert_allclose(mixed.todense(), dense)
    y = RNG.standard_normal(11)
    found = pylops.optimization.basic.cgls(mixed, y, x0=np.zeros(6), niter=50, tol=1e-20)[0]
    np.testing.assert_allclose(found, np.linalg.lstsq(dense, y)[0], rtol=1e-7)
    assert pylops.utils.dottest(ours.to_pylops(), 5, 6)


def test_matrices_are_one_call():
    theirs = operax.MatrixMult(MATRIX).to_pylops()
    np.testing.assert_allclose(theirs.matmat(np.eye(6)), MATRIX)
    np.testing.assert_allclose(theirs.rmatmat(np.eye(5)), MATRIX.T)


def test_there_and_back_is_the_same_object():
    theirs = pylops.Identity(3)
    assert operax.aslinearoperator(theirs).to_pylops() is theirs
    ours = operax.Identity(3)
    assert operax.aslinearoperator(ours.to_pylops()) is ours


def test_bare_protocol_without_public_methods():
    class Bare:
        shape, dtype = (5, 6), np.dtype("float64")

        def _matvec(self, x):
            return MATRIX @ x

        def _rmatvec(self, y):
            return MATRIX.T @ y

    op = operax.aslinearoperator(Bare())
    np.testing.assert_allclose(op.todense(), MATRIX)
    np.testing.assert_allclose(op.H.todense(), MATRIX.T)


def test_shapes_that_contradict():
    class Wrong:
        shape, dims, dimsd = (5, 6), (7,), (5,)

        def matvec(self, x):
            return x

    with pytest.raises(ValueError, match=r"Wrong has shape \(5, 6\) but dims=\(7,\)"):
        operax.aslinearoperator(Wrong())


def test_theirs_beside_ours_says_how_to_convert():
    ours, theirs = operax.MatrixMult(np.ones((3, 3))), pylops.Identity(3)
    for mixed in (lambda: ours @ theirs, lambda: ours + theirs, lambda: ours - theirs):
        with pytest.raises(TypeError, match=r"Identity.*operax\.aslinearoperator\(B\)"):
            mixed()
    np.testing.assert_allclose((ours + operax.aslinearoperator(theirs)) @ np.ones(3), 4.0)
