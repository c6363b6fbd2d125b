"""JaxOperator, and the steps of the usual tutorial on it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax.testing import check_operator

RNG = np.random.default_rng(5)
MATRIX = (RNG.standard_normal((6, 4)) + 1j * RNG.standard_normal((6, 4))).astype("complex64")


def test_everything_that_is_promised_of_operators():
    # "jax" also checks that NumPy inputs give NumPy arrays, which is what this operator is there to change
    check_operator(operax.JaxOperator(operax.MatrixMult(MATRIX.astype("complex128"))), skip=["jax"])


def test_arrays_are_moved_once():
    op = operax.JaxOperator(operax.MatrixMult(MATRIX) @ operax.Diagonal(np.ones(4, "f4")))
    leaves = jax.tree.leaves(op)
    assert leaves
    assert all(isinstance(leaf, jax.Array) for leaf in leaves)
    assert operax.JaxOperator(op).Op is not op  # not wrapped twice
    assert not isinstance(operax.JaxOperator(op).Op, operax.JaxOperator)


def test_device_can_be_chosen():
    device = jax.devices()[-1]
    op = operax.JaxOperator(operax.MatrixMult(MATRIX), device=device)
    assert jax.tree.leaves(op)[0].devices() == {device}


@pytest.mark.parametrize("apply", ["__call__", "__matmul__", "__mul__", "matvec", "dot"])
@pytest.mark.parametrize("library", [np, jnp], ids=["numpy", "jax"])
def test_results_are_jax_arrays(apply, library):
    op = operax.JaxOperator(operax.MatrixMult(MATRIX))
    x = RNG.standard_normal(4).astype("f4")
    y = getattr(op, apply)(library.asarray(x))
    assert isinstance(y, jax.Array)
    assert y.dtype == np.complex64
    np.testing.assert_allclose(y, MATRIX @ x, rtol=1e-5)


def test_adjoint_transpose_and_columns():
    op = operax.JaxOperator(operax.MatrixMult(MATRIX))
    y = RNG.standard_normal(6).astype("f4")
    for got in (op.H @ y, op.rmatvec(y)):
        assert isinstance(got, jax.Array)
        np.testing.assert_allclose(got, MATRIX.conj().T @ y, rtol=1e-4)
    np.testing.assert_allclose(op.T @ y, MATRIX.T @ y, rtol=1e-4)
    np.testing.assert_allclose(op.conj() @ np.ones(4), MATRIX.conj().sum(1), rtol=1e-4)
    np.testing.assert_allclose(op.matmat(np.eye(4)), MATRIX, rtol=1e-5)
    np.testing.assert_allclose(op.rmatmat(np.eye(6)), MATRIX.conj().T, rtol=1e-5)


@pytest.mark.parametrize(
    "op",
    [
        operax.MatrixMult(MATRIX),
        operax.MatrixMult(MATRIX.T),
        operax.MatrixMult(MATRIX.real),
        operax.FirstDerivative((3, 4), axis=0),
        operax.Restriction(5, [0, 3]),
    ],
    ids=["tall complex", "wide complex", "real", "2-d", "restriction"],
)
def test_rmatvecad_is_the_adjoint(op):
    jop = operax.JaxOperator(op)
    x = jnp.asarray(RNG.standard_normal(op.dims) + 1j * RNG.standard_normal(op.dims))
    y = jnp.asarray(RNG.standard_normal(op.dimsd) + 1j * RNG.standard_normal(op.dimsd))
    expected = np.asarray(op.todense()).conj().T @ np.asarray(y).ravel()
    np.testing.assert_allclose(jop.rmatvecad(x, y), expected.reshape(op.dims), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(jop.rmatvecad(x.ravel(), y.ravel()), expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(jop.rmatvecad(x.real.ravel(), y.ravel()), expected.real, rtol=1e-5, atol=1e-5)


def test_rmatvecad_compiles_once():
    traced = []

    class Seen(operax.LinearOperator):
        def _forward(self, x):
            traced.append("forward")
            return 2 * x

        def _adjoint(self, y):
            traced.append("adjoint")
            return 2 * y

    op = operax.JaxOperator(Seen(dims=5, dimsd=5))
    op.rmatvecad(jnp.ones(5), jnp.ones(5))
    first = len(traced)
    assert first
    for _ in range(3):
        np.testing.assert_allclose(op.rmatvecad(jnp.zeros(5), jnp.arange(5.0)), 2 * np.arange(5.0))
    assert len(traced) == first


def test_rmatvecad_takes_numpy_and_says_what_is_wrong():
    op = operax.JaxOperator(operax.MatrixMult(MATRIX))
    assert op.rmatvecad(np.ones(4), np.ones(6)).shape == (4,)
    with pytest.raises(ValueError, match=r"takes x of shape \(4,\).*got \(6,\)"):
        op.rmatvecad(jnp.ones(6), jnp.ones(6))
    with pytest.raises(ValueError, match=r"takes y of shape \(6,\).*got \(4,\)"):
        op.rmatvecad(jnp.ones(4), jnp.ones(4))


def test_the_steps_of_the_tutorial():
    n = 4
    G = RNG.normal(0, 1, (n, n)).astype("float32")
    op = operax.JaxOperator(operax.MatrixMult(jnp.array(G), dtype="float32"))
    assert operax.utils.dottest(op, n, n, backend="jax", rtol=1e-3)
    x = jnp.ones(n, dtype="float32")
    y = op @ x
    np.testing.assert_allclose(op.H @ y, G.T @ (G @ np.ones(n)), rtol=1e-4)

    def loss(x):
        return jnp.sum(op(x) ** 2)

    np.testing.assert_allclose(jax.grad(loss)(x), 2 * G.T @ (G @ np.ones(n)), rtol=1e-4)
    values, pull = jax.vjp(lambda x: op._matvec(x), x)
    np.testing.assert_allclose(pull(values)[0], op.rmatvecad(x, values), rtol=1e-5)
    np.testing.assert_allclose(op.rmatvecad(x, y), op.H @ y, rtol=1e-5)

    batch = jnp.asarray(RNG.standard_normal((3, n)), "float32")
    np.testing.assert_allclose(jax.vmap(op._matvec)(batch), batch @ G.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(jax.vmap(op._rmatvec)(batch), batch @ G, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(jax.jit(jax.vmap(lambda x: op @ x))(batch), batch @ G.T, rtol=1e-4, atol=1e-5)


def test_solvers_take_it():
    basic = pytest.importorskip("operax.optimization.basic")
    G = np.eye(4, dtype="f4") * 3 + RNG.normal(0, 0.3, (4, 4)).astype("f4")
    op = operax.JaxOperator(operax.MatrixMult(G))
    y = op @ jnp.ones(4, "f4")
    found = basic.cgls(op, y, x0=jnp.zeros(4, "f4"), niter=50, tol=1e-10)[0]
    assert isinstance(found, jax.Array)
    np.testing.assert_allclose(found, 1.0, rtol=1e-3)


def test_gradient_with_respect_to_the_operator():
    op = operax.JaxOperator(operax.MatrixMult(MATRIX.real.copy()))
    gradient = jax.grad(lambda op: jnp.sum((op @ jnp.ones(4, "f4")) ** 2))(op)
    np.testing.assert_allclose(gradient.Op.A, 2 * np.outer(MATRIX.real.sum(1), np.ones(4)), rtol=1e-4)


def test_operators_of_other_libraries_are_taken():
    op = operax.JaxOperator(MATRIX)
    np.testing.assert_allclose(op @ np.ones(4, "f4"), MATRIX.sum(1), rtol=1e-5)
