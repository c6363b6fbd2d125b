"""What PyTensor's compilation makes of wrapped functions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.graph.replace import vectorize_graph
from pytensor.tensor.blockwise import Blockwise

from operax.pytensor import as_jax_op
from operax.pytensor._op import JaxOp
from operax.pytensor._transforms import Bound, Selected, ValueAndPullback, Vectorized

pytestmark = pytest.mark.bridge

RNG = np.random.default_rng(0)


def foreign(function):
    """The wrapped Ops in a compiled function."""
    return [node.op for node in function.maker.fgraph.toposort() if isinstance(node.op, JaxOp)]


def inner(fn):
    """The function inside of bindings and selections."""
    while isinstance(fn, (Bound, Selected)):
        fn = fn.fn
    return fn


def counting(func):
    """A JAX function that counts its runs at run time."""
    runs = []

    def f(*args):
        jax.debug.callback(lambda: runs.append(1))
        return func(*args)

    return f, runs


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_value_and_gradient_are_one_call(mode):
    func, runs = counting(lambda x, y: jnp.sum(jnp.sin(x) * y))
    x, y = pt.tensor("x", shape=(3,)), pt.tensor("y", shape=(3,))
    cost = as_jax_op(func)(x, y)
    f = pytensor.function([x, y], [cost, *pytensor.grad(cost, [x, y])], mode=mode)
    a, b = RNG.normal(size=(2, 3))
    value, gx, gy = f(a, b)
    jax.effects_barrier()
    assert len(runs) == 1
    (op,) = foreign(f)
    assert isinstance(inner(op.fn), ValueAndPullback)
    np.testing.assert_allclose(value, np.sum(np.sin(a) * b))
    np.testing.assert_allclose(gx, np.cos(a) * b)
    np.testing.assert_allclose(gy, np.sin(a))


def test_a_cotangent_that_depends_on_the_value_stays_apart():
    x = pt.tensor("x", shape=(3,))
    mean = as_jax_op(jnp.sin)(x)
    cost = ((mean - 1) ** 2).sum()
    f = pytensor.function([x], [cost, pytensor.grad(cost, x)])
    assert len(foreign(f)) == 2
    a = RNG.normal(size=3)
    np.testing.assert_allclose(f(a)[1], 2 * (np.sin(a) - 1) * np.cos(a))


def test_outputs_that_nothing_reads_are_dropped():
    x, data = pt.tensor("x", shape=(3,)), pt.tensor("data", shape=(3,))
    cost, _ = as_jax_op(lambda x, d: (jnp.sum(x * d), jnp.outer(x, d)))(x, data)
    f = pytensor.function([x, data], [cost, pytensor.grad(cost, x)])
    (op,) = foreign(f)
    assert isinstance(inner(op.fn), ValueAndPullback)
    (node,) = [n for n in f.maker.fgraph.toposort() if isinstance(n.op, JaxOp)]
    assert len(node.outputs) == 2
    a, d = RNG.normal(size=(2, 3))
    np.testing.assert_allclose(f(a, d)[0], a @ d)
    np.testing.assert_allclose(f(a, d)[1], d)


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_constant_inputs_are_bound(mode):
    table = RNG.normal(size=(3, 3))
    x = pt.tensor("x", shape=(3,))
    cost = as_jax_op(lambda a, x, b: jnp.sum(a @ x) + b)(pt.constant(table), x, pt.constant(2.0))
    f = pytensor.function([x], [cost, pytensor.grad(cost, x)], mode=mode)
    assert any(isinstance(op.fn, Bound) for op in foreign(f))
    a = RNG.normal(size=3)
    np.testing.assert_allclose(f(a)[0], np.sum(table @ a) + 2, rtol=1e-12)
    np.testing.assert_allclose(f(a)[1], table.sum(0), rtol=1e-12)


def test_different_constants_are_not_mixed_up():
    x = pt.tensor("x", shape=(2,))
    f = as_jax_op(lambda x, c: x * c)
    difference = f(x, pt.constant(np.array([1.0, 2.0]))) - f(x, pt.constant(np.array([1.0, 3.0])))
    np.testing.assert_allclose(pytensor.function([x], difference)([1.0, 1.0]), [0.0, -1.0])


def test_constants_alone_are_folded():
    y = as_jax_op(jnp.sin)(pt.constant(np.ones(3)))
    f = pytensor.function([], y)
    assert not foreign(f)
    np.testing.assert_allclose(f(), np.sin(np.ones(3)))


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_a_batch_is_one_call(mode):
    func, runs = counting(lambda x, i: (jnp.sum(x[i] ** 3), x / 2))
    x, i = pt.tensor("x", shape=(3,)), pt.tensor("i", shape=(2,), dtype="int64")
    y, half = as_jax_op(func)(x, i)
    g = pytensor.grad(y, x)
    X = pt.tensor("X", shape=(None, 3))
    f = pytensor.function([X, i], vectorize_graph([y, half, g], {x: X}), mode=mode)
    a = RNG.normal(size=(50, 3))
    del runs[:]
    values, halves, grads = f(a, [0, 2])
    mask = np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(values, np.sum(mask * a**3, axis=1), rtol=1e-12)
    np.testing.assert_allclose(halves, a / 2)
    np.testing.assert_allclose(grads, 3 * mask * a**2, rtol=1e-12)
    assert not any(isinstance(n.op, Blockwise) for n in f.maker.fgraph.toposort())
    if mode != "JAX":  # there PyTensor inlines every call and the compiler merges them
        assert len(foreign(f)) == 1


def test_batched_index_arrays_and_two_batch_axes():
    f = as_jax_op(lambda x, i, s: s * jnp.sum(x[i]))
    x, i, s = pt.dvector("x"), pt.lvector("i"), pt.dscalar("s")
    y = f(x, i, s)
    X, I = pt.tensor("X", shape=(4, 1, 3)), pt.tensor("I", shape=(5, 2), dtype="int64")
    Y = vectorize_graph(y, {x: X, i: I})
    assert Y.type.shape == (4, 5)
    a, k = RNG.normal(size=(4, 1, 3)), RNG.integers(0, 3, size=(5, 2))
    got, grad = pytensor.function([X, I, s], [Y, pytensor.grad(Y.sum(), X)])(a, k, 2.0)
    np.testing.assert_allclose(got, 2 * a[:, 0][:, k].sum(-1))
    counts = np.array([(k == j).sum() for j in range(3)])
    np.testing.assert_allclose(grad, np.broadcast_to(2.0 * counts, (4, 1, 3)))


def test_vectorize_with_a_signature_over_unknown_sizes():
    batched = pt.vectorize(as_jax_op(lambda a, x: a @ x), signature="(m,n),(n)->(m)")
    A, X = pt.dtensor3("A"), pt.dmatrix("X")
    a, x = RNG.normal(size=(5, 2, 3)), RNG.normal(size=(5, 3))
    np.testing.assert_allclose(pytensor.function([A, X], batched(A, X))(a, x), np.einsum("bmn,bn->bm", a, x))


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_vectorize_over_subjects_with_index_arrays(mode):
    # one row a subject: times, doses, an index array, and a rate for each; the number of outputs follows from the index
    def levels(times, doses, index, rate):
        return jnp.sum(doses * jnp.exp(-rate * times))[None] * times[index]

    t, d, k, r = pt.dmatrix("t"), pt.dmatrix("d"), pt.lmatrix("k"), pt.dvector("r")
    y = pt.vectorize(as_jax_op(levels), signature="(n),(n),(m),()->(m)")(t, d, k, r)
    f = pytensor.function([t, d, k, r], [y, *pytensor.grad((y**2).sum(), [d, r])], mode=mode)
    times, doses, rate = RNG.uniform(size=(5, 4)), RNG.uniform(size=(5, 4)), RNG.uniform(size=5)
    index = RNG.integers(0, 4, size=(5, 2))
    value, gd, gr = f(times, doses, index, rate)
    decay = np.exp(-rate[:, None] * times)
    total, picked = (doses * decay).sum(1), np.take_along_axis(times, index, 1)
    np.testing.assert_allclose(value, total[:, None] * picked, rtol=1e-12)
    outer = 2 * total * (picked**2).sum(1)
    np.testing.assert_allclose(gd, outer[:, None] * decay, rtol=1e-12)
    np.testing.assert_allclose(gr, -outer * (doses * times * decay).sum(1), rtol=1e-12)
    assert not any(isinstance(n.op, Blockwise) for n in f.maker.fgraph.toposort())
    with pytest.raises(pytensor.gradient.DisconnectedInputError):
        pytensor.grad(y.sum(), k)


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_a_thousand_draws_are_one_call(mode):
    x, X = pt.tensor("x", shape=(3,)), pt.dmatrix("X")
    f = pytensor.function([X], vectorize_graph(as_jax_op(lambda x: jnp.sum(x**2))(x), {x: X}), mode=mode)
    (op,) = foreign(f)
    assert isinstance(inner(op.fn), Vectorized)
    draws = RNG.normal(size=(1000, 3))
    traces = len(op.fn.memo)
    np.testing.assert_allclose(f(draws), (draws**2).sum(1))
    np.testing.assert_allclose(f(draws[:7]), (draws[:7] ** 2).sum(1))
    assert len(op.fn.memo) == traces  # nothing is made anew for another number of draws


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_an_empty_batch(mode):
    x, X = pt.tensor("x", shape=(3,)), pt.tensor("X", shape=(None, 3))
    y = as_jax_op(lambda x: (jnp.sum(x), 2 * x))(x)
    values, rows = pytensor.function([X], vectorize_graph(y, {x: X}), mode=mode)(np.zeros((0, 3)))
    assert values.shape == (0,) and rows.shape == (0, 3)


def test_blockwise_made_by_hand_is_unwrapped():
    core = as_jax_op(lambda x: jnp.cumsum(x))(pt.dvector("x")).owner.op
    X = pt.dmatrix("X")
    f = pytensor.function([X], Blockwise(core, signature="(n)->(n)")(X))
    (op,) = foreign(f)
    assert isinstance(op.fn, Vectorized)
    a = RNG.normal(size=(4, 3))
    np.testing.assert_allclose(f(a), np.cumsum(a, axis=1))


def test_a_one_that_shows_at_run_time_is_not_repeated():
    f = as_jax_op(lambda first, second: first * second)
    x, y, X, Y = pt.dscalar("x"), pt.dscalar("y"), pt.dvector("X"), pt.dvector("Y")
    compiled = pytensor.function([X, Y], vectorize_graph(f(x, y), {x: X, y: Y}))
    np.testing.assert_allclose(compiled([1.0, 2.0], [3.0, 4.0]), [3.0, 8.0])
    with pytest.raises(
        ValueError, match=r"Runtime broadcasting not allowed.*first: 2, second: 1.*specify_broadcastable"
    ):
        compiled([1.0, 2.0], [3.0])


def test_batch_sizes_are_known_without_running():
    x, X = pt.dvector("x"), pt.dmatrix("X")
    Y = vectorize_graph(as_jax_op(lambda x: jnp.concatenate([x, x]))(x), {x: X})
    f = pytensor.function([X], Y.shape)
    assert not foreign(f)
    np.testing.assert_array_equal(f(np.ones((4, 3))), [4, 6])


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_a_batch_of_values_and_gradients_runs_the_forward_once(mode):
    func, runs = counting(lambda x: jnp.sum(jnp.sin(x)))
    x, X = pt.tensor("x", shape=(3,)), pt.tensor("X", shape=(4, 3))
    y = as_jax_op(func)(x)
    f = pytensor.function([X], vectorize_graph([y, pytensor.grad(y, x)], {x: X}), mode=mode)
    a = RNG.normal(size=(4, 3))
    value, g = f(a)
    jax.effects_barrier()
    assert len(runs) == 1
    np.testing.assert_allclose(value, np.sin(a).sum(1))
    np.testing.assert_allclose(g, np.cos(a))
