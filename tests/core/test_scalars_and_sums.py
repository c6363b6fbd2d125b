"""Numbers and arrays beside operators: scaled, summed, or refused with the cure."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse

import operax

A = np.array([[1.0, 2.0], [3.0, 4.0]])


def test_division_by_a_number_scales_and_by_an_array_solves():
    op = operax.MatrixMult(A)
    np.testing.assert_allclose((op / 2).todense(), A / 2)
    np.testing.assert_allclose((op / np.float64(4)).todense(), A / 4)
    np.testing.assert_allclose((op / jnp.asarray(2.0)) @ np.ones(2), A @ np.ones(2) / 2)
    np.testing.assert_allclose(op / np.array([1.0, 1.0]), np.linalg.solve(A, [1.0, 1.0]))
    slope = jax.grad(lambda s: jnp.sum((op.to("jax") / s) @ jnp.ones(2)))(2.0)
    np.testing.assert_allclose(slope, -A.sum() / 4)


def test_python_sum_of_operators():
    op = operax.MatrixMult(A)
    np.testing.assert_allclose(sum([op, op.T, op]).todense(), 2 * A + A.T)


@pytest.mark.parametrize(
    ("other", "cure"),
    [
        (A, r"MatrixMult\(A\)"),
        (jnp.asarray(A), r"MatrixMult\(A\)"),
        (scipy.sparse.eye(2), r"MatrixMult\(A\)"),
        (2.0, r"2\.0 \* operax\.Identity\(Op\.dims\)"),
    ],
    ids=["numpy", "jax", "sparse", "number"],
)
@pytest.mark.parametrize(
    "call",
    [lambda op, v: op + v, lambda op, v: v + op, lambda op, v: op - v, lambda op, v: v - op],
    ids=["op+v", "v+op", "op-v", "v-op"],
)
def test_arrays_and_numbers_are_not_added(call, other, cure):
    with pytest.raises(TypeError, match=cure):
        call(operax.MatrixMult(A), other)


def test_methods_that_only_numpy_runs_name_operator_and_cure():
    class Host(operax.LinearOperator):
        def __init__(self):
            super().__init__(dtype="float64", shape=(3, 3))

        def _matvec(self, x):
            return np.cumsum(np.asarray(x))

        def _rmatvec(self, y):
            return np.cumsum(np.asarray(y)[::-1])[::-1]

    op = Host()
    np.testing.assert_allclose(op @ np.ones(3), [1, 2, 3])
    for call in (lambda x: op @ x, lambda x: jax.jit(lambda x: op @ x)(x), lambda x: (2 * op.H) @ x):
        with pytest.raises(TypeError, match=r"Host \(3,\) -> \(3,\) calls a function of NumPy.*aslinearoperator"):
            call(jnp.ones(3))
    # the cure that the text names
    cured = operax.aslinearoperator((op._matvec, op._rmatvec), dims=3, dimsd=3)
    np.testing.assert_allclose(jax.jit(lambda x: cured @ x)(jnp.ones(3)), [1, 2, 3])
    np.testing.assert_allclose(jax.grad(lambda x: jnp.sum(cured @ x))(jnp.ones(3)), [3, 2, 1])


@pytest.mark.parametrize("call", [np.asarray, lambda op: np.dot(op, np.ones(2)), lambda op: np.linalg.norm(op)])
def test_an_operator_is_not_an_array(call):
    with pytest.raises(TypeError, match=r"not an array; its matrix is Op\.todense\(\)"):
        call(operax.MatrixMult(A))
