"""Convolution matrices against NumPy and PyLops, slopes of plane waves."""

import numpy as np
import pytest

from operax import signalprocessing as sp
from operax.utils.signalprocessing import convmtx, dip_estimate, nonstationary_convmtx, slope_estimate

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("nh", "n", "offset"), [(3, 4, 0), (4, 2, 3), (6, 3, 2)])
@pytest.mark.parametrize("sparse", [False, True])
def test_convmtx_is_full_convolution_from_the_offset(nh, n, offset, sparse):
    h, x = RNG.standard_normal(nh), RNG.standard_normal(n)
    expected = np.append(np.convolve(h, x)[offset:], np.zeros(offset))
    np.testing.assert_allclose(convmtx(h, n, offset, sparse=sparse) @ x, expected, atol=1e-12)


def test_nonstationary_convmtx_is_the_operator():
    H = RNG.standard_normal((5, 3))
    Op = sp.NonStationaryConvolve1D(5, H, tuple(range(5)))
    np.testing.assert_allclose(nonstationary_convmtx(H, 5, hc=1, pad=(5, 5)), Op.todense(), atol=1e-12)


@pytest.mark.parametrize("pad", [(3, 3), (2, 0), (4, 1)])
def test_nonstationary_convmtx_equals_pylops(pad):
    reference = pytest.importorskip("pylops.utils.signalprocessing")
    H = RNG.standard_normal((4, 3))
    np.testing.assert_allclose(nonstationary_convmtx(H, 4, 1, pad), reference.nonstationary_convmtx(H, 4, 1, pad))


def test_slope_of_a_plane_wave():
    z, x = np.meshgrid(np.arange(60) * 0.5, np.arange(50) * 0.4, indexing="ij")
    slopes, anisotropies = slope_estimate(np.sin(0.4 * (z + 0.3 * x)), dz=0.5, dx=0.4, smooth=4.0)
    np.testing.assert_allclose(abs(slopes[15:45, 12:38]), 0.3, rtol=0.02)
    np.testing.assert_allclose(anisotropies[15:45, 12:38], 1.0, atol=1e-2)


@pytest.mark.parametrize("eps", [0.0, 1e-2])
def test_slopes_and_dips_equal_pylops(eps):
    reference = pytest.importorskip("pylops.utils.signalprocessing")
    d = RNG.standard_normal((20, 15))
    for ours, theirs in ((slope_estimate, reference.slope_estimate), (dip_estimate, reference.dip_estimate)):
        for a, b in zip(ours(d, 1.2, 0.8, smooth=2.0, eps=eps), theirs(d, 1.2, 0.8, smooth=2.0, eps=eps)):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8)


def test_wrong_arguments_say_what_fits():
    with pytest.raises(ValueError, match="offset=3 must lie inside the filter: from 0 to 2"):
        convmtx(np.ones(3), 4, offset=3)
    with pytest.raises(ValueError, match=r"H must have shape \(4, nh\)"):
        nonstationary_convmtx(np.ones((3, 3)), 4)
    with pytest.raises(ValueError, match="two dimensions"):
        slope_estimate(np.ones(3))
