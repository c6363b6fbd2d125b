"""Which Ops are equal, and how often the user's function is traced."""

import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

from operax.pytensor import as_jax_op
from operax.pytensor._op import JaxOp

pytestmark = pytest.mark.bridge

X = np.array([1.0, 2.0, 4.0])


def foreign(function):
    """The wrapped Ops in a compiled function."""
    return [node.op for node in function.maker.fgraph.toposort() if isinstance(node.op, JaxOp)]


def combine(x, static):
    return x * 2.0


combine_op = as_jax_op(combine)


@pytest.mark.parametrize(
    "make",
    [
        lambda: 2,
        lambda: "text",
        lambda: {"a": (1, None), "b": [2.5]},
        lambda: np.arange(4.0),
        lambda: jnp.arange(4),
        lambda: jax.random.key(1),
        lambda: float("nan"),
        lambda: (np.float32(1), True, len),
    ],
    ids=["int", "str", "nested", "numpy", "jax", "key", "nan", "mixed"],
)
def test_equal_statics_merge(make):
    x = pt.dvector("x")
    a, b = combine_op(x, make()), combine_op(x, make())
    assert a.owner.op == b.owner.op and hash(a.owner.op) == hash(b.owner.op)
    assert len(foreign(pytensor.function([x], [a, b]))) == 1


class Same:
    """Equal to everything, and hashed alike."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Other(Same):
    pass


class Elementwise:
    """Compares element by element, as arrays do."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return np.array([True, True])


@pytest.mark.parametrize(
    "first, second",
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("1", 1),
        ([1, 2], (1, 2)),
        (np.arange(3), np.arange(3.0)),
        (np.zeros((1, 2)), np.zeros((2, 1))),
        (np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-12])),
        (np.float32(1), np.float64(1)),
        (jax.random.key(0), jax.random.key(1)),
        (lambda x: x, lambda x: x),
        (Same(), Other()),
        (Elementwise(), Elementwise()),
        (None, ()),
        ({"a": 1}, {"b": 1}),
        (bytearray(b"a"), bytearray(b"b")),
    ],
)
def test_different_statics_never_merge(first, second):
    x = pt.dvector("x")
    a, b = combine_op(x, first), combine_op(x, second)
    assert a.owner.op != b.owner.op
    assert len(foreign(pytensor.function([x], [a, b]))) == 2


def test_different_functions_of_equal_shapes_never_merge():
    x = pt.dvector("x")
    sine, cosine = as_jax_op(lambda x: jnp.sin(x)), as_jax_op(lambda x: jnp.cos(x))
    np.testing.assert_allclose(pytensor.function([x], sine(x) - cosine(x))(X), np.sin(X) - np.cos(X), rtol=1e-14)


def test_a_static_array_changed_afterwards_does_not_change_the_graph():
    table = np.array([1.0, 2.0, 3.0])
    x = pt.tensor("x", shape=(3,))
    y = as_jax_op(lambda x, t: x * t)(x, table)
    table[:] = 0.0
    np.testing.assert_allclose(pytensor.function([x], y)(X), X * [1.0, 2.0, 3.0])


def test_bound_methods_and_partials_are_compared_by_content():
    import functools

    class Model:
        def __init__(self, n):
            self.n = n

        def apply(self, x):
            return x * self.n

    one, two, x = Model(2.0), Model(3.0), pt.dvector("x")
    assert as_jax_op(one.apply)(x).owner.op == as_jax_op(one.apply)(x).owner.op
    assert as_jax_op(one.apply)(x).owner.op != as_jax_op(two.apply)(x).owner.op
    half = lambda n: as_jax_op(functools.partial(combine, static=n))(x).owner.op
    assert half(1) == half(1) and half(1) != half(2)


def test_the_only_property_is_the_function():
    assert JaxOp.__props__ == ("fn",)


def test_equal_calls_and_equal_gradients_are_one_node():
    x = pt.dvector("x")
    f = as_jax_op(lambda x: jnp.sum(x**3))
    a, b = f(x), f(x)
    compiled = pytensor.function([x], [a, b, pytensor.grad(a, x), pytensor.grad(b, x)])
    assert len(foreign(compiled)) == 1
    np.testing.assert_allclose(compiled(X)[3], 3 * X**2)


def counted():
    calls = []

    @as_jax_op
    def f(x, scale):
        calls.append(1)
        return jnp.sum(jnp.sin(x) * scale)

    return f, calls


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_building_evaluating_and_differentiating_twice_traces_once(mode):
    f, calls = counted()

    def build():
        x = pt.tensor("x", shape=(3,))
        y = f(x, 2.0) + f(x, 2.0)
        return pytensor.function([x], [y, pytensor.grad(y, x)], mode=mode)

    for _ in range(2):
        compiled = build()
        compiled(X), compiled(X + 1)
        del compiled
    assert len(calls) == 1


def test_unknown_sizes_are_traced_once_for_symbols_and_once_for_each_size():
    f, calls = counted()
    x = pt.dvector("x")
    y = f(x, 2.0)
    compiled = pytensor.function([x], [y, pytensor.grad(y, x)])
    assert len(calls) == 1
    compiled(X), compiled(2 * X)
    assert len(calls) == 2
    compiled(np.ones(5))
    assert len(calls) == 3


def test_wrapped_functions_are_given_back():
    # what is kept is kept by the function itself, not by a table of the module
    def build():
        f = as_jax_op(lambda x, t: jnp.sum(x * t[0]))
        x = pt.dvector("x")
        y = f(x, np.ones(1000))
        pytensor.grad(y, x)
        return weakref.ref(y.owner.op.fn)

    reference = build()
    jax.clear_caches()
    gc.collect()
    assert reference() is None
