"""Weights taken out of an operator and put back."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax


def _operator():
    blocks = [operax.Restriction(4, [0, 2]), operax.Restriction(4, [1, 1]) * 3.0]
    return operax.VStack(blocks) @ operax.Diagonal(np.arange(1.0, 5.0))


def test_only_weights_are_taken_and_all_come_back():
    op = _operator()
    weights, rest = operax.partition(op)
    assert [np.asarray(w).tolist() for w in weights.values()] == [[1.0, 2.0, 3.0, 4.0]]
    assert operax.combine(weights, rest) == op
    np.testing.assert_array_equal(operax.combine(weights, rest).todense(), op.todense())


def test_gradient_in_the_weights_under_jit():
    weights, rest = operax.partition(_operator().to("jax"))
    x = jnp.arange(1.0, 5.0)

    @jax.jit
    def energy(weights, x):
        return jnp.sum((operax.combine(weights, rest) @ x) ** 2)

    (name,) = weights
    got = jax.grad(energy)(weights, x)[name]
    # rows: d0 x0, d2 x2, and twice 3 d1 x1
    d = np.arange(1.0, 5.0)
    truth = 2 * d * np.arange(1.0, 5.0) ** 2 * np.array([1, 2 * 9, 1, 0])
    np.testing.assert_allclose(got, truth)


def test_rest_passes_through_jit_as_an_argument():
    weights, rest = operax.partition(_operator().to("jax"))
    apply = jax.jit(lambda weights, rest, x: operax.combine(weights, rest) @ x)
    np.testing.assert_allclose(apply(weights, rest, jnp.ones(4)), [1, 3, 6, 6])


def test_errors_name_the_cure():
    weights, rest = operax.partition(_operator())
    (name,) = weights
    with pytest.raises(ValueError, match=r"missing .*keys unchanged"):
        operax.combine({}, rest)
    with pytest.raises(ValueError, match=r"without a place .*other"):
        operax.combine({**weights, "other": weights[name]}, rest)
    with pytest.raises(TypeError, match="partition takes an operator, got ndarray"):
        operax.partition(np.ones(3))


def test_setting_weights_keeps_shape_and_kind():
    op = operax.Diagonal(np.arange(3.0))
    op.diag = [2, 3, 4]
    np.testing.assert_array_equal(op @ np.ones(3), [2, 3, 4])
    with pytest.raises(ValueError, match=r"float64 of shape \(3,\), got float64 of shape \(4,\): make a new Diagonal"):
        op.diag = np.ones(4)
    with pytest.raises(ValueError, match="got complex128"):
        op.diag = 1j * np.ones(3)
    with pytest.raises(AttributeError, match=r"sampling=1\.0 and would not see sampling=2\.0: make a new one"):
        operax.FirstDerivative(5).sampling = 2.0
