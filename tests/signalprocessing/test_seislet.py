"""Seislet transform against PyLops, its exact inverse, and what it refuses."""

import jax
import jax.numpy as jnp
import numpy as np
import pylops
import pytest

from operax.signalprocessing import Seislet


def numbers(shape, seed=0):
    return np.random.default_rng(seed).uniform(-0.9, 0.9, shape)


@pytest.mark.parametrize("kind", ["haar", "linear"])
@pytest.mark.parametrize(("nx", "level"), [(8, None), (6, 1), (5, 3), (2, 1)])
def test_equals_pylops(kind, nx, level):
    slopes, sampling = numbers((nx, 7)), (2.0, 0.8)
    op = Seislet(slopes, sampling, level, kind)
    ref = pylops.signalprocessing.Seislet(slopes, sampling, level, kind)
    x = numbers((nx, 7), 1)
    y = op @ x
    np.testing.assert_allclose(y, (ref @ x.ravel()).reshape(op.dimsd), atol=1e-12)
    np.testing.assert_allclose(op.H @ y, (ref.H @ y.ravel()).reshape(op.dims), atol=1e-11)
    np.testing.assert_allclose(op.inverse(y), x, atol=1e-12)
    np.testing.assert_array_equal(op.levels_size, ref.levels_size)
    np.testing.assert_array_equal(op.levels_cum, ref.levels_cum)
    np.testing.assert_array_equal(op.slopes, ref.slopes)


def test_no_level_pads():
    x = numbers((3, 5))
    np.testing.assert_array_equal(Seislet(x, level=0) @ x, np.vstack([x, np.zeros((1, 5))]))


def test_inverse_as_adjoint():
    op = Seislet(numbers((8, 6)), kind="linear", inv=True)
    x = numbers((8, 6), 1)
    np.testing.assert_allclose(op.H @ (op @ x), x, atol=1e-12)
    np.testing.assert_allclose(op.H.batched(op.batched(np.stack([x, -x]))), np.stack([x, -x]), atol=1e-12)


def test_inverse_keeps_the_style_of_its_input():
    op, x = Seislet(numbers((6, 5))), numbers((6, 5), 1)
    y = op @ x
    np.testing.assert_allclose(op.inverse(y.ravel()), x.ravel(), atol=1e-12)
    np.testing.assert_allclose(jax.jit(op.inverse)(jnp.asarray(y)), x, atol=1e-12)


@pytest.mark.parametrize("slope", [0.0, 1.0, -2.0])
def test_whole_slopes_have_finite_derivatives(slope):
    slopes, x = jnp.full((4, 6), slope), jnp.asarray(numbers((4, 6)))
    d = jnp.asarray(numbers((4, 6), 1))

    def fit(s):
        return jnp.sum((Seislet(s) @ x) * d)

    step = 1e-5
    bump = jnp.zeros((4, 6)).at[2, 3].set(step)
    expected = (fit(slopes + bump) - fit(slopes - bump)) / (2 * step)
    np.testing.assert_allclose(jax.grad(fit)(slopes)[2, 3], expected, rtol=1e-6)


def test_blocks_of_traces_agree(monkeypatch):
    slopes, x = numbers((12, 5)), numbers((12, 5), 1)
    expected = Seislet(slopes, kind="linear") @ x
    monkeypatch.setattr("operax._arrays.sinc._TABLE", 75)  # three traces a block
    jax.clear_caches()
    for data in (x, jnp.asarray(x)):
        op = Seislet(slopes, kind="linear")
        np.testing.assert_allclose(op @ data, expected, atol=1e-12)
        np.testing.assert_allclose(op.inverse(op @ data), x, atol=1e-12)
    gradient = jax.grad(lambda s: jnp.sum((Seislet(s, kind="linear") @ x) * expected))(jnp.asarray(slopes))
    monkeypatch.undo()
    jax.clear_caches()
    whole = jax.grad(lambda s: jnp.sum((Seislet(s, kind="linear") @ x) * expected))(jnp.asarray(slopes))
    np.testing.assert_allclose(gradient, whole, atol=1e-10)


def test_single_precision_is_kept():
    slopes, x = numbers((8, 5)), numbers((8, 5), 1).astype("float32")
    for data in (x, jnp.asarray(x)):
        y = Seislet(slopes) @ data
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, Seislet(slopes) @ x.astype("float64"), atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"slopes": np.ones(4)}, r"slopes must have shape \(nx, nt\), got \(4,\)"),
        ({"sampling": (1.0,)}, "sampling=.* must hold two steps"),
        ({"level": 4}, "level=4 must be between 0 and 2"),
        ({"level": -1}, "level=-1 must be between 0 and 2"),
        ({"kind": "cubic"}, "kind='cubic' is unknown"),
    ],
)
def test_wrong_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        Seislet(**{"slopes": np.zeros((4, 3)), **arguments})
