"""PyTorch functions as Ops: the same promises as for JAX functions."""

import pickle
import subprocess
import sys

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.graph.replace import vectorize_graph

torch = pytest.importorskip("torch")

from operax.pytensor import as_torch_op  # noqa: E402
from operax.pytensor._op import TorchOp  # noqa: E402

pytestmark = pytest.mark.bridge

MODES = [None, "FAST_COMPILE", "NUMBA", "JAX", "PYTORCH"]
X = np.array([0.5, -1.0, 2.0])
RNG = np.random.default_rng(0)


def foreign(function):
    """The wrapped Ops in a compiled function."""
    return [node.op for node in function.maker.fgraph.toposort() if isinstance(node.op, TorchOp)]


@as_torch_op
def model(x, params, index, *, order=3):
    return {"cost": torch.sum(params["w"] * x[index] ** order), "sine": torch.sin(x)}


@pytest.mark.parametrize("mode", MODES)
def test_value_gradient_and_second_order_in_every_mode(mode):
    x, w, i = pt.dvector("x"), pt.dscalar("w"), pt.lvector("i")
    y = model(x, {"w": w, "none": None}, i)
    cost = y["cost"] + y["sine"].sum()
    gx, gw = pytensor.grad(cost, [x, w])
    hv = pytensor.grad(gx.sum(), x)
    got = pytensor.function([x, w, i], [cost, gx, gw, hv], mode=mode)(X, 2.0, np.array([0, 2]))
    mask = np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(got[0], 2 * np.sum(mask * X**3) + np.sin(X).sum(), rtol=1e-14)
    np.testing.assert_allclose(got[1], 6 * mask * X**2 + np.cos(X), rtol=1e-14)
    np.testing.assert_allclose(got[2], np.sum(mask * X**3), rtol=1e-14)
    np.testing.assert_allclose(got[3], 12 * mask * X - np.sin(X), rtol=1e-14)
    assert all(np.asarray(r).dtype == np.float64 for r in got)


def test_verify_grad_and_forward_mode():
    f = as_torch_op(lambda a, x: torch.tanh(a @ x))
    A, v = RNG.normal(size=(2, 3)), RNG.normal(size=3)
    pytensor.gradient.verify_grad(lambda a, x: f(a, x), [A, v], rng=np.random.default_rng(1))
    a, x, t = pt.dmatrix("a"), pt.dvector("x"), pt.dvector("t")
    y = f(a, x)
    (moved,) = y.owner.op.R_op([a, x], [None, t])
    got = pytensor.function([a, x, t], moved)(A, v, X)
    np.testing.assert_allclose(got, (A @ X) / np.cosh(A @ v) ** 2, rtol=1e-12)


@pytest.mark.parametrize("mode", [None, "JAX"])
def test_batches_are_one_vmap(mode):
    x, w, i = pt.dvector("x"), pt.dscalar("w"), pt.lvector("i")
    cost = model(x, {"w": w}, i)["cost"]
    B = pt.dmatrix("B")
    f = pytensor.function([B, w, i], vectorize_graph([cost, pytensor.grad(cost, x)], {x: B}), mode=mode)
    if mode is None:
        assert len(foreign(f)) == 1
    batch = RNG.normal(size=(5, 3))
    value, g = f(batch, 2.0, np.array([0, 2]))
    mask = np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(value, 2 * np.sum(mask * batch**3, 1), rtol=1e-13)
    np.testing.assert_allclose(g, 6 * mask * batch**2, rtol=1e-13)


def test_empty_and_double_batches():
    x, B = pt.dvector("x"), pt.dtensor3("B")
    y = as_torch_op(lambda x: (torch.sum(x**2), 2 * x))(x)
    f = pytensor.function([B], vectorize_graph(y, {x: B}))
    for shape in ((0, 2, 3), (4, 2, 3)):
        batch = RNG.normal(size=shape)
        np.testing.assert_allclose(f(batch)[0], np.sum(batch**2, -1))
        np.testing.assert_allclose(f(batch)[1], 2 * batch)


