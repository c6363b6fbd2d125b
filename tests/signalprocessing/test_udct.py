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
    ("dims", "arguments"),
    [
        ((32, 32), {}),
        ((24, 32), {"transform_kind": "complex"}),
        ((48, 32), {"num_scales": 4}),
        ((32, 32), {"num_scales": 2, "wedges_per_direction": 6}),
        ((32, 32), {"window_threshold": 1e-3}),
        ((32, 48), {"radial_frequency_params": (0.8, 1.6, 2.4, 3.6), "num_scales": 4}),
        ((32, 32), {"radial_frequency_params": (1.0, 2.0, 2.2, 4.0), "transform_kind": "complex"}),
        ((8, 12, 16), {"num_scales": 2}),
        ((8, 8, 8), {"num_scales": 2, "transform_kind": "complex"}),
    ],
    ids=str,
)
def test_equals_the_curvelets_package(dims, arguments):
    package = pytest.importorskip("curvelets.numpy", reason="the curvelets package is the reference")
    reference = package.UDCT(dims, **arguments)
    x = numbers(dims, arguments.get("transform_kind", "real"))
    truth = reference.forward(x)
    op = UDCT(dims, **arguments)
    np.testing.assert_allclose(op @ x, reference.vect(truth), atol=1e-12)
    got = op.get_coefficients(op @ x)
    for scale, others in zip(got, truth, strict=True):
        for direction, other in zip(scale, others, strict=True):
            for wedge, values in zip(direction, other, strict=True):
                np.testing.assert_allclose(wedge, values, atol=1e-12)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_equals_pylops(kind):
    pytest.importorskip("curvelets", reason="PyLops computes curvelets with this package")
    reference = pytest.importorskip("pylops", reason="the reference").signalprocessing.UDCT(
        (24, 32), transform_kind=kind
    )
    op, x = UDCT((24, 32), transform_kind=kind), numbers((24, 32), kind)
    y = op @ x
    assert op.shape == reference.shape
    np.testing.assert_allclose(y, reference @ x.ravel(), atol=1e-12)
    np.testing.assert_allclose(op.H @ (2 * y), (reference.H @ (2 * y)).reshape(24, 32), atol=1e-12)
    np.testing.assert_allclose(op.inverse(y), np.reshape(reference.inverse(y), (24, 32)), atol=1e-12)


@pytest.mark.parametrize(("dims", "kind"), [((4, 8), "real"), ((4, 4), "complex"), ((2, 4, 4), "real")])
def test_adjoint_is_the_transposed_matrix(dims, kind):
    op = UDCT(dims, num_scales=2, transform_kind=kind)
    matrix = np.stack([op @ e.reshape(dims) for e in np.eye(op.shape[1])], axis=1)
    y = numbers(op.dimsd, "complex")
    truth = matrix.conj().T @ y
    truth = truth.real if kind == "real" else truth
    np.testing.assert_allclose((op.H @ y).ravel(), truth, atol=1e-12)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"transform_kind": "complex"},
        {"high_frequency_mode": "wavelet"},
        {"high_frequency_mode": "wavelet", "transform_kind": "complex"},
        {"num_scales": 2, "wedges_per_direction": 6},
        {"window_overlap": 0.4},
        {"radial_frequency_params": (1.2, 1.8, 2.6, 3.8)},
        {"radial_frequency_params": (2.0, 2.5, 2.6, 3.2)},
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
        ({"radial_frequency_params": (1.0, 2.0, 3.0)}, "must be four frequencies"),
        ({"radial_frequency_params": (2.0, 1.0, 3.0, 4.0)}, "a < b and c < d"),
        ({"radial_frequency_params": (1.5, 2.0, 1.0, 4.0)}, "must not fall before it rises"),
        (
            {"radial_frequency_params": (1.2, 1.8, 2.6, 3.0)},
            r"leave the frequency \(\d+, \d+\) of dims=.* in no window",
        ),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        UDCT(**{"dims": (32, 32), **arguments})


def test_coefficients_of_another_size_are_refused():
    with pytest.raises(ValueError, match="coefficients have shape"):
        UDCT((8, 8)).get_coefficients(np.zeros(3))
