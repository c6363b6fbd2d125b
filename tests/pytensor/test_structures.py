"""What a wrapped function may take, return and be: the call forms of `pytensor.wrap_jax` and more."""

import functools
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.graph.basic import Variable

from operax.pytensor import as_jax_op

pytestmark = pytest.mark.bridge


class Pair(NamedTuple):
    first: object
    second: object


@dataclass
class Settings:
    order: int
    label: str


@jax.tree_util.register_dataclass
@dataclass
class Layer:
    w: object
    b: object


def compute(outputs, **values):
    """Values of PyTensor variables anywhere in a nesting, from the inputs by name."""
    leaves, treedef = jax.tree.flatten(outputs, is_leaf=lambda v: isinstance(v, Variable))
    variables = [v for v in leaves if isinstance(v, Variable)]
    inputs = {v.name: v for v in pytensor.graph.traversal.explicit_graph_inputs(variables)}
    f = pytensor.function([inputs[k] for k in values], variables, on_unused_input="ignore")
    results = iter(f(*values.values()))
    return jax.tree.unflatten(treedef, [next(results) if isinstance(v, Variable) else v for v in leaves])


X = np.array([1.0, 2.0, 4.0])


def test_nested_inputs_and_outputs_keep_their_structure():
    @as_jax_op
    def f(pair, *, extra):
        a, b = pair
        return {"sum": a + b["w"], "pair": Pair(a * 2, [b["w"] - 1, None]), "text": "static", "number": 3}

    x, w = pt.dvector("x"), pt.dscalar("w")
    out = compute(f(Pair(x, {"w": w, "none": None}), extra=None), x=X, w=10.0)
    np.testing.assert_allclose(out["sum"], X + 10)
    assert isinstance(out["pair"], Pair)
    np.testing.assert_allclose(out["pair"].first, 2 * X)
    np.testing.assert_allclose(out["pair"].second[0], 9.0)
    assert out["pair"].second[1] is None and out["text"] == "static" and out["number"] == 3


def test_dataclasses_registered_and_static():
    f = as_jax_op(lambda layer, settings, x: layer.w * x**settings.order + layer.b)
    x, w = pt.dvector("x"), pt.dscalar("w")
    np.testing.assert_allclose(compute(f(Layer(w, 1.0), Settings(2, "s"), x), x=X, w=3.0), 3 * X**2 + 1)


@pytest.mark.parametrize("value", [2, 2.0, np.float64(2), np.array([2.0]), jnp.array([2.0])])
def test_static_numbers_and_arrays(value):
    np.testing.assert_allclose(compute(as_jax_op(lambda x, c: x * c)(pt.dvector("x"), value), x=X), 2 * X)


def test_static_arguments_stay_concrete():
    @as_jax_op
    def f(x, n, table, *, how="sum", solver=None):
        rows = np.flatnonzero(table)  # NumPy on a static array, while tracing
        y = jnp.tile(x, n)[rows]
        return y.sum() if how == "sum" else solver(y)

    x = pt.tensor("x", shape=(3,))
    table = np.array([0, 1, 0, 0, 1, 1])
    np.testing.assert_allclose(compute(f(x, 2, table), x=X), np.tile(X, 2)[table == 1].sum())
    got = compute(f(x, 2, table, how="own", solver=jnp.cumsum), x=X)
    np.testing.assert_allclose(got, np.cumsum(np.tile(X, 2)[table == 1]))


def test_keyword_only_and_defaults():
    f = as_jax_op(lambda *, a, b=2.0: a * b)
    x = pt.dvector("x")
    np.testing.assert_allclose(compute(f(a=x), x=X), 2 * X)
    np.testing.assert_allclose(compute(f(a=x, b=x), x=X), X**2)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint32", "bool", "float32", "float64", "complex64", "complex128"])
def test_dtypes_pass_unchanged(dtype):
    x = pt.tensor("x", shape=(2,), dtype=dtype)
    value = np.array([0, 1], dtype)
    y = as_jax_op(lambda x: x[::-1])(x)
    got = compute(y, x=value)
    assert y.type.dtype == dtype and got.dtype == dtype
    np.testing.assert_array_equal(got, value[::-1])


def test_no_variable_at_all_gives_a_constant_node():
    y = as_jax_op(lambda: jnp.arange(3.0))()
    np.testing.assert_array_equal(y.eval(), [0.0, 1.0, 2.0])
    assert y.type.dtype == "float64"


