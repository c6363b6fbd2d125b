"""Output types and sizes, known and unknown, before anything runs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

from operax.pytensor import as_jax_op
from operax.pytensor._dims import evaluate_dim
from operax.pytensor._op import JaxOp
from operax.pytensor._outputs import partitions

pytestmark = pytest.mark.bridge


def ran(function):
    return any(isinstance(node.op, JaxOp) for node in function.maker.fgraph.toposort())


V, M = (None,), (None, None)

CASES = {
    "elementwise": (lambda x: jnp.sin(x), [V], [(4,)]),
    "reduce": (lambda x: x.sum(), [V], [(4,)]),
    "outer": (lambda x, y: jnp.outer(x, y), [V, V], [(4,), (3,)]),
    "same size": (lambda x, y: x + y, [V, V], [(4,), (4,)]),
    "product": (lambda a, x: a @ x, [M, V], [(3, 4), (4,)]),
    "solve": (lambda a, b: jnp.linalg.solve(a, b), [M, V], [(3, 3), (3,)]),
    "double minus one": (lambda x: jnp.concatenate([x, x[1:]]), [V], [(4,)]),
    "half": (lambda x: x[::2][: x.shape[0] // 2], [V], [(5,)]),
    "reshape": (lambda x: x.reshape(-1), [(None, 3)], [(4, 3)]),
    "power": (lambda x: jnp.outer(x, x).reshape(-1), [V], [(4,)]),
    "keep one": (lambda x: x.sum(axis=1, keepdims=True), [M], [(4, 3)]),
    "partly known": (lambda x: x.T, [(None, 3)], [(4, 3)]),
    "rfft": (lambda x: jnp.fft.rfft(x, axis=1), [(None, 8)], [(2, 8)]),
    "scan": (lambda x: jax.lax.scan(lambda c, v: (c + v, c), 0.0, x)[1], [V], [(4,)]),
    "pad": (lambda x: jnp.pad(x, (2, 1)), [V], [(4,)]),
    "three axes": (lambda x: jnp.moveaxis(x, 0, -1), [(None, None, 2)], [(4, 3, 2)]),
    "python loop over the size": (lambda x: jnp.stack([x[i] for i in range(x.shape[0])]), [V], [(4,)]),
    "convolve": (lambda x, y: jnp.convolve(x, y), [V, V], [(5,), (3,)]),
    "empty": (lambda x: jnp.concatenate([x, x]), [V], [(0,)]),
}


@pytest.mark.parametrize("name", CASES)
def test_sizes_from_types_alone_agree_with_what_runs(name):
    func, shapes, sizes = CASES[name]
    xs = [pt.tensor(f"x{k}", shape=s, dtype="float64") for k, s in enumerate(shapes)]
    y = as_jax_op(func)(*xs)
    rng = np.random.default_rng(0)
    values = [rng.normal(size=s) for s in sizes]
    result = pytensor.function(xs, y)(*values)
    assert y.type.ndim == result.ndim and y.type.dtype == result.dtype
    assert all(s in (None, d) for s, d in zip(y.type.shape, result.shape))
    shape_only = pytensor.function(xs, y.shape, on_unused_input="ignore")
    np.testing.assert_array_equal(shape_only(*values), result.shape)
    if name not in ("python loop over the size", "convolve"):
        assert not ran(shape_only)


@pytest.mark.parametrize("mode", ["NUMBA", "JAX"])
def test_sizes_in_other_modes(mode):
    x = pt.dvector("x")
    y = as_jax_op(lambda x: jnp.concatenate([x, x[1:]]))(x)
    np.testing.assert_array_equal(pytensor.function([x], y.shape, mode=mode)(np.ones(4)), [7])


def test_known_sizes_are_kept():
    x, y = pt.tensor("x", shape=(None, 3)), pt.tensor("y", shape=(2, 3))
    f = as_jax_op(lambda x: (x.sum(0), x.sum(1, keepdims=True), x[:, :2]))
    assert [v.type.shape for v in f(x)] == [(3,), (None, 1), (None, 2)]
    assert [v.type.shape for v in f(y)] == [(3,), (2, 1), (2, 2)]


def test_a_known_one_broadcasts():
    shared = pytensor.shared(np.arange(4.0))
    one = as_jax_op(lambda x: x.sum(keepdims=True))(shared)
    assert one.type.shape == (1,)
    np.testing.assert_allclose((one + pt.arange(3.0)).eval(), 6 + np.arange(3.0))


def test_gradient_sizes_where_the_output_is_longer_than_the_input():
    x = pt.dvector("x")
    y = as_jax_op(lambda x: jnp.concatenate([x, x[1:]]))(x)
    g = pytensor.grad((y * pt.arange(y.shape[0])).sum(), x)
    got, shape = pytensor.function([x], [g, g.shape])(np.ones(3))
    np.testing.assert_allclose(got, [0.0, 1 + 3, 2 + 4])
    np.testing.assert_array_equal(shape, [3])


def test_sizes_that_were_taken_to_be_equal_are_checked():
    x, y = pt.dvector("x"), pt.dvector("y")
    f = pytensor.function([x, y], as_jax_op(lambda first, second: first + second)(x, y))
    np.testing.assert_allclose(f([1.0, 2.0], [3.0, 4.0]), [4.0, 6.0])
    with pytest.raises(ValueError, match=r"axis 0 of first has size 2 and axis 0 of second size 1.*specify_shape"):
        f([1.0, 2.0], [3.0])


def test_evaluated_sizes_keep_unequal_axes_apart():
    a, b = pytensor.shared(np.ones((3, 4))), pytensor.shared(np.ones((4, 2)))
    y = as_jax_op(lambda a, b: a @ b)(a, b)
    f = pytensor.function([], [y, y.shape])
    np.testing.assert_array_equal(f()[1], [3, 2])
    a.set_value(np.ones((5, 6)))
    b.set_value(np.ones((6, 1)))
    np.testing.assert_array_equal(f()[0], np.full((5, 1), 6.0))


def needs_value(x):
    """Can be traced for an even size of at least 4 only."""
    if x.shape[0] % 2 or x.shape[0] < 4:
        raise ValueError("even sizes only")
    return x.reshape(2, x.shape[0] // 2 if isinstance(x.shape[0], int) else [][0])


def test_evaluation_is_the_last_resort_and_can_be_forbidden():
    shared = pytensor.shared(np.arange(10.0))
    doubled = pt.exp(shared)[:10]

    def only_ten(x):
        if not isinstance(x.shape[0], int) or x.shape[0] != 10:
            raise ValueError("ten values are needed")
        return x.reshape(2, 5)

    y = as_jax_op(only_ten)(doubled)
    assert y.type.ndim == 2
    np.testing.assert_allclose(y.eval(), np.exp(np.arange(10.0)).reshape(2, 5))
    with pytest.raises(ValueError, match=r"only_ten.*x of type .*specify_shape.*itypes"):
        as_jax_op(only_ten, allow_eval=False)(doubled)


TABLE = np.random.default_rng(1).normal(size=(15, 12))

SIZES_OF_OTHERS = {
    "array of its own": (lambda x: jnp.asarray(TABLE) @ x, [V], [(12,)]),
    "array of its own, rows and columns": (lambda x, y: y @ (jnp.asarray(TABLE) @ x), [V, V], [(12,), (15,)]),
    "other input": (lambda x, y: jnp.sum(x * y), [V, (12,)], [(12,), (12,)]),
    "other input, and one free": (lambda a, y: a @ y, [M, (12,)], [(3, 12), (12,)]),
    "one after the other": (lambda x: jnp.asarray(TABLE).T @ (jnp.arange(15.0) + x), [V], [(15,)]),
}


@pytest.mark.parametrize("name", SIZES_OF_OTHERS)
def test_unknown_sizes_that_must_agree_with_a_known_one(name):
    func, shapes, sizes = SIZES_OF_OTHERS[name]
    xs = [pt.tensor(f"x{k}", shape=s, dtype="float64") for k, s in enumerate(shapes)]
    values = [np.random.default_rng(0).normal(size=s) for s in sizes]
    y = as_jax_op(func)(*xs)
    f = pytensor.function(xs, [y, y.shape, pytensor.grad(y.sum(), xs[0])])
    with jax.enable_x64(True):
        expected, slope = np.asarray(func(*values)), np.asarray(jax.grad(lambda *v: func(*v).sum())(*values))
    value, shape, g = f(*values)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_array_equal(shape, expected.shape)
    np.testing.assert_allclose(g, slope, rtol=1e-12)


def test_a_static_array_that_the_size_must_agree_with():
    x = pt.dvector("x")
    y = as_jax_op(lambda table, x: [jnp.sin(table @ x), None][:1])(TABLE, x)[0]
    a = np.random.default_rng(0).normal(size=12)
    np.testing.assert_allclose(pytensor.function([x], y)(a), np.sin(TABLE @ a), rtol=1e-12)


def test_specified_shape_is_enough():
    x = pt.dvector("x")
    y = as_jax_op(needs_value)(pt.specify_shape(x, (6,)))
    assert y.type.shape == (2, 3)
    np.testing.assert_allclose(pytensor.function([x], y)(np.arange(6.0)), np.arange(6.0).reshape(2, 3))


def test_same_op_with_other_sizes_after_cloning():
    x5 = pt.tensor("x", shape=(5,))
    y = as_jax_op(lambda x: jnp.cumsum(x))(x5)
    x3 = pt.tensor("x", shape=(3,))
    z = pytensor.graph.replace.clone_replace(y, {x5: x3}, rebuild_strict=False)
    assert z.type.shape == (3,)
    np.testing.assert_allclose(pytensor.function([x3], z)([1.0, 2.0, 3.0]), [1.0, 3.0, 6.0])


@pytest.mark.parametrize(
    "text, value",
    [("2*a - 1", 9), ("a^2*b + 1", 51), ("floordiv(a + b, 2)", 3), ("mod(a, b)", 1), ("max(a, b)", 5), ("-a + 8", 3)],
)
def test_size_expressions(text, value):
    functions = {"max": max, "min": min}
    assert evaluate_dim(text, {"a": 5, "b": 2}, functions) == value
    symbolic = evaluate_dim(text, {"a": pt.constant(5), "b": pt.constant(2)}, {"max": pt.maximum, "min": pt.minimum})
    assert symbolic.eval() == value


def test_size_expression_without_translation():
    with pytest.raises(ValueError, match="no translation"):
        evaluate_dim("a if b else 2", {"a": 1, "b": 2}, {})


def test_groupings_are_all_set_partitions_finest_first():
    groups = partitions(4)
    assert len(groups) == len(set(groups)) == 15  # the fourth Bell number
    assert groups[0] == (0, 1, 2, 3) and groups[-1] == (0, 0, 0, 0)
