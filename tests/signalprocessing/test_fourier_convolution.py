"""FFT and convolutions: values against NumPy and PyLops, gradients in filters, long and sharded data, errors."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from operax import signalprocessing as sp

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("real", "norm", "nfft", "before", "after"),
    list(itertools.product([False, True], ["ortho", "none", "1/n"], [None, 4, 5, 9], [False, True], [False, True])),
)
def test_fft_equals_pylops(real, norm, nfft, before, after):
    if real and after:
        pytest.skip("frequencies of one sign are not shifted")
    pylops = pytest.importorskip("pylops")
    options = {
        "dims": (3, 6),
        "nfft": nfft,
        "norm": norm,
        "real": real,
        "ifftshift_before": before,
        "fftshift_after": after,
        "sampling": 0.3,
        "dtype": "float64" if real else "complex128",
    }
    ours, theirs = sp.FFT(**options), pylops.signalprocessing.FFT(**options)
    x = RNG.standard_normal(ours.dims).astype(ours.rdtype)
    y = RNG.standard_normal(ours.dimsd) + 1j * RNG.standard_normal(ours.dimsd)
    np.testing.assert_allclose(ours @ x, theirs @ x, atol=1e-12)
    np.testing.assert_allclose(ours.H @ y, theirs.H @ y, atol=1e-12)
    np.testing.assert_allclose(ours.f, theirs.f)
    assert ours.dtype == np.complex128


def test_fftnd_frequencies_and_scalar_nffts():
    Op = sp.FFTND((3, 4, 5), axes=(2, 0), nffts=6, sampling=(0.5, 2.0), real=True, fftshift_after=(True, False))
    assert Op.dimsd == (4, 4, 6)
    np.testing.assert_allclose(Op.fs[0], np.fft.fftshift(np.fft.fftfreq(6, 0.5)))
    np.testing.assert_allclose(Op.fs[1], np.fft.rfftfreq(6, 2.0))
    x = RNG.standard_normal((3, 4, 5))
    np.testing.assert_allclose(Op.H @ (Op @ x), x, atol=1e-12)


def test_fft_keeps_precision():
    assert (sp.FFT(8, real=True) @ np.ones(8, np.float32)).dtype == np.complex64
    assert (sp.FFT(8, real=True).H @ np.ones(5, np.complex64)).dtype == np.float32
    assert (sp.FFT(8, dtype="complex64") @ np.ones(8, np.float32)).dtype == np.complex64
    assert (sp.FFT(8, dtype="float64").H @ np.ones(8, np.complex128)).dtype == np.float64


def full(x, h, offset, length):
    return np.append(np.convolve(x, h), np.zeros(length))[offset : offset + length]


@pytest.mark.parametrize("method", [None, "direct", "fft", "overlapadd"])
@pytest.mark.parametrize(("nh", "offset"), [(1, 0), (4, 0), (5, 2), (9, 8)])
def test_convolve1d_is_numpys_from_the_offset(method, nh, offset):
    h, x = RNG.standard_normal(nh), RNG.standard_normal(6)
    Op = sp.Convolve1D(6, h, offset=offset, method=method)
    expected = full(x, h, offset, max(6, nh))
    np.testing.assert_allclose(Op @ x, expected, atol=1e-12)
    np.testing.assert_allclose(Op @ jnp.asarray(x), expected, atol=1e-12)


@pytest.mark.parametrize("to", [np.asarray, jnp.asarray], ids=["numpy", "jax"])
def test_a_filter_of_thousands_of_taps_insisting_on_the_direct_sum(to):
    rng = np.random.default_rng(0)
    x, h = rng.normal(size=(2, 2500)), rng.normal(size=2300)
    Op = sp.Convolve1D((2, 2500), h, offset=1000, method="direct")
    expected = [np.convolve(line, h)[1000:3500] for line in x]
    np.testing.assert_allclose(Op @ to(x), expected, atol=1e-10)


@pytest.mark.parametrize(("nh", "method"), [(100, None), (100, "overlapadd"), (300, "direct"), (3000, None)])
def test_long_signals_and_filters(nh, method):
    h, x = RNG.standard_normal(nh), RNG.standard_normal((2, 9000))
    Op = sp.Convolve1D((2, 9000), h, offset=nh // 3, method=method)
    expected = np.stack([full(v, h, nh // 3, 9000) for v in x])
    np.testing.assert_allclose(Op @ x, expected, atol=1e-9)
    np.testing.assert_allclose(Op @ jnp.asarray(x), expected, atol=1e-9)
    y = RNG.standard_normal((2, 9000))
    np.testing.assert_allclose(np.vdot(y, Op @ x), np.vdot(Op.H @ jnp.asarray(y), x), rtol=1e-9)


@pytest.mark.parametrize("method", ["direct", "fft"])
def test_large_2d_filter_equals_scipy(method):
    import scipy.signal

    h, x = RNG.standard_normal((20, 21)), RNG.standard_normal((30, 40))
    Op = sp.Convolve2D((30, 40), h, offset=(3, 4), method=method)
    expected = scipy.signal.convolve(x, h, method="direct")[3:33, 4:44]
    np.testing.assert_allclose(Op @ x, expected, atol=1e-10)
    np.testing.assert_allclose(Op @ jnp.asarray(x), expected, atol=1e-10)


def test_axes_in_any_order_go_with_the_filter():
    h, x = RNG.standard_normal((3, 2)), RNG.standard_normal((5, 4, 6))
    ours = sp.ConvolveND((5, 4, 6), h, offset=(1, 0), axes=(2, 0)) @ x
    turned = sp.ConvolveND((5, 4, 6), h.T, offset=(0, 1), axes=(0, 2)) @ x
    np.testing.assert_allclose(ours, turned, atol=1e-12)


@pytest.mark.parametrize("method", ["direct", "fft", "overlapadd"])
def test_gradient_in_the_filter_is_a_correlation(method):
    h, x, y = RNG.standard_normal(4), RNG.standard_normal(9), RNG.standard_normal(9)
    Op = sp.Convolve1D(9, h, offset=1, method=method).to("jax")
    gradient = jax.grad(lambda op: jnp.sum(y * (op @ x)))(Op).h
    expected = [np.sum(y * full(x, e, 1, 9)) for e in np.eye(4)]
    np.testing.assert_allclose(gradient, expected, atol=1e-12)


def test_nan_in_nan_out():
    x = np.ones(9)
    x[4] = np.nan
    for method in ("direct", "fft"):
        assert np.isnan(sp.Convolve1D(9, np.ones(3), offset=1, method=method) @ x)[4]
    assert np.isnan(sp.FFT(9, real=True) @ x).all()


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: sp.FFT(6, axis=1), ValueError, "axis=1 is out of range for 1 dimension"),
        (lambda: sp.FFT(6, norm="unit"), ValueError, "norm='unit'.*'ortho', 'none', '1/n'"),
        (lambda: sp.FFT(6, engine="fast"), ValueError, "engine='fast'"),
        (lambda: sp.FFT(6, dtype="int32"), TypeError, "must be a floating dtype"),
        (lambda: sp.FFT(6, real=True, fftshift_after=True), ValueError, "leave that axis unshifted"),
        (lambda: sp.FFT(0), ValueError, "positive integers"),
        (lambda: sp.FFT(2.5), TypeError, "an integer or a sequence of integers"),
        (lambda: sp.FFT2D((4, 4), axes=(0, 0)), ValueError, "names an axis twice"),
        (lambda: sp.FFT2D((4, 4), nffts=(4, 4, 4)), ValueError, "nffts=.* has 3 values for 2 axes"),
        (lambda: sp.FFT2D((4, 4), axes=(0,)), ValueError, "use FFT for one"),
        (lambda: sp.Convolve1D(6, np.ones((2, 2))), ValueError, "h must have 1 dimension"),
        (lambda: sp.Convolve1D(6, np.ones(3), offset=3), ValueError, "offset=3 must lie inside the filter"),
        (lambda: sp.Convolve1D(6, np.ones(3), offset=-1), ValueError, "offset=-1"),
        (lambda: sp.Convolve1D(6, np.ones(3), method="conv"), ValueError, "method='conv'"),
        (lambda: sp.Convolve1D(6, ["a"]), TypeError, "must hold numbers"),
        (lambda: sp.Convolve2D((4, 4), np.ones((2, 2)), axes=(0,)), ValueError, "use Convolve1D for one"),
    ],
)
def test_wrong_arguments_say_what_fits(build, error, message):
    with pytest.raises(error, match=message):
        build()