# -- callables ---------------------------------------------------------------------------------------------------------


class Model:
    def __init__(self, factor):
        self.factor = factor

    def apply(self, x):
        return self.factor * x

    @as_jax_op
    def decorated(self, x):
        return self.factor * x + 1

    def __call__(self, x):
        return self.factor * x


def scaled(x, factor):
    return x * factor


@pytest.mark.parametrize(
    "func",
    [
        functools.partial(scaled, factor=3.0),
        functools.partial(functools.partial(scaled, factor=2.0), factor=3.0),
        jax.jit(lambda x: 3.0 * x),
        Model(3.0).apply,
        Model(3.0),
        jax.tree_util.Partial(scaled, factor=3.0),
        jax.vmap(lambda x: 3.0 * x),
    ],
    ids=["partial", "nested partial", "jit", "bound method", "object", "tree partial", "vmap"],
)
def test_callables(func):
    np.testing.assert_allclose(compute(as_jax_op(func)(pt.dvector("x")), x=X), 3 * X)


def test_decorated_method():
    np.testing.assert_allclose(compute(Model(3.0).decorated(pt.dvector("x")), x=X), 3 * X + 1)


def test_decorator_forms_and_names():
    @as_jax_op(allow_eval=False, name="renamed")
    def f(x):
        """Documented."""
        return 2 * x

    y = f(pt.dvector("x"))
    np.testing.assert_allclose(compute(y, x=X), 2 * X)
    assert f.__doc__ == "Documented." and "renamed" in repr(y.owner.op)
    assert repr(as_jax_op(scaled)(pt.dvector(), 2.0).owner.op) == "JaxOp{scaled}"


def test_equinox_module_as_callable_and_as_argument():
    mlp = eqx.nn.MLP(3, 2, 4, depth=1, activation=jnp.tanh, key=jax.random.key(0))
    hidden, out = ({"w": np.asarray(l.weight, float), "b": np.asarray(l.bias, float)} for l in mlp.layers)
    truth = lambda x, b: out["w"] @ np.tanh(hidden["w"] @ x + hidden["b"]) + b
    x, b = pt.tensor("x", shape=(3,)), pt.tensor("b", shape=(2,))
    np.testing.assert_allclose(compute(as_jax_op(mlp)(x), x=X), truth(X, out["b"]), rtol=1e-6)
    with_variable = eqx.tree_at(lambda m: m.layers[1].bias, mlp, b)
    np.testing.assert_allclose(compute(as_jax_op(with_variable)(x), x=X, b=[5.0, 6.0]), truth(X, [5.0, 6.0]), rtol=1e-6)
    y = as_jax_op(lambda m, x: m(x))(with_variable, x)
    np.testing.assert_allclose(compute(y, x=X, b=[5.0, 6.0]), truth(X, [5.0, 6.0]), rtol=1e-6)
    np.testing.assert_allclose(compute(pytensor.grad(y.sum(), b), x=X, b=[5.0, 6.0]), [1.0, 1.0])


def test_solver_objects_and_solutions_of_diffrax():
    diffrax = pytest.importorskip("diffrax")

    @as_jax_op
    def solve(rate, solver, start, save):
        term = diffrax.ODETerm(lambda t, y, rate: -rate * y)
        return diffrax.diffeqsolve(
            term, solver, 0.0, 2.0, 0.1, start, args=rate, saveat=save, stepsize_controller=diffrax.ConstantStepSize()
        )

    rate, start = pt.dscalar("rate"), pt.dscalar("start")
    times = np.array([0.5, 1.0, 2.0])
    solution = solve(rate, diffrax.Tsit5(), start, diffrax.SaveAt(ts=times))
    assert isinstance(solution, diffrax.Solution) and isinstance(solution.ys, Variable)
    got = compute([solution.ys, pytensor.grad(solution.ys.sum(), rate)], rate=1.3, start=2.0)
    np.testing.assert_allclose(got[0], 2 * np.exp(-1.3 * times), rtol=1e-7)
    np.testing.assert_allclose(got[1], -(2 * times * np.exp(-1.3 * times)).sum(), rtol=1e-6)
    other = solve(rate, diffrax.Heun(), start, diffrax.SaveAt(ts=times))
    assert other.ys.owner.op != solution.ys.owner.op
    assert solve(rate, diffrax.Tsit5(), start, diffrax.SaveAt(ts=times)).ys.owner.op == solution.ys.owner.op


