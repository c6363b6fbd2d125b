"""Chirp Radon transforms against PyLops, their inverse, and what they refuse."""

import jax
import jax.numpy as jnp
import numpy as np
import pylops
import pytest

import operax
from operax.signalprocessing import ChirpRadon2D, ChirpRadon3D

T, Y, X = np.arange(7) * 0.004, np.arange(5) * 10.0, np.arange(4) * 5.0


def numbers(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("nt", [6, 7])
def test_2d_equals_pylops(nt):
    op = ChirpRadon2D(T[:nt], Y, 1.3)
    ref = pylops.signalprocessing.ChirpRadon2D(T[:nt], Y, 1.3)
    x = numbers((5, nt))
    np.testing.assert_allclose(op @ x, ref @ x, atol=1e-12)
    np.testing.assert_allclose(op.H @ x, ref.H @ x, atol=1e-12)
    np.testing.assert_allclose(op.inverse(x), ref.inverse(x.ravel()).reshape(x.shape), atol=1e-12)


def test_3d_equals_pylops_with_the_slopes_as_documented():
    op = ChirpRadon3D(T, Y, X, (1.3, 0.6))
    ref = pylops.signalprocessing.ChirpRadon3D(T, Y, X, (0.6, 1.3))  # it takes them in the other order
    x = numbers((5, 4, 7))
    np.testing.assert_allclose(op @ x, ref @ x, atol=1e-12)
    np.testing.assert_allclose(op.inverse(x), ref.inverse(x.ravel()).reshape(x.shape), atol=1e-12)


def test_inverse_recovers_a_plane_wave():
    nt, nh = 64, 48
    t, h = np.arange(nt), np.arange(nh)
    wavelet = np.exp(-0.5 * ((t[None, :] - 32 - 0.25 * (h[:, None] - 24)) / 2.0) ** 2)
    wave = wavelet * np.hanning(nh)[:, None] * np.cos(t[None, :] - 32 - 0.25 * (h[:, None] - 24))
    op = ChirpRadon2D(t * 1.0, h * 1.0, 2.0)
    back = op.inverse(op @ wave)
    assert np.linalg.norm(back - wave) < 0.1 * np.linalg.norm(wave)


def test_inverse_keeps_the_style_of_its_input():
    op, x = ChirpRadon2D(T, Y, 1.3), numbers((5, 7))
    expected = op.inverse(x)
    np.testing.assert_allclose(op.inverse(x.ravel()), expected.ravel())
    np.testing.assert_allclose(op.inverse(np.stack([x, 2 * x], -1))[..., 1], 2 * expected, atol=1e-12)
    with pytest.raises(ValueError, match=r"\(5, 7\)"):
        op.inverse(np.ones(3))


def test_complex_data_keep_their_imaginary_part():
    op, x = ChirpRadon2D(T, Y, 1.3), numbers((5, 7)) + 1j * numbers((5, 7), 1)
    np.testing.assert_allclose(op @ x, op @ x.real + 1j * (op @ x.imag), atol=1e-12)


def test_single_precision_is_kept_and_accurate():
    x = numbers((5, 7)).astype("float32")
    for data in (x, jnp.asarray(x)):
        y = ChirpRadon2D(T, Y, 1.3) @ data
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, ChirpRadon2D(T, Y, 1.3) @ x.astype("float64"), atol=1e-5)


def test_gradient_in_the_largest_slope():
    x = jnp.asarray(numbers((5, 7)))

    def energy(p):
        y = ChirpRadon2D(T, Y, p) @ x
        return jnp.sum(y[2:] ** 2 * jnp.arange(7))

    step = 1e-6
    expected = (energy(1.3 + step) - energy(1.3 - step)) / (2 * step)
    np.testing.assert_allclose(jax.jit(jax.grad(energy))(1.3), expected, rtol=1e-6)


def test_attributes():
    op = ChirpRadon3D(T, Y, X, (1.3, 0.6), engine="fftw", flags=("FFTW_ESTIMATE",))
    assert (op.ny, op.nx, op.nt, op.dy, op.dx) == (5, 4, 7, 10.0, 5.0)
    assert op.dt == pytest.approx(0.004)
    assert (ChirpRadon2D(T, Y, 1.0).nh, ChirpRadon2D(T, Y, 1.0).dh) == (5, 10.0)
    assert operax.utils.dottest(op)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: ChirpRadon2D(T, Y, (1.0, 2.0)), r"pmax must be one number, got shape \(2,\)"),
        (lambda: ChirpRadon3D(T, Y, X, 1.0), "pmax must be two numbers"),
        (lambda: ChirpRadon2D(T[None], Y, 1.0), "taxis must be one-dimensional"),
        (lambda: ChirpRadon3D(T, Y, X, (1.0, 1.0), engine="cuda"), "engine='cuda' is unknown"),
    ],
)
def test_wrong_arguments(build, text):
    with pytest.raises(ValueError, match=text):
        build()
