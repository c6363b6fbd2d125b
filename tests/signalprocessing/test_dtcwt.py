"""Dual-tree complex wavelet transform against the dtcwt library, its inverse, and what it refuses."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from operax.signalprocessing import DTCWT
from operax.signalprocessing._dualtree import BIORT, QSHIFT, whole


def numbers(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize(
    ("biort", "qshift", "real", "imag", "inverse"),
    [
        # sums over results of dtcwt 0.14.0 (which needs NumPy 1) for the inputs below
        ("near_sym_a", "qshift_a", -0.545976446013, 0.149263410476, -1.9247690347050364),
        ("near_sym_b", "qshift_c", -1.506879212298, 2.409174566088, 0.5246163195550086),
        ("antonini", "qshift_06", -0.913355129015, 0.165913411719, -1.9559022693223629),
        ("legall", "qshift_b", -0.111296315956, -0.379808437469, -1.7627562265930954),
        ("near_sym_a", "qshift_d", -0.4536823259, 0.185397175344, -1.8506908463772562),
    ],
)
def test_equals_dtcwt(biort, qshift, real, imag, inverse):
    op = DTCWT(12, biort, qshift, level=3)
    w = np.cos(1.7 * np.arange(15))
    np.testing.assert_allclose((op @ np.cos(np.arange(12.0) ** 1.3)) @ w, [real, imag], atol=1e-11)
    z = np.cos(np.arange(30) ** 1.1).reshape(2, 15)
    np.testing.assert_allclose(op.inverse(z) @ w[:12], inverse, atol=1e-11)


@pytest.mark.parametrize("qshift", QSHIFT)
def test_filters_of_the_further_levels_are_orthogonal(qshift):
    h = np.array(QSHIFT[qshift])
    lags = np.correlate(h, h, "full")[len(h) - 1 :: 2]
    np.testing.assert_allclose(lags, np.eye(1, len(lags))[0], atol=1e-9)
    np.testing.assert_allclose(h.sum(), np.sqrt(2), atol=1e-9)


@pytest.mark.parametrize("biort", BIORT)
def test_filters_of_the_first_level_reconstruct(biort):
    h, g = (whole(half) for half in BIORT[biort])
    lags = np.convolve(h, g)
    centre = len(lags) // 2
    expected = np.where(np.arange(centre % 2, len(lags), 2) == centre, 0.5, 0.0)
    np.testing.assert_allclose(lags[centre % 2 :: 2], expected, atol=1e-9)


@pytest.mark.parametrize(("n", "level"), [(16, 3), (10, 2), (2, 1), (2, 3), (6, 4), (20, 0)])
@pytest.mark.parametrize("qshift", ["qshift_a", "qshift_c"])
def test_inverse_reconstructs(n, level, qshift):
    x = numbers((3, n))
    op = DTCWT((3, n), qshift=qshift, level=level)
    np.testing.assert_allclose(op.inverse(op @ x), x, atol=1e-9)
    np.testing.assert_allclose(op.inverse((op @ x).ravel()), x.ravel(), atol=1e-9)
    back = DTCWT((3, n), qshift=qshift, level=level, inv=True)
    np.testing.assert_allclose(back.H @ (back @ x), x, atol=1e-9)


def test_pyramid_holds_the_data():
    op, x = DTCWT((3, 12, 2), level=2, axis=1), numbers((3, 12, 2))
    y = op @ x
    p = op.get_pyramid(y)
    assert [h.shape for h in p.highpasses] == [(3, 6, 2), (3, 3, 2)]
    np.testing.assert_array_equal(np.concatenate([*(h.real for h in p.highpasses), p.lowpass], axis=1), y[0])
    np.testing.assert_array_equal(np.concatenate([h.imag for h in p.highpasses], axis=1), y[1][:, :9])
    assert not y[1][:, 9:].any()
    np.testing.assert_array_equal(op.get_pyramid(jnp.asarray(y).ravel()).highpasses[1], p.highpasses[1])


def test_coefficients_of_a_moving_step_keep_their_size():
    n, op = 64, DTCWT(64)
    energy = []
    for shift in range(8):
        x = (np.arange(n) > 25 + shift).astype(float)
        energy.append(np.sum(np.abs(op.get_pyramid(op @ x).highpasses[2][2:-2]) ** 2))
    assert max(energy) < 1.3 * min(energy)


def test_gradient_in_a_filter():
    x, d = jnp.asarray(numbers(12)), jnp.asarray(numbers((2, 15), 1))
    op = DTCWT(12).to("jax")
    gradient = jax.grad(lambda a: jnp.sum((a @ x) * d))(op)
    step = np.zeros(10)
    step[3] = 1e-6
    plus, minus = DTCWT(12), DTCWT(12)
    plus.h0a, minus.h0a = plus.h0a + step, minus.h0a - step
    expected = (np.sum((plus @ np.asarray(x)) * d) - np.sum((minus @ np.asarray(x)) * d)) / 2e-6
    np.testing.assert_allclose(gradient.h0a[3], expected, rtol=1e-6)


def test_single_precision_is_kept():
    x = numbers(12).astype("float32")
    for data in (x, jnp.asarray(x)):
        y = DTCWT(12) @ data
        assert y.dtype == np.float32
        assert (DTCWT(12).H @ y).dtype == np.float32
        assert DTCWT(12).get_pyramid(y).highpasses[0].dtype == np.complex64


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"dims": 13}, "odd length 13; pad it by one"),
        ({"level": -1}, "level=-1 must not be negative"),
        ({"biort": "haar"}, "biort='haar' is unknown"),
        ({"qshift": "qshift_z"}, "qshift='qshift_z' is unknown"),
        ({"axis": 1}, "axis=1 is out of range"),
    ],
)
def test_wrong_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        DTCWT(**{"dims": 12, **arguments})
