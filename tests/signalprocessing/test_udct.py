"""Curvelets against the curvelets package, as a tight frame, and what they refuse."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from operax.signalprocessing import UDCT


def numbers(shape, kind="real", seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if kind == "complex" else x


@pytest.mark.parametrize(
    ("dims", "scales", "wedges", "kind"),
    [
        ((32, 32), 3, 3, "real"),
        ((24, 32), 3, 3, "complex"),
        ((48, 32), 4, 3, "real"),
        ((32, 48), 2, 6, "real"),
        ((8, 12, 16), 2, 3, "real"),
    ],
)
def test_equals_the_curvelets_package(dims, scales, wedges, kind):
    reference = pytest.importorskip("curvelets.numpy").UDCT(
        dims, num_scales=scales, wedges_per_direction=wedges, transform_kind=kind
    )
    x = numbers(dims, kind)
    truth = reference.forward(x)
    op = UDCT(dims, scales, wedges, transform_kind=kind)
    # the package leaves windows below its threshold of 1e-5 out after it scales them
    np.testing.assert_allclose(op @ x, reference.vect(truth), atol=5e-5)
    got = op.get_coefficients(op @ x)
    assert [[[w.shape for w in d] for d in s] for s in got] == [[[w.shape for w in d] for d in s] for s in truth]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"transform_kind": "complex"},
        {"high_frequency_mode": "wavelet"},
        {"high_frequency_mode": "wavelet", "transform_kind": "complex"},
        {"num_scales": 2, "wedges_per_direction": 6},
        {"window_overlap": 0.4},
        {"radial_frequency_params": (1.2, np.pi - 1.2, 2.4, 2 * np.pi - 2.4)},
        {"window_threshold": 0.05},
    ],
    ids=str,
)
def test_tight_frame(arguments):
    kind = arguments.get("transform_kind", "real")
    op, x = UDCT((24, 32), **arguments), numbers((24, 32), kind)
    y = op @ x
    np.testing.assert_allclose(np.vdot(y, y), np.vdot(x, x), rtol=1e-12)
    np.testing.assert_allclose(op.inverse(y), x, atol=1e-12)
    np.testing.assert_allclose(op.H @ y, x, atol=1e-12)


@pytest.mark.parametrize(("k", "axis", "wedge"), [((10, 4), 0, 0), ((10, 0), 0, 1), ((10, -4), 0, 2), ((4, 10), 1, 0)])
def test_a_plane_wave_falls_into_its_wedge(k, axis, wedge):
    n = np.arange(32)
    wave = np.cos(2 * np.pi * (k[0] * n[:, None] + k[1] * n) / 32)
    op = UDCT((32, 32), num_scales=2)
    energy = {
        (s, d, w): np.sum(np.abs(c) ** 2)
        for s, directions in enumerate(op.get_coefficients(op @ wave))
        for d, wedges in enumerate(directions)
        for w, c in enumerate(wedges)
    }
    assert max(energy, key=energy.get) == (1, axis, wedge)
    assert energy[1, axis, wedge] > 0.7 * np.sum(wave**2)


def test_jax_gradient_is_the_adjoint():
    op, x = UDCT((8, 12)), numbers((8, 12))
    data = op @ numbers((8, 12), seed=1)
    misfit = lambda x: 0.5 * jnp.sum(jnp.abs(op @ x - data) ** 2)
    np.testing.assert_allclose(jax.jit(jax.grad(misfit))(jnp.asarray(x)), op.H @ (op @ x - data), atol=1e-12)


def test_precision_follows_the_input():
    y = UDCT((8, 8)) @ numbers((8, 8)).astype("float32")
    assert y.dtype == np.complex64
    assert (UDCT((8, 8)).H @ y).dtype == np.float32


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dims": 16}, "at least two dimensions"),
        ({"dims": (30, 32)}, r"multiples of 4 .* pad to \(32, 32\)"),
        ({"num_scales": 1}, "at least 2"),
        ({"wedges_per_direction": 4}, "multiple of 3"),
        ({"window_overlap": 0.0}, "above 0"),
        ({"window_threshold": 0.7}, "well below 1"),
        ({"high_frequency_mode": "rings"}, "high_frequency_mode='rings'"),
        ({"transform_kind": "monogenic"}, "transform_kind='monogenic'"),
        ({"radial_frequency_params": (1.0, 2.0, 3.0, 4.0)}, "share their transitions"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        UDCT(**{"dims": (32, 32), **arguments})


def test_coefficients_of_another_size_are_refused():
    with pytest.raises(ValueError, match="coefficients have shape"):
        UDCT((8, 8)).get_coefficients(np.zeros(3))
