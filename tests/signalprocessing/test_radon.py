"""Radon transforms: values against PyLops and closed forms, and what is accepted."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from operax import signalprocessing as sp

T, H, P = 0.3 + np.arange(9) * 0.1, 1.0 + np.arange(4) * 2.0, np.array([-0.07, 0.03, 0.13])


def power(x, t, p):
    return t + p * abs(x) ** 1.5


@pytest.mark.parametrize(
    ("kind", "centeredh", "interp"),
    list(itertools.product(["linear", "parabolic", "hyperbolic", power], [False, True], [False, True])),
)
def test_radon2d_equals_pylops(kind, centeredh, interp):
    pylops = pytest.importorskip("pylops")
    options = {"kind": kind, "centeredh": centeredh, "interp": interp}
    ours, theirs = sp.Radon2D(T, H, P, **options), pylops.signalprocessing.Radon2D(T, H, P, engine="numpy", **options)
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(ours.dims), rng.standard_normal(ours.dimsd)
    np.testing.assert_allclose(ours @ x, theirs @ x, atol=1e-12)
    np.testing.assert_allclose(ours.H @ y, theirs.H @ y, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "interp"), list(itertools.product(["linear", "parabolic", "hyperbolic"], [False, True]))
)
def test_radon3d_equals_pylops(kind, interp):
    pylops = pytest.importorskip("pylops")
    axes = (T, np.arange(3) * 1.0, H, np.array([-0.053, 0.11]), P + 0.003)
    ours = sp.Radon3D(*axes, kind=kind, interp=interp)
    theirs = pylops.signalprocessing.Radon3D(*axes, kind=kind, interp=interp, engine="numpy")
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(ours.dims), rng.standard_normal(ours.dimsd)
    np.testing.assert_allclose(ours @ x, theirs @ x, atol=1e-12)
    np.testing.assert_allclose(ours.H @ y, theirs.H @ y, atol=1e-12)


def test_derivative_in_the_shifts():
    Op = sp.Radon2D(T, H, P).to("jax")
    x, y = jnp.ones(Op.dims), jnp.arange(36.0).reshape(Op.dimsd)
    gradient = jax.grad(lambda op: jnp.sum(y * (op @ x)), allow_int=True)(Op).fraction
    step = 1e-6
    moved = jax.tree_util.tree_map(lambda a: a, Op)
    moved.fraction = Op.fraction.at[1, 2].add(step)
    difference = (jnp.sum(y * (moved @ x)) - jnp.sum(y * (Op @ x))) / step
    np.testing.assert_allclose(gradient[1, 2], difference, rtol=1e-5)


def test_wrong_arguments_say_what_fits():
    with pytest.raises(ValueError, match=r"kind='cubic'.*'linear'"):
        sp.Radon2D(T, H, P, kind="cubic")
    with pytest.raises(ValueError, match="haxis must be regularly sampled"):
        sp.Radon2D(T, H**2, P)
    with pytest.raises(ValueError, match="engine='c'"):
        sp.Radon2D(T, H, P, engine="c")
    with pytest.raises(ValueError, match="taxis must be one-dimensional"):
        sp.Radon2D(T[:, None], H, P)
