"""Beside `pytensor.wrap_jax`: every call form that it documents gives the same types, values and gradients."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor import wrap_jax
from pytensor.graph.basic import Variable

from operax.pytensor import as_jax_op

pytestmark = [pytest.mark.bridge, pytest.mark.filterwarnings("ignore")]

RNG = np.random.default_rng(4)
X, Y, M = RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=(2, 3))


@pytest.fixture(autouse=True)
def theirs_needs_64_bits(switch):
    jax.config.update("jax_enable_x64", True)


def variables():
    return pt.tensor("x", shape=(3,)), pt.tensor("y", shape=(3,)), pt.tensor("m", shape=(2, 3)), pt.dscalar("s")


VALUES = {"x": X, "y": Y, "m": M, "s": np.array(0.7)}


# ---- ways to give the function


def bare(wrap):
    @wrap
    def f(x, y):
        return jnp.add(x, y) * x

    x, y, *_ = variables()
    return f(x, y)


def with_arguments(wrap):
    @wrap(allow_eval=True)
    def f(x, y):
        return jnp.add(x, y) * x

    x, y, *_ = variables()
    return f(x, y)


def forbidden_to_evaluate(wrap):
    x, y, *_ = variables()
    return wrap(lambda x, y: jnp.outer(x, y), allow_eval=False)(x, y)


def jitted(wrap):
    x, y, *_ = variables()
    return wrap(jax.jit(lambda x, y: jnp.sum(x * y)))(x, y)


def partial(wrap):
    x, y, *_ = variables()
    inner = functools.partial(lambda x, y, power: x**power * y, power=2)
    # wrap_jax asks for a name
    return wrap(inner if wrap is as_jax_op else functools.update_wrapper(inner, jnp.add))(x, y)


def method(wrap):
    class Model:
        factor = 3.0

        @wrap
        def decorated(self, x):
            return self.factor * x

        def plain(self, x):
            return self.factor + x

    x, *_ = variables()
    return [Model().decorated(x), wrap(Model().plain)(x)]


# ---- ways to give the arguments


def by_keyword(wrap):
    x, y, _, s = variables()
    return wrap(lambda x, *, y, scale=1.0: (x - y) * scale)(x, y=y, scale=s)


def nested(wrap):
    def f(tree, pair):
        return {"sum": tree["x"] + tree["more"][0], "pair": (pair[1] * pair[0], [tree["x"] ** 2])}

    x, y, _, s = variables()
    return wrap(f)({"x": x, "more": [y, None]}, (s, x))


def statics(wrap):
    def f(x, how, table, n):
        return jnp.tile(getattr(jnp, how)(x), n) * table

    x, *_ = variables()
    return wrap(f)(x, "sin", np.arange(6.0), 2)


def module(wrap):
    mlp = eqx.nn.MLP(3, 2, 4, depth=1, activation=jnp.tanh, dtype="float64", key=jax.random.key(0))
    x, y, *_ = variables()
    mlp = eqx.tree_at(lambda m: m.layers[0].bias, mlp, pt.concatenate([y, y[:1]]))
    return wrap(lambda mlp, x: mlp(x))(mlp, x)


def other_functions_inside(wrap):
    inner = lambda x: jnp.cumsum(x)
    x, y, *_ = variables()
    return wrap(lambda x, y: inner(x) @ jax.vmap(jnp.sin)(y))(x, y)


def own_functions_as_static(wrap):
    x, y, *_ = variables()
    return wrap(lambda f, x, y: f(x) * y)(jnp.cos, x, y)


# ---- ways to return


def several(wrap):
    x, y, m, _ = variables()
    return wrap(lambda x, y, m: (x * y, m @ x, jnp.sum(m)))(x, y, m)


def a_list(wrap):
    x, *_ = variables()
    return wrap(lambda x: [x, x[0]])(x)


def a_list_of_one(wrap):
    x, *_ = variables()
    return wrap(lambda x: [2 * x])(x)


def statics_among_the_outputs(wrap):
    x, *_ = variables()
    return wrap(lambda x: {"y": x**3, "none": None, "text": "word", "number": 3})(x)


def an_independent_output(wrap):
    x, *_ = variables()
    return wrap(lambda x: (jnp.arange(2.0), x**2))(x)


def an_unused_input(wrap):
    x, y, *_ = variables()
    return wrap(lambda x, y: x**2)(x, y)


def numbers(wrap):
    *_, s = variables()
    return wrap(lambda s: (jnp.sin(s), s * jnp.ones(())))(s)


# ---- sizes


def sizes_of_shared_variables(wrap):
    x, *_ = variables()
    return wrap(lambda a, x: a * jnp.sum(x))(pytensor.shared(np.arange(4.0)), x)


def sizes_of_a_graph(wrap):
    x, *_ = variables()
    return wrap(lambda a, x: jnp.outer(a, x))(pt.exp(pytensor.shared(np.arange(4.0)))[1:], x)


FORMS = [
    bare,
    with_arguments,
    forbidden_to_evaluate,
    jitted,
    partial,
    method,
    by_keyword,
    nested,
    statics,
    module,
    other_functions_inside,
    own_functions_as_static,
    several,
    a_list,
    a_list_of_one,
    statics_among_the_outputs,
    an_independent_output,
    an_unused_input,
    numbers,
    sizes_of_shared_variables,
    sizes_of_a_graph,
]


def all_of(outputs):
    """The nesting, its variables, and values and gradients of the sum of squares of all of them."""
    leaves, treedef = jax.tree.flatten(outputs, is_leaf=lambda v: isinstance(v, Variable))
    found = [v for v in leaves if isinstance(v, Variable)]
    inputs = {v.name: v for v in pytensor.graph.traversal.explicit_graph_inputs(found)}
    cost = sum((v**2).sum() for v in found)
    gradients = pytensor.grad(cost, list(inputs.values()))
    f = pytensor.function(list(inputs.values()), [*found, *gradients], mode="CVM")
    rest = [None if isinstance(v, Variable) else v for v in leaves]
    return treedef, rest, found, dict(zip(inputs, gradients)), f(*(VALUES[name] for name in inputs))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_same_as_wrap_jax(form):
    ours, theirs = all_of(form(as_jax_op)), all_of(form(wrap_jax))
    assert ours[:2] == theirs[:2]
    assert [(v.type.dtype, v.type.ndim) for v in ours[2]] == [(v.type.dtype, v.type.ndim) for v in theirs[2]]
    for mine, their in zip(ours[2], theirs[2]):  # every size that it knows, and perhaps more
        assert all(t in (None, m) for m, t in zip(mine.type.shape, their.type.shape))
    assert ours[3].keys() == theirs[3].keys()
    for mine, their in zip(ours[4], theirs[4], strict=True):
        assert mine.dtype == their.dtype
        np.testing.assert_allclose(mine, their, rtol=1e-13, atol=1e-14)


def test_evaluation_that_is_forbidden_is_an_error_in_both():
    def only_ten(a):
        if a.shape != (10,):
            raise ValueError("ten values are needed")
        return a.reshape(2, 5)

    shared = pt.exp(pytensor.shared(np.arange(10.0)))[:10]
    for wrap in (as_jax_op, wrap_jax):
        assert wrap(only_ten)(shared).type.ndim == 2
        with pytest.raises(ValueError):
            wrap(only_ten, allow_eval=False)(shared)


# ---- where wrap_jax stops, and a user who changes one import goes on


def test_what_works_here_alone():
    v = pt.dvector("v")
    np.testing.assert_allclose(as_jax_op(functools.partial(jnp.add, 1.0))(v).eval({v: X}), X + 1)
    i = pt.lvector("i")
    cost = as_jax_op(lambda x, i: jnp.sum(x[i] ** 2))(v, i)
    np.testing.assert_allclose(pytensor.grad(cost, v).eval({v: X, i: [0, 2]}), 2 * X * [1, 0, 1])
    inner = as_jax_op(lambda x: jnp.sum(x**2))
    np.testing.assert_allclose(as_jax_op(lambda x: jax.grad(inner)(x))(v).eval({v: X}), 2 * X)
