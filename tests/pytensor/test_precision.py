"""The precision of a graph is its own, whatever JAX's switch says, and the switch is left as found."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

from operax.pytensor import as_jax_op

pytestmark = pytest.mark.bridge

X = np.linspace(0.1, 1.3, 7)


def sine(x):
    return jnp.sin(x) + jnp.zeros(()) + jnp.asarray(1 / 3)


TRUTH = np.sin(X) + 1 / 3


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize("kind", [None, "NUMBA", "FAST_COMPILE"])
def test_64_bits_with_the_switch_off_and_on(kind, on):
    jax.config.update("jax_enable_x64", on)
    x = pt.dvector("x")
    y = as_jax_op(sine)(x)
    f = pytensor.function([x], [y, pytensor.grad(y.sum(), x)], mode=kind)
    value, g = f(X)
    assert y.type.dtype == "float64" and value.dtype == g.dtype == np.float64
    np.testing.assert_allclose(value, TRUTH, rtol=1e-15)
    np.testing.assert_allclose(g, np.cos(X), rtol=1e-15)
    assert jax.config.jax_enable_x64 == on
    assert jnp.asarray(1.0).dtype == ("float64" if on else "float32")


@pytest.mark.parametrize("kind", [None, "NUMBA"])
def test_flipping_the_switch_between_build_and_calls(kind):
    x = pt.dvector("x")
    y = as_jax_op(sine)(x)
    jax.config.update("jax_enable_x64", True)
    f = pytensor.function([x], [y, pytensor.grad(y.sum(), x)], mode=kind)
    for on in (True, False, True, False):
        jax.config.update("jax_enable_x64", on)
        value, g = f(X)
        np.testing.assert_allclose(value, TRUTH, rtol=1e-15)
        np.testing.assert_allclose(g, np.cos(X), rtol=1e-15)
        assert jax.config.jax_enable_x64 == on


def test_the_switch_survives_an_error():
    def broken(x):
        raise ArithmeticError("no")

    with pytest.raises(ArithmeticError):
        as_jax_op(broken)(pt.dvector("x"))
    assert not jax.config.jax_enable_x64


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize("kind", [None, "NUMBA"])
def test_float32_stays_float32(kind, on):
    jax.config.update("jax_enable_x64", on)
    with pytensor.config.change_flags(floatX="float32"):
        x, i = pt.vector("x"), pt.lvector("i")
        y = as_jax_op(lambda x, i: sine(x)[i] * jnp.ones(2))(x, i)
        g = pytensor.grad(y.sum(), x)
        f = pytensor.function([x, i], [y, g], mode=kind)
    assert x.type.dtype == y.type.dtype == g.type.dtype == "float32"
    value, grad = f(X.astype("float32"), [1, 3])
    assert value.dtype == grad.dtype == np.float32
    np.testing.assert_allclose(value, TRUTH[[1, 3]], rtol=1e-6)
    assert jax.config.jax_enable_x64 == on


def test_integers_that_a_32_bit_graph_cannot_hold():
    with pytensor.config.change_flags(floatX="float32"):
        i = pt.lvector("i")
        f = pytensor.function([i], as_jax_op(lambda index: index + 1)(i))
    np.testing.assert_array_equal(f([2**31 - 3]), [2**31 - 2])
    with pytest.raises(OverflowError, match=r"index .* outside of 32 bits.*floatX"):
        f([2**31])


def test_float64_input_in_a_float32_graph_is_not_cut():
    with pytensor.config.change_flags(floatX="float32"):
        x = pt.dvector("x")
        y = as_jax_op(sine)(x)
        np.testing.assert_allclose(pytensor.function([x], y)(X), TRUTH, rtol=1e-15)


def test_float32_input_in_a_float64_graph_keeps_its_dtype():
    x = pt.fvector("x")
    y = as_jax_op(lambda x: jnp.sin(x) * 2)(x)
    assert y.type.dtype == "float32"
    assert pytensor.function([x], y)(X.astype("float32")).dtype == np.float32


SCRIPT = """
import numpy as np, pytensor, pytensor.tensor as pt, jax, jax.numpy as jnp
from operax.pytensor import as_jax_op
x = pt.dvector("x")
y = as_jax_op(lambda x: jnp.sum(jnp.sin(x) * 2.0))(x)
outputs = [y, pytensor.grad(y, x)]
a = np.linspace(0.1, 1.3, 7)
before = pytensor.function([x], outputs)
first = before(a)
assert not jax.config.jax_enable_x64
during = pytensor.function([x], outputs, mode="JAX")(a)
assert jax.config.jax_enable_x64  # PyTensor's JAX mode turns it on
for r in (first, during, before(a)):
    np.testing.assert_allclose(r[0], 2 * np.sin(a).sum(), rtol=1e-15)
    np.testing.assert_allclose(r[1], 2 * np.cos(a), rtol=1e-15)
"""


def test_the_default_mode_before_and_after_jax_mode():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=120)