def test_flax_modules():
    import flax.linen as nn
    from flax import nnx

    dense = nn.Dense(2)
    params = {"params": {"kernel": np.arange(6.0).reshape(3, 2), "bias": np.array([1.0, -1.0])}}
    w = pt.tensor("w", shape=(3, 2))
    x = pt.tensor("x", shape=(3,))
    y = as_jax_op(dense.apply)({"params": {"kernel": w, "bias": params["params"]["bias"]}}, x)
    np.testing.assert_allclose(compute(y, x=X, w=np.ones((3, 2))), X.sum() + np.array([1.0, -1.0]), rtol=1e-6)

    linear = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    truth = X @ np.asarray(linear.kernel[...], float) + np.asarray(linear.bias[...], float)
    np.testing.assert_allclose(compute(as_jax_op(linear)(x), x=X), truth, rtol=1e-6)


# -- the raw function --------------------------------------------------------------------------------------------------


def test_on_plain_arrays_it_is_the_function_itself():
    f = as_jax_op(lambda x, n=2: x * n)
    for value in (X, jnp.asarray(X), 1.5):
        got = f(value, n=3)
        assert not isinstance(got, Variable)
        np.testing.assert_allclose(got, 3 * np.asarray(value), rtol=1e-6)


def test_inside_another_jax_function_it_is_the_function_itself():
    inner = as_jax_op(lambda x: jnp.sum(x**2))
    np.testing.assert_allclose(jax.grad(inner)(X), 2 * X)
    np.testing.assert_allclose(jax.jit(inner)(X), np.sum(X**2))
    outer = as_jax_op(lambda x: inner(x) + 1)
    np.testing.assert_allclose(compute(outer(pt.dvector("x")), x=X), np.sum(X**2) + 1)
    twice = as_jax_op(as_jax_op(lambda x: 2 * x))
    np.testing.assert_allclose(compute(twice(pt.dvector("x")), x=X), 2 * X)


# -- random keys -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_random_keys_as_data_and_as_statics(mode):
    normal = as_jax_op(lambda data: jax.random.normal(jax.random.wrap_key_data(data), (3,)))
    data = pt.tensor("data", shape=(2,), dtype="uint32")
    raw = np.array([0, 7], "uint32")
    with jax.enable_x64(True):
        truth = np.asarray(jax.random.normal(jax.random.wrap_key_data(raw), (3,)))
        other = np.asarray(jax.random.normal(jax.random.key(3), (3,)))
    np.testing.assert_allclose(pytensor.function([data], normal(data), mode=mode)(raw), truth, rtol=1e-12)
    x = pt.tensor("x", shape=(3,))
    y = as_jax_op(lambda x, key: x + jax.random.normal(key, (3,)))(x, jax.random.key(3))
    np.testing.assert_allclose(pytensor.function([x], y, mode=mode)(X), X + other, rtol=1e-12)


def test_labelled_arrays():
    px = pytest.importorskip("pytensor.xtensor")
    x = px.xtensor("x", dims=("a",), shape=(3,))
    y = as_jax_op(lambda x: 2 * x)(x)
    np.testing.assert_allclose(pytensor.function([x], y)(X), 2 * X)


# -- declared types ----------------------------------------------------------------------------------------------------


def test_declared_types_as_for_as_op():
    @as_jax_op(itypes=[pt.dvector], otypes=[pt.dscalar], infer_shape=lambda fgraph, node, shapes: [()])
    def total(x):
        return jnp.sum(x**2)

    x = pt.dvector("x")
    y = total(x)
    value, g = pytensor.function([x], [y, pytensor.grad(y, x)])(X)
    np.testing.assert_allclose(value, 21.0)
    np.testing.assert_allclose(g, 2 * X)
    assert total(x).owner.op == y.owner.op


def test_declared_types_where_nothing_can_be_inferred():
    def host(x):
        n = x.shape[0] * 2 if x.shape[0] > 3 else x.shape[0] + 1
        return jax.pure_callback(lambda a: np.resize(a, n), jax.ShapeDtypeStruct((n,), x.dtype), x)

    f = as_jax_op(
        host, itypes=[pt.dvector], otypes=[pt.dvector], infer_shape=lambda fg, node, shapes: [(shapes[0][0] + 1,)]
    )
    x = pt.dvector("x")
    y = f(x)
    assert y.type == pt.dvector
    np.testing.assert_allclose(pytensor.function([x], y)(X), np.resize(X, 4))
    assert pytensor.function([x], y.shape)(X) == [4]