def test_value_and_gradient_are_one_call_and_equal_calls_merge():
    runs = []

    @as_torch_op
    def f(x):
        runs.append(1)
        return torch.sum(x**2)

    x = pt.dvector("x")
    a, b = f(x), f(x)
    compiled = pytensor.function([x], [a, b, pytensor.grad(a, x)])
    assert len(foreign(compiled)) == 1
    del runs[:]
    compiled(X)
    assert len(runs) == 1


@pytest.mark.parametrize(
    "func, types, sizes",
    [
        (lambda x: torch.cat([x, x[1:]]), [(None,)], [(4,)]),
        (lambda x: x[::2], [(None,)], [(5,)]),
        (lambda x, y: x + y, [(None,), (None,)], [(4,), (4,)]),
        (lambda a, x: a @ x, [(None, None), (None,)], [(2, 3), (3,)]),
        (lambda x: x.reshape(-1), [(None, 3)], [(2, 3)]),
        (lambda x: x.sum(0, keepdim=True), [(None, 3)], [(2, 3)]),
        (lambda x: torch.stack([x[i] for i in range(x.shape[0])]), [(None,)], [(4,)]),
        (lambda x: torch.fft.rfft(x), [(8,)], [(8,)]),
    ],
)
def test_sizes_from_types_alone_agree_with_what_runs(func, types, sizes):
    xs = [pt.tensor(f"x{k}", shape=s, dtype="float64") for k, s in enumerate(types)]
    y = as_torch_op(func)(*xs)
    values = [RNG.normal(size=s) for s in sizes]
    result = pytensor.function(xs, y)(*values)
    assert y.type.ndim == result.ndim and y.type.dtype == result.dtype
    assert all(s in (None, d) for s, d in zip(y.type.shape, result.shape))
    np.testing.assert_array_equal(pytensor.function(xs, y.shape, on_unused_input="ignore")(*values), result.shape)


def test_a_shape_alone_runs_nothing():
    x = pt.dvector("x")
    f = pytensor.function([x], as_torch_op(lambda x: torch.cat([x, x]))(x).shape)
    assert not foreign(f)
    np.testing.assert_array_equal(f(X), [6])


def test_module_as_callable_and_its_weights_as_variables():
    linear = torch.nn.Linear(3, 2)
    W, b = linear.weight.detach().numpy().astype(float), linear.bias.detach().numpy().astype(float)
    x = pt.fvector("x")
    y = as_torch_op(linear)(x)
    assert y.type.dtype == "float32"
    got, g = pytensor.function([x], [y, pytensor.grad(y.sum(), x)])(X.astype("float32"))
    np.testing.assert_allclose(got, W @ X + b, rtol=1e-5)
    np.testing.assert_allclose(g, W.sum(0), rtol=1e-5)
    got[:] = 0  # PyTensor may write into results; the weights stay
    np.testing.assert_allclose(linear.weight.detach().numpy(), W, rtol=1e-6)

    call = as_torch_op(lambda params, x: torch.func.functional_call(linear, params, (x,)))
    w = pt.tensor("w", shape=(2, 3), dtype="float32")
    y = call({"weight": w}, x)
    g = pytensor.function([w, x], pytensor.grad(y.sum(), w))(np.ones((2, 3), "float32"), X.astype("float32"))
    np.testing.assert_allclose(g, np.tile(X, (2, 1)), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "float64", "complex128"])
def test_dtypes_pass_unchanged(dtype):
    x = pt.tensor("x", shape=(2,), dtype=dtype)
    got = pytensor.function([x], as_torch_op(lambda x: x.flip(0))(x))(np.array([0, 1], dtype))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.array([1, 0], dtype))


def test_memory_is_shared_on_the_way_in_and_not_on_the_way_out():
    seen = []

    @as_torch_op
    def identity(x):
        seen.append(x.data_ptr() if type(x) is torch.Tensor else None)
        return x

    x = pt.dvector("x")
    f = pytensor.function([x], identity(x), accept_inplace=True, trust_input=True, mode="CVM")
    given = np.arange(3.0)
    out = f(given)
    assert seen[-1] == given.ctypes.data
    out[0] = 99.0
    assert given[0] == 0.0


