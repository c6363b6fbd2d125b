"""Slopes by plane-wave destruction against PyLops and against known slopes."""

import jax
import jax.numpy as jnp
import numpy as np
import pylops.utils.signalprocessing as reference
import pytest

from operax.utils.signalprocessing import pwd_slope_estimate

Z, X = np.mgrid[:30, :12]
NOISE = np.random.default_rng(0).standard_normal((30, 12))
IMAGE = np.cos(0.5 * (Z - 0.4 * X - 0.02 * X**2)) + 0.05 * NOISE


@pytest.mark.parametrize("options", [{"liter": 6}, {"order": 1, "niter": 3, "liter": 4}, {"damp": 0.3, "liter": 5}])
def test_equals_pylops(options):
    # few inner iterations: with many, rounding alone makes results differ
    for nsmooth in (4, (3, 7)):
        got = pwd_slope_estimate(IMAGE, nsmooth=nsmooth, **options)
        np.testing.assert_allclose(got, reference.pwd_slope_estimate(IMAGE, nsmooth=nsmooth, **options), atol=1e-8)


@pytest.mark.parametrize("smoothing", ["triangle", "boxcar"])
@pytest.mark.parametrize("axis", [1, -1])
def test_volume_equals_pylops(smoothing, axis):
    volume = np.stack([IMAGE, IMAGE[::-1], IMAGE], -1)
    options = {"niter": 2, "liter": 3, "nsmooth": (3, 4, 5), "smoothing": smoothing, "axis": axis}
    expected = reference.pwd_slope_estimate(volume, **options)
    np.testing.assert_allclose(pwd_slope_estimate(volume, **options), expected, atol=1e-8)


@pytest.mark.parametrize("smoothing", ["triangle", "boxcar"])
def test_recovers_the_slopes_of_an_image(smoothing):
    expected = (0.4 + 0.04 * X + 0.02)[5:25, 2:9]
    got = pwd_slope_estimate(IMAGE - 0.05 * NOISE, nsmooth=5, smoothing=smoothing)[5:25, 2:9]
    assert np.median(np.abs(got - expected)) < 0.05


def test_inside_jit():
    got = jax.jit(lambda d: pwd_slope_estimate(d, niter=2, liter=4))(jnp.asarray(IMAGE))
    np.testing.assert_allclose(got, pwd_slope_estimate(IMAGE, niter=2, liter=4), atol=1e-8)


def test_single_precision_is_kept():
    assert pwd_slope_estimate(IMAGE.astype("float32"), niter=1, liter=3).dtype == np.float32


@pytest.mark.parametrize(
    ("d", "options", "text"),
    [
        (IMAGE, {"order": 3}, "order=3 is unknown"),
        (IMAGE, {"smoothing": "gauss"}, "smoothing='gauss' is unknown"),
        (IMAGE[0], {}, r"d must have shape .* got \(12,\)"),
        (IMAGE[:4], {}, "too small for filters of 5 taps"),
        (np.stack([IMAGE] * 2, -1), {"axis": 0}, "axis=0 is the one of depth"),
    ],
)
def test_wrong_arguments(d, options, text):
    with pytest.raises(ValueError, match=text):
        pwd_slope_estimate(d, **options)
