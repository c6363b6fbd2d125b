"""Radon transforms in the frequency domain against PyLops, gradients in their axes, and what they refuse."""

import jax
import jax.numpy as jnp
import numpy as np
import pylops
import pytest

from operax.signalprocessing import FourierRadon2D, FourierRadon3D

T = np.arange(12) * 0.004
HX, HY = np.arange(5) * 10.0 - 20.0, np.arange(4) * 8.0
PX, PY = np.linspace(-3e-4, 3e-4, 6), np.linspace(0, 4e-4, 3)


def numbers(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("kind", ["linear", "parabolic"])
@pytest.mark.parametrize(("nfft", "flims"), [(16, None), (15, (2, 6))])
def test_2d_equals_pylops(kind, nfft, flims):
    p = PX if kind == "linear" else PX / 20
    op = FourierRadon2D(T, HX, p, nfft, flims, kind)
    ref = pylops.signalprocessing.FourierRadon2D(T, HX, p, nfft, flims, kind)
    x, y = numbers((6, 12)), numbers((5, 12))
    np.testing.assert_allclose(op @ x, ref @ x, atol=1e-12)
    np.testing.assert_allclose(op.H @ y, ref.H @ y, atol=1e-12)
    np.testing.assert_allclose(op.haxis, ref.haxis)
    np.testing.assert_allclose(op.f, ref.f)
    assert (op.nh, op.npx, op.nt, op.nfft2, op.dh) == (ref.nh, ref.npx, ref.nt, ref.nfft2, ref.dh)
    assert (op.cdtype, op.flims) == (ref.cdtype, ref.flims)


def test_3d_equals_pylops():
    kind = ("parabolic", "linear")
    op = FourierRadon3D(T, HY, HX, PY / 20, PX, 16, (0, 8), kind)
    ref = pylops.signalprocessing.FourierRadon3D(T, HY, HX, PY / 20, PX, 16, (0, 8), kind)
    x, y = numbers((3, 6, 12)), numbers((4, 5, 12))
    np.testing.assert_allclose(op @ x, ref @ x, atol=1e-12)
    np.testing.assert_allclose(op.H @ y, ref.H @ y, atol=1e-12)
    assert (op.nhy, op.nhx, op.npy, op.npx, op.dhy, op.dhx) == (4, 5, 3, 6, 8.0, 10.0)


def test_many_frequencies_go_in_blocks_that_agree_with_pylops():
    t, h, p = np.arange(90) * 0.004, np.arange(40) * 10.0, np.linspace(-3e-4, 3e-4, 50)
    ref = pylops.signalprocessing.FourierRadon2D(t, h, p, 128)
    x = numbers((50, 90))
    for data in (x, jnp.asarray(x)):
        np.testing.assert_allclose(FourierRadon2D(t, h, p, 128) @ data, ref @ x, atol=1e-10)
    single = FourierRadon2D(t, h, p, 128) @ jnp.asarray(x, "float32")
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, ref @ x, atol=2e-4)


def test_gradients_in_slopes_and_positions():
    x, d = jnp.asarray(numbers((6, 12))), jnp.asarray(numbers((5, 12), 1))

    def fit(p, h):
        return jnp.sum((FourierRadon2D(T, h, p, 16) @ x) * d)

    gp, gh = jax.grad(fit, (0, 1))(jnp.asarray(PX), jnp.asarray(HX))
    for which, gradient, step in ((0, gp, 1e-8), (1, gh, 1e-4)):
        for i in (0, 3):
            plus, minus = [PX.copy(), HX.copy()], [PX.copy(), HX.copy()]
            plus[which][i] += step
            minus[which][i] -= step
            np.testing.assert_allclose(gradient[i], (fit(*plus) - fit(*minus)) / (2 * step), rtol=1e-5)


def test_complex_data_keep_their_imaginary_part():
    op, x = FourierRadon2D(T, HX, PX, 16), numbers((6, 12)) + 1j * numbers((6, 12), 1)
    np.testing.assert_allclose(op @ x, op @ x.real + 1j * (op @ x.imag), atol=1e-12)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: FourierRadon2D(T, HX, PX, 8), "nfft=8 is shorter than the time axis of 12"),
        (lambda: FourierRadon2D(T, HX, PX, 16, kind="hyperbolic"), "kind='hyperbolic' is unknown"),
        (lambda: FourierRadon2D(T, HX, PX, 16, engine="fftw"), "engine='fftw' is unknown"),
        (lambda: FourierRadon2D(T, HX, PX, 16, flims=(3, 10)), "flims=.* must satisfy 0 <= lower < upper <= 9"),
        (lambda: FourierRadon2D(T, HX, PX, 16, flims=(3,)), "flims=.* must be two indices"),
        (lambda: FourierRadon2D(T, HX, PX[None], 16), "pxaxis must be one-dimensional"),
        (lambda: FourierRadon3D(T, HY, HX, PY, PX, 16, kind="linear"), "kind='linear' must hold two names"),
    ],
)
def test_wrong_arguments(build, text):
    with pytest.raises(ValueError, match=text):
        build()
