"""Values and derivatives of every order and direction against closed forms."""

import jax.numpy as jnp
import numpy as np
import pytensor.tensor as pt
import pytest

import pytensor
from operax.pytensor import as_jax_op

pytestmark = pytest.mark.bridge

MODES = [None, "CVM", "FAST_COMPILE", "NUMBA", "JAX"]


@as_jax_op
def weighted_power(x, params, *, order=2):
    return {"sum": jnp.sum(params["w"] * x**order), "sin": jnp.sin(x)}


@pytest.mark.parametrize("mode", MODES)
def test_value_and_gradient_in_every_mode(mode):
    x, w = pt.tensor("x", shape=(3,), dtype="float64"), pt.dscalar("w")
    y = weighted_power(x, {"w": w, "b": 1.0}, order=3)
    cost = y["sum"] + y["sin"].sum()
    f = pytensor.function([x, w], [cost, *pytensor.grad(cost, [x, w])], mode=mode)
    a = np.array([0.5, -1.0, 2.0])
    value, gx, gw = f(a, 1.7)
    np.testing.assert_allclose(value, 1.7 * np.sum(a**3) + np.sin(a).sum(), rtol=1e-14)
    np.testing.assert_allclose(gx, 5.1 * a**2 + np.cos(a), rtol=1e-14)
    np.testing.assert_allclose(gw, np.sum(a**3), rtol=1e-14)
    assert [np.asarray(r).dtype for r in (value, gx, gw)] == ["float64"] * 3
