"""Sums and inner products of solvers: of any length, over all but the batch axes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from operax.optimization._space import inner, norm1, norm2, real_inner

LENGTHS = [0, 1, 31, 32, 33, 50, 64, 65, 97, 127, 128, 129, 300]


def pair(shape, dtype):
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=(2, *shape))
    if np.dtype(dtype).kind == "c":
        u, v = u + 1j * rng.normal(size=shape), v + 1j * rng.normal(size=shape)
    return u.astype(dtype), v.astype(dtype)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("convert", [np.asarray, jnp.asarray], ids=["numpy", "jax"])
def test_one_vector(n, dtype, convert):
    u, v = pair((n,), dtype)
    wide = "complex128" if np.dtype(dtype).kind == "c" else "float64"
    expected, tolerance = np.vdot(u.astype(wide), v.astype(wide)), 1e-5 if dtype == "float32" else 1e-12
    found = inner(convert(u), convert(v))
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_allclose(np.asarray(found), expected, atol=tolerance * max(n, 1) ** 0.5)
    np.testing.assert_allclose(np.asarray(real_inner(convert(u), convert(v))), expected.real, atol=10 * tolerance)
    np.testing.assert_allclose(float(norm2(convert(u))), np.linalg.norm(u) ** 2, rtol=tolerance)
    np.testing.assert_allclose(float(norm1(convert(u))), np.sum(np.abs(u)), rtol=tolerance)


@pytest.mark.parametrize("shape", [(3, 50), (2, 3, 97), (3, 4, 50)])
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("convert", [np.asarray, jnp.asarray], ids=["numpy", "jax"])
def test_batches(shape, batch, convert):
    u, v = pair(shape, "float64")
    expected = np.sum(u * v, axis=tuple(range(batch, len(shape))))
    np.testing.assert_allclose(np.asarray(inner(convert(u), convert(v), batch)), expected, atol=1e-12)


@pytest.mark.parametrize("n", [50, 97, 128])
def test_transformed(n):
    u, v = (jnp.asarray(a) for a in pair((4, n), "float64"))
    expected = np.sum(np.asarray(u) * np.asarray(v), axis=1)
    np.testing.assert_allclose(jax.jit(jax.vmap(inner))(u, v), expected, atol=1e-12)
    np.testing.assert_allclose(jax.grad(lambda u: norm2(u[0]))(u)[0], 2 * np.asarray(u[0]), atol=1e-12)