def test_read_only_and_reversed_arrays():
    x = pt.dvector("x")
    f = pytensor.function([x], as_torch_op(lambda x: x * 2)(x))
    given = np.arange(3.0)
    given.flags.writeable = False
    np.testing.assert_allclose(f(given[::-1]), [4.0, 2.0, 0.0])


def test_on_tensors_it_is_the_function_itself():
    f = as_torch_op(lambda x, n=2: x * n)
    assert isinstance(f(torch.ones(2)), torch.Tensor)
    assert torch.equal(torch.func.grad(lambda x: f(x).sum())(torch.ones(2)), 2 * torch.ones(2))


def test_static_tensors_are_compared_by_content():
    f = as_torch_op(lambda x, t: x * t)
    x = pt.dvector("x")
    op = lambda *values: f(x, torch.tensor(values)).owner.op
    assert op(1.0, 2.0) == op(1.0, 2.0) and op(1.0, 2.0) != op(1.0, 3.0)
    assert as_torch_op(lambda x: x.sin())(x).owner.op != as_torch_op(lambda x: x.cos())(x).owner.op


def test_an_input_that_the_output_does_not_depend_on():
    x, u = pt.dvector("x"), pt.dvector("u")
    y = as_torch_op(lambda x, u: torch.sum(x**2))(x, u)
    g = pytensor.function([x, u], pytensor.grad(y, [x, u]))(X, X)
    np.testing.assert_allclose(g[0], 2 * X)
    np.testing.assert_array_equal(g[1], np.zeros(3))


def test_the_same_variable_twice():
    x = pt.dvector("x")
    y = as_torch_op(lambda a, b: torch.sum(a * b**2))(x, x)
    g = pytensor.grad(y, x)
    gg = pytensor.grad(g.sum(), x)
    got = pytensor.function([x], [g, gg])(X)
    np.testing.assert_allclose(got[0], 3 * X**2)
    np.testing.assert_allclose(got[1], 6 * X)


def test_differentiating_the_jax_mode_function_with_jax():
    import jax
    from pytensor.graph.fg import FunctionGraph
    from pytensor.link.jax.dispatch import jax_funcify

    x = pt.tensor("x", shape=(3,))
    y = as_torch_op(lambda x: torch.sum(torch.sin(x)))(x)
    with jax.enable_x64(True):
        f = jax_funcify(FunctionGraph([x], [y], clone=True))
        scalar = lambda a: f(a)[0]
        np.testing.assert_allclose(jax.grad(scalar)(X), np.cos(X), rtol=1e-13)
        second = jax.grad(lambda a: jax.grad(scalar)(a).sum())(X)
        np.testing.assert_allclose(second, -np.sin(X), rtol=1e-13)
        batch = RNG.normal(size=(4, 3))
        np.testing.assert_allclose(jax.vmap(jax.grad(scalar))(batch), np.cos(batch), rtol=1e-13)


def test_pickles_in_a_fresh_process():
    x = pt.dvector("x")
    op = as_torch_op(lambda x: torch.sin(x))(x).owner.op
    assert pickle.loads(pickle.dumps(op)) == op
    script = f"""
import pickle, numpy as np, pytensor, pytensor.tensor as pt
op = pickle.loads({pickle.dumps(op)!r})
x = pt.dvector("x")
np.testing.assert_allclose(pytensor.function([x], op(x))(np.ones(2)), np.sin(np.ones(2)))
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_errors_name_the_cure():
    x = pt.dvector("x")
    with pytest.raises(TypeError, match=r"dtype torch.bfloat16, which PyTensor cannot hold: convert it"):
        as_torch_op(lambda x: x.to(torch.bfloat16))(x)
    with pytest.raises(RuntimeError, match=r"While tracing 'mismatch' for PyTensor with x: float64\[3\]"):
        as_torch_op(lambda x: x @ torch.ones(4, dtype=torch.float64), name="mismatch")(pt.tensor("x", shape=(3,)))
    with pytest.raises(ValueError, match=r"x of type .*specify_shape.*as_torch_op\(itypes="):
        as_torch_op(lambda x: x.reshape(11, 17))(x)
