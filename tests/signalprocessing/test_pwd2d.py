"""Plane-wave sprayer and smoother against PyLops, and what they refuse."""

import jax
import jax.numpy as jnp
import numpy as np
import pylops
import pytest

from operax.signalprocessing import PWSmoother2D, PWSprayer2D


def numbers(shape, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, shape)


@pytest.mark.parametrize("size", [0.3, 4.0])
@pytest.mark.parametrize(("radius", "alpha"), [(1, 0.5), (4, 1.0), (20, 0.9)])
def test_equals_pylops(size, radius, alpha):
    sigma = size * numbers((9, 7))
    x = numbers((9, 7), 1)
    for ours, theirs in ((PWSprayer2D, "PWSprayer2D"), (PWSmoother2D, "PWSmoother2D")):
        op = ours((9, 7), sigma, radius, alpha)
        ref = getattr(pylops.signalprocessing, theirs)((9, 7), sigma, radius, alpha)
        for data in (x, jnp.asarray(x)):
            np.testing.assert_allclose(op @ data, (ref @ x.ravel()).reshape(9, 7), atol=1e-12)
            np.testing.assert_allclose(op.H @ data, (ref.H @ x.ravel()).reshape(9, 7), atol=1e-12)


def test_single_row_and_single_trace():
    np.testing.assert_allclose(PWSprayer2D((1, 3), np.ones((1, 3)), alpha=0.5).todense()[0], [1, 0.5, 0.25])
    np.testing.assert_allclose(PWSprayer2D((3, 1), np.ones((3, 1))).todense(), np.eye(3))
    np.testing.assert_allclose(PWSprayer2D((3, 2), np.ones((3, 2)), radius=0).todense(), np.eye(6))


def test_gradient_in_slopes_through_a_smoother():
    x, d = jnp.asarray(numbers((6, 5))), jnp.asarray(numbers((6, 5), 1))

    def fit(sigma):
        return jnp.sum((PWSmoother2D((6, 5), sigma, 3) @ x) * d)

    sigma, step = numbers((6, 5), 2), 1e-6
    gradient = jax.jit(jax.grad(fit))(jnp.asarray(sigma))
    for at in ((2, 2), (4, 1)):
        bump = np.zeros((6, 5))
        bump[at] = step
        np.testing.assert_allclose(gradient[at], (fit(sigma + bump) - fit(sigma - bump)) / (2 * step), rtol=1e-6)


def test_single_precision_is_kept():
    sigma, x = numbers((6, 5)), numbers((6, 5), 1).astype("float32")
    for data in (x, jnp.asarray(x)):
        assert (PWSprayer2D((6, 5), sigma) @ data).dtype == np.float32
        assert (PWSmoother2D((6, 5), sigma).H @ data).dtype == np.float32


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"dims": (3,)}, r"dims=\(3,\) must be \(nz, nx\)"),
        ({"sigma": np.ones((2, 3))}, r"sigma has shape \(2, 3\), expected one slope a sample: \(3, 2\)"),
        ({"radius": -1}, "radius=-1 must not be negative"),
        ({"alpha": 1.5}, r"alpha=1.5 must be a number in \(0, 1\]"),
        ({"alpha": np.ones(2)}, "alpha=.* must be a number"),
    ],
)
@pytest.mark.parametrize("operator", [PWSprayer2D, PWSmoother2D])
def test_wrong_arguments(operator, arguments, text):
    with pytest.raises(ValueError, match=text):
        operator(**{"dims": (3, 2), "sigma": np.ones((3, 2)), **arguments})
