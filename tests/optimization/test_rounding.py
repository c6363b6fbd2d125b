"""CGLS asked for more than the precision holds stops at its best iterate instead of diverging."""

import jax.numpy as jnp
import numpy as np
import pytest

import operax


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("convert", [np.asarray, jnp.asarray], ids=["numpy", "jax"])
def test_cgls_stops_at_the_limit_of_rounding(dtype, convert):
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(8, 5)).astype(dtype), rng.normal(size=8).astype(dtype)
    expected = np.linalg.lstsq(A.astype("float64"), y.astype("float64"), rcond=None)[0]
    result = operax.cgls(operax.MatrixMult(A), convert(y), x0=convert(np.ones(5, dtype)), niter=400, tol=0.0)
    # the misfit is flat at its minimum: a rounding error of the misfit is the square of that of the solution
    tolerance = 3e-2 if dtype == "float32" else 1e-6
    np.testing.assert_allclose(np.asarray(result[0]), expected, atol=tolerance)
