"""Wavelets and tapers against closed forms and PyLops."""

import warnings

import numpy as np
import pytest
from pylops.utils import tapers as peer_tapers
from pylops.utils import wavelets as peer_wavelets

from operax.utils import tapers, wavelets

AXIS = 0.004 * np.arange(21)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gaussian", {"std": 3.0}),
        ("klauder", {"f": (10.0, 40.0), "taper": np.hanning}),
        ("klauder", {}),
        ("ormsby", {"f": (2.0, 8.0, 30.0, 45.0)}),
        ("ormsby", {"taper": np.hamming}),
        ("ricker", {"f0": 25, "taper": np.hanning}),
        ("ricker", {}),
    ],
)
@pytest.mark.parametrize("n", [21, 20])
def test_wavelets_equal_pylops(name, options, n):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = getattr(wavelets, name)(AXIS[:n], **options)
        theirs = getattr(peer_wavelets, name)(AXIS[:n], **options)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a, b, atol=1e-13)
    assert ours[0].shape == ours[1].shape
    assert type(ours[2]) is int


def test_an_even_axis_warns():
    with pytest.warns(UserWarning, match=r"even number of samples \(4\)"):
        wavelets.ricker(AXIS[:4])


def test_wavelet_closed_forms():
    w, t, c = wavelets.ricker(AXIS, 20.0)
    np.testing.assert_allclose(w, (1 - 2 * (np.pi * 20 * t) ** 2) * np.exp(-((np.pi * 20 * t) ** 2)), atol=1e-14)
    assert t[c] == 0 and w[c] == 1
    w, _, c = wavelets.gaussian(AXIS, 2.0)
    np.testing.assert_allclose(w[c + 4], np.exp(-2.0))


def test_ormsby_has_a_trapezoid_as_spectrum():
    t = 0.002 * np.arange(2001)
    w, _, _ = wavelets.ormsby(t, (5.0, 10.0, 45.0, 50.0))
    spectrum = np.abs(np.fft.rfft(w))
    f = np.fft.rfftfreq(len(w), 0.002)
    flat = spectrum[(f > 12) & (f < 43)]
    assert np.ptp(flat) < 0.02 * flat.mean()
    np.testing.assert_allclose(np.interp([7.5, 47.5], f, spectrum), flat.mean() / 2, rtol=0.03)
    assert spectrum[(f > 52) | (f < 3)].max() < 0.02 * flat.mean()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wavelets.gaussian(AXIS, 0.0), "std=0.0 must be positive"),
        (lambda: wavelets.klauder(AXIS, (5.0,)), "must hold 2 frequencies"),
        (lambda: wavelets.klauder(AXIS, (5.0, 5.0)), "two different frequencies"),
        (lambda: wavelets.ormsby(AXIS, (5.0, 5.0, 10.0, 20.0)), "must rise"),
        (lambda: wavelets.ricker(np.ones((2, 2))), r"one-dimensional time axis.*\(2, 2\)"),
        (lambda: tapers.hanningtaper(5, 3), "ntap=3 must lie between 0 and 2"),
        (lambda: tapers.cosinetaper(5, 3), "ntap=3 must lie between 0 and 2"),
        (lambda: tapers.taper(5, 2, "triangle"), "tapertype='triangle' is unknown; choose one of 'hanning'"),
        (lambda: tapers.taper3d(2, (4, 4, 4), (1, 1, 1)), "first two axes"),
        (lambda: tapers.tapernd((4, 4), (1,)), "one number for every axis"),
    ],
)
def test_errors_say_what_is_wrong(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize("ntap", [0, 1, 2, 3, 5])
def test_tapers_equal_pylops(ntap):
    np.testing.assert_allclose(tapers.hanningtaper(10, ntap), peer_tapers.hanningtaper(10, ntap), atol=1e-15)
    for options in ({}, {"square": True}, {"exponent": 0.5}, {"square": True, "exponent": 3.0}):
        np.testing.assert_allclose(
            tapers.cosinetaper(11, ntap, **options), peer_tapers.cosinetaper(11, ntap, **options), atol=1e-8
        )


@pytest.mark.parametrize("kind", ["hanning", "cosine", "cosinesquare", "cosinesqrt", None])
def test_masks_of_several_axes_equal_pylops(kind):
    same = lambda a, b: np.testing.assert_allclose(a, b, atol=1e-8)
    same(tapers.taper(9, 3, kind), peer_tapers.taper(9, 3, kind))
    same(tapers.taper2d(7, 9, 3, kind), peer_tapers.taper2d(7, 9, 3, kind))
    same(tapers.taper2d(7, 9, (3, 2), kind), peer_tapers.taper2d(7, 9, (3, 2), kind))
    same(tapers.taper3d(4, (7, 9), (3, 2), kind), peer_tapers.taper3d(4, (7, 9), (3, 2), kind))
    same(tapers.tapernd((7, 9, 6), (3, 2, 3), kind), peer_tapers.tapernd((7, 9, 6), (3, 2, 3), kind))


def test_a_mask_is_the_product_of_its_axes():
    np.testing.assert_allclose(
        tapers.tapernd((6, 8), (3, 2)), np.outer(tapers.hanningtaper(6, 3), tapers.hanningtaper(8, 2))
    )
