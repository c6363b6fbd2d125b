"""Metrics against their formulae and PyLops, on NumPy and JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pylops.utils import metrics as peer

from operax.utils import metrics

A = np.array([[1.0, 2.0], [3.0, -4.0]])
B = A + 0.1 * np.arange(4.0).reshape(2, 2)


@pytest.mark.parametrize("name", ["mae", "mse", "snr", "psnr"])
def test_values_equal_pylops(name):
    ours, theirs = getattr(metrics, name), getattr(peer, name)
    assert type(ours(A, B)) is float
    np.testing.assert_allclose(ours(A, B), theirs(A, B))
    np.testing.assert_allclose(ours(jnp.asarray(A), jnp.asarray(B)), theirs(A, B))
    np.testing.assert_allclose(jax.jit(ours)(A, B), theirs(A, B))


@pytest.mark.parametrize("name", ["mae", "mse", "snr"])
def test_complex_values_equal_pylops(name):
    a, b = A + 1j, B + 0.5j * A
    np.testing.assert_allclose(getattr(metrics, name)(a, b), getattr(peer, name)(a, b))


def test_psnr_takes_its_range_from_where_it_is_told():
    error = np.mean((A - B) ** 2)
    np.testing.assert_allclose(metrics.psnr(A, B), 10 * np.log10(3.0**2 / error))
    np.testing.assert_allclose(metrics.psnr(A, B, xmin=None), 10 * np.log10(7.0**2 / error))
    np.testing.assert_allclose(metrics.psnr(A, B, xmax=5.0, xmin=1.0), 10 * np.log10(4.0**2 / error))
    np.testing.assert_allclose(metrics.psnr(1j * A, 1j * B), 10 * np.log10(4.0**2 / error))


def test_small_integers_do_not_wrap_around():
    a, b = np.array([0, 200], np.uint8), np.array([1, 250], np.uint8)
    np.testing.assert_allclose(metrics.mse(a, b), (1 + 2500) / 2)


def test_equal_arrays_and_nan():
    assert metrics.snr(A, A) == metrics.psnr(A, A) == np.inf
    assert metrics.mae(A, A) == metrics.mse(A, A) == 0
    bad = A.copy()
    bad[0, 0] = np.nan
    assert all(np.isnan(getattr(metrics, name)(A, bad)) for name in ("mae", "mse", "snr", "psnr"))


def test_metrics_can_be_differentiated():
    gradient = jax.grad(metrics.mse, argnums=1)(jnp.asarray(A), jnp.asarray(B))
    np.testing.assert_allclose(gradient, 2 * (B - A) / A.size)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"\(2, 2\) and xcmp of shape \(4,\)"):
        metrics.mse(A, B.ravel())
