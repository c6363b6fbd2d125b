"""Wavelets, cosine transforms, shifts, interpolation, Fredholm and non-stationary operators: what rows cannot say."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import pywt
import scipy.fft
import scipy.interpolate

from operax import signalprocessing as sp
from operax._arrays.wavelet import analysis, synthesis

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("wavelet", ["haar", "db4", "sym5", "coif3", "bior2.2", "rbio3.1", "bior1.3", "dmey"])
@pytest.mark.parametrize("n", [2, 4, 16, 64])
def test_one_level_equals_pywavelets(wavelet, n):
    w = pywt.Wavelet(wavelet)
    lo, hi, x = np.array(w.dec_lo), np.array(w.dec_hi), RNG.standard_normal((2, n, 3))
    expected = np.concatenate(pywt.dwt(x, w, mode="periodization", axis=1), axis=1)
    np.testing.assert_allclose(analysis.generic(x, lo, hi, -2), expected, atol=1e-12)
    np.testing.assert_allclose(analysis(x, lo, hi, -2), expected, atol=1e-12)
    y = RNG.standard_normal(x.shape)
    np.testing.assert_allclose(np.vdot(synthesis.generic(y, lo, hi, -2), x), np.vdot(y, expected), atol=1e-10)
    np.testing.assert_allclose(synthesis(y, lo, hi, -2), synthesis.generic(y, lo, hi, -2), atol=1e-12)


def test_orthogonal_wavelets_are_inverted_by_the_adjoint():
    x = RNG.standard_normal((6, 5))
    Op = sp.DWT2D((6, 5), wavelet="db3", level=3)
    np.testing.assert_allclose(Op.H @ (Op @ x), x, atol=1e-12)
    assert Op.dimsd == (8, 8) and Op.waveletadj == "db3"
    assert sp.DWT(8, wavelet="bior2.2").waveletadj == "rbio2.2"


@pytest.mark.parametrize("n", [5, 300, 301])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_dct_on_jax_equals_scipy(n, kind):
    x = RNG.standard_normal((2, n))
    Op = sp.DCT((2, n), type=kind, axes=1)
    expected = scipy.fft.dct(x, type=kind, axis=1, norm="ortho")
    np.testing.assert_allclose(Op @ jnp.asarray(x), expected, atol=1e-12)
    np.testing.assert_allclose(Op.H @ jnp.asarray(expected), x, atol=1e-12)


def test_derivative_in_the_shift():
    n, t = 32, np.arange(32)
    wave = np.cos(2 * np.pi * 3 * t / n)
    Op = sp.Shift(n, 0.7, real=True).to("jax")
    np.testing.assert_allclose(Op @ jnp.asarray(wave), np.cos(2 * np.pi * 3 * (t - 0.7) / n), atol=1e-12)
    slope = jax.grad(lambda op: (op @ jnp.asarray(wave))[5])(Op).shift
    np.testing.assert_allclose(slope, 2 * np.pi * 3 / n * np.sin(2 * np.pi * 3 * (5 - 0.7) / n), atol=1e-12)


@pytest.mark.parametrize("kind", ["linear", "cubic_spline", "sinc"])
def test_derivative_in_the_positions(kind):
    x, positions = jnp.asarray(RNG.standard_normal(12)), jnp.array([2.3, 7.6])

    def value(p):
        return sp.Interp(12, p, kind=kind)[0] @ x

    forward = jax.jit(jax.jacfwd(value))(positions)
    backward = jax.jacrev(value)(positions)
    step = 1e-6
    difference = (value(positions + step) - value(positions - step)) / (2 * step)
    np.testing.assert_allclose(np.diag(forward), difference, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(backward, forward, atol=1e-12)


def test_positions_are_split_in_double_precision():
    # 1e6 + 0.3 in single precision has a fraction of 0.3125
    n = 1_000_002
    x = np.zeros(n, np.float32)
    x[1_000_001] = 1
    Op, _ = sp.Interp(n, np.array([1_000_000.3]))
    assert (Op @ x).dtype == np.float32
    np.testing.assert_allclose(Op @ x, [0.3], rtol=1e-6)
    np.testing.assert_allclose(Op @ jnp.asarray(x), [0.3], rtol=1e-6)


@pytest.mark.parametrize("n", [3, 20, 200])
def test_long_splines_equal_scipy(n):
    positions = np.sort(RNG.uniform(0, n - 1, 15))
    x = RNG.standard_normal(n)
    Op = sp.InterpCubicSpline(n, positions)
    expected = scipy.interpolate.CubicSpline(np.arange(n), x, bc_type="natural")(positions)
    np.testing.assert_allclose(Op @ x, expected, atol=1e-12)
    np.testing.assert_allclose(Op @ jnp.asarray(x), expected, atol=1e-12)
    y = RNG.standard_normal(15)
    np.testing.assert_allclose(np.vdot(Op.H @ jnp.asarray(y), x), np.vdot(y, expected), atol=1e-10)


def test_positions_at_the_end_are_moved_before_it():
    Op, used = sp.Interp(4, np.array([1.0, 3.0]))
    assert used[1] < 3.0
    np.testing.assert_allclose(Op @ np.arange(4.0), [1.0, 3.0])


def test_filters_of_many_taps_run_in_a_loop():
    hs, x = RNG.standard_normal((2, 81)), RNG.standard_normal(90)
    Op = sp.NonStationaryConvolve1D(90, hs, (10, 40))
    np.testing.assert_allclose(Op @ jnp.asarray(x), Op @ x, atol=1e-10)
    np.testing.assert_allclose(Op.H @ jnp.asarray(x), Op.H @ x, atol=1e-10)
    assert Op.hsinterp.shape == (90, 81)
    np.testing.assert_allclose(Op.hsinterp[25], hs.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: sp.DWT(8, wavelet="db99"), ValueError, "wavelet='db99'.*families are"),
        (lambda: sp.DWT(8, level=4), ValueError, "level=4 must be an integer from 0 to 3"),
        (lambda: sp.DCT(8, type=5), ValueError, "type=5"),
        (lambda: sp.DCT(1, type=1), ValueError, "at least two samples"),
        (lambda: sp.Shift((3, 4), np.ones(2)), ValueError, r"shift has shape \(2,\); give one number, or shape \(3,\)"),
        (lambda: sp.Shift(8, 1.0, nfft=4), ValueError, "nfft=4 is shorter"),
        (lambda: sp.Interp(4, np.array([0.5, 0.5])), ValueError, "repeated"),
        (lambda: sp.Interp(4, np.array([-0.5])), ValueError, "outside the axis of 4 samples"),
        (lambda: sp.Interp(4, np.array([0.5]), kind="cubic"), ValueError, "kind='cubic'"),
        (lambda: sp.Interp(4, np.array([np.nan])), ValueError, "not finite"),
        (lambda: sp.InterpCubicSpline(2, np.array([0.5])), ValueError, "three samples"),
        (lambda: sp.Bilinear(np.ones((3, 2)), (4, 4)), ValueError, r"shape \(2, n\)"),
        (lambda: sp.Bilinear(np.array([[0.0], [5.0]]), (4, 4)), ValueError, r"iava\[1\]"),
        (lambda: sp.Fredholm1(np.ones((2, 2))), ValueError, "nslice, nx, ny"),
        (lambda: sp.NonStationaryConvolve1D(8, np.ones((2, 4)), (1, 3)), ValueError, "must be odd"),
        (lambda: sp.NonStationaryConvolve1D(8, np.ones((3, 3)), (1, 2, 4)), ValueError, "regularly sampled"),
        (lambda: sp.NonStationaryConvolve1D(8, np.ones((2, 3)), (1, 9)), ValueError, "from 0 to 7"),
        (lambda: sp.NonStationaryConvolve1D(8, np.ones((3, 3)), (1, 3)), ValueError, "give .* positions"),
        (lambda: sp.NonStationaryFilters1D(np.ones(8), 2, (1, 3)), ValueError, "must be odd"),
    ],
)
def test_wrong_arguments_say_what_fits(build, error, message):
    with pytest.raises(error, match=message):
        build()
