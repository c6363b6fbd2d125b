"""Operators that users wrote for flat vectors, with `@reshaped`, run unchanged on NumPy and JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax.testing import check_operator
from operax.utils.decorators import add_ndarray_support_to_solver, count, disable_ndarray_multiplication, reshaped


class Spreader(operax.LinearOperator):
    """Sum along an axis, weighted: written as for in-place libraries."""

    def __init__(self, dims, weights, axis=0, dtype="float64"):
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims)
        self.weights = weights
        self.axis = axis

    @reshaped(swapaxis=True)
    def _matvec(self, x):
        return x * self.weights

    @reshaped(swapaxis=True)
    def _rmatvec(self, y):
        return y * self.weights.conj()


class Plain(operax.LinearOperator):
    def __init__(self, dims):
        super().__init__(dtype="float64", dims=dims, dimsd=dims[:1])

    @reshaped
    def _matvec(self, x):
        return x.sum(axis=1)

    @reshaped(forward=False)
    def _rmatvec(self, y):
        return y[:, None].repeat(self.dims[1], axis=1)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_swapped_axis(dtype):
    rng = np.random.default_rng(0)
    weights = rng.standard_normal(4).astype(dtype) * (1 + (0.5j if dtype == "complex128" else 0))
    Op = Spreader((4, 3), weights, dtype=dtype)
    check_operator(Op, np.kron(np.diag(weights), np.eye(3)), skip=["strict"])


def test_plain():
    check_operator(Plain((3, 4)), np.kron(np.eye(3), np.ones((1, 4))), skip=["strict"])


def test_gradient_in_the_attributes_of_a_users_operator():
    Op = Spreader((4, 3), jnp.arange(1.0, 5.0))
    found = jax.jit(jax.grad(lambda op: jnp.sum(op @ jnp.ones((4, 3)))))(Op).weights
    np.testing.assert_allclose(found, 3.0)


def test_count():
    class Twice(operax.LinearOperator):
        @count(forward=False, matmat=True)
        def raw(self, x):
            return 2 * x

    Op = Twice(dims=2, dimsd=2)
    Op.raw(np.ones((2, 2)))
    assert (Op.matvec_count, Op.rmatvec_count, Op.matmat_count, Op.rmatmat_count) == (0, 0, 0, 1)


def test_disabled_arrays():
    @disable_ndarray_multiplication
    def forward(op, x):
        return op @ x

    Op = operax.Identity((2, 3))
    with pytest.raises(ValueError, match="disabled"):
        forward(Op, np.ones((2, 3)))
    assert (Op @ np.ones((2, 3))).shape == (2, 3)


def test_solver_of_flat_vectors():
    @add_ndarray_support_to_solver
    def solve(A, b, x0=None):
        assert b.ndim == 1
        assert x0 is None or x0.ndim == 1
        return A.H @ b, 7

    Op = operax.Flip((2, 3))
    x, extra = solve(Op, np.arange(6.0).reshape(2, 3), x0=np.zeros((2, 3)))
    np.testing.assert_allclose(x, np.arange(6.0).reshape(2, 3)[:, ::-1])
    assert extra == 7
    assert solve(Op, np.arange(6.0))[0].shape == (6,)
