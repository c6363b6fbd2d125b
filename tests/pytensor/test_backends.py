"""Every backend of PyTensor, its graph constructions, and what is loaded when."""

import subprocess
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.compile.builders import OpFromGraph

from operax.pytensor import as_jax_op

try:
    from pytensor.conditional.op import ifelse
except ImportError:  # before PyTensor 3.3
    from pytensor.ifelse import ifelse

pytestmark = pytest.mark.bridge

MODES = [None, "NUMBA", "JAX"]
X = np.array([0.5, -1.0, 2.0])


@pytest.mark.parametrize("code", ["import operax", "import operax, operax.pytensor"])
def test_imports_are_light(code):
    script = f"""
import sys
{code}
if "operax.pytensor" in sys.modules:
    import jax.numpy as jnp, pytensor.tensor as pt
    from operax.pytensor import as_jax_op, as_linear_op, as_torch_op
    f = as_jax_op(lambda x: jnp.sin(x))
    y = f(pt.dvector("x"))
else:
    assert "pytensor" not in sys.modules
loaded = [m for m in ("numba", "torch", "pytensor.link.jax.dispatch", "pymc", "equinox") if m in sys.modules]
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_numba_mode_gives_no_warning_of_object_mode():
    x = pt.dvector("x")
    y = as_jax_op(lambda x: (jnp.sum(x), x[::-1], jnp.argmax(x)))(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = pytensor.function([x], [*y, pytensor.grad(y[0], x)], mode="NUMBA")
        total, reverse, k, g = f(X)
    np.testing.assert_allclose(total, 1.5)
    np.testing.assert_array_equal(reverse, X[::-1])
    assert k == 2
    np.testing.assert_array_equal(g, np.ones(3))


def test_numba_registration_when_its_dispatch_was_loaded_before():
    script = """
import pytensor.link.numba.dispatch, pytensor.link.jax.dispatch
import numpy as np, pytensor, pytensor.tensor as pt, jax.numpy as jnp, warnings
warnings.simplefilter("error")
from operax.pytensor import as_jax_op
x = pt.dvector("x")
for mode in ("NUMBA", "JAX"):
    f = pytensor.function([x], as_jax_op(jnp.cumsum)(x), mode=mode)
    np.testing.assert_allclose(f([1.0, 2.0]), [1.0, 3.0])
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_jax_mode_inlines_the_function():
    from pytensor.graph.fg import FunctionGraph
    from pytensor.link.jax.dispatch import jax_funcify

    x = pt.tensor("x", shape=(3,))
    graph = jax_funcify(FunctionGraph([x], [as_jax_op(lambda x: jnp.sin(x) * 2)(x)], clone=True))
    text = str(jax.make_jaxpr(lambda a: graph(a))(X))
    assert "= sin " in text and "callback" not in text


@pytest.mark.parametrize("vector", [True, False])
def test_pytorch_mode(vector):
    pytest.importorskip("torch")
    x = pt.tensor("x", shape=(None,) if vector else ())
    i = pt.lscalar("i")
    y = as_jax_op(lambda x, i: (jnp.sum(jnp.sin(x) * i), x * 2, i > 1))(x, i)
    a = X if vector else np.array(0.3)
    f = pytensor.function([x, i], [*y, pytensor.grad(y[0], x)], mode="PYTORCH")
    total, double, flag, g = f(a, 3)
    np.testing.assert_allclose(total, np.sum(3 * np.sin(a)), rtol=1e-14)
    np.testing.assert_allclose(double, 2 * a)
    assert flag.dtype == bool and flag
    np.testing.assert_allclose(g, 3 * np.cos(a), rtol=1e-14)
    assert g.dtype == np.float64 and not jax.config.jax_enable_x64


def test_mlx_mode_says_what_to_do():
    from operax.pytensor import dispatch_mlx

    mlx = pytest.importorskip("pytensor.link.mlx.dispatch.basic", exc_type=ImportError)
    dispatch_mlx.register()
    op = as_jax_op(jnp.sin)(pt.dvector("x")).owner.op
    with pytest.raises(NotImplementedError, match="Use mode='JAX', 'NUMBA' or the default mode"):
        mlx.mlx_funcify(op)


@pytest.mark.parametrize("mode", MODES)
def test_inside_scan_with_gradient(mode):
    step = as_jax_op(lambda h, w: jnp.tanh(h * w))
    w, h0 = pt.dscalar("w"), pt.dscalar("h0")
    hs = pytensor.scan(lambda h, w: step(h, w), outputs_info=h0, non_sequences=w, n_steps=4, return_updates=False)
    value, g = pytensor.function([h0, w], [hs[-1], pytensor.grad(hs[-1], w)], mode=mode)(0.5, 1.2)

    def truth(w):
        h = 0.5
        for _ in range(4):
            h = np.tanh(h * w)
        return h

    np.testing.assert_allclose(value, truth(1.2), rtol=1e-13)
    np.testing.assert_allclose(g, (truth(1.2 + 1e-6) - truth(1.2 - 1e-6)) / 2e-6, rtol=1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_inside_op_from_graph(mode):
    x = pt.dvector("x")
    inner = OpFromGraph([x], [as_jax_op(lambda x: jnp.sum(x**3))(x)])
    z = pt.dvector("z")
    y = inner(2 * z)
    value, g = pytensor.function([z], [y, pytensor.grad(y, z)], mode=mode)(X)
    np.testing.assert_allclose(value, 8 * np.sum(X**3))
    np.testing.assert_allclose(g, 24 * X**2)


def test_inside_ifelse_and_lazily():
    calls = []

    def traced(x):
        jax.debug.callback(lambda: calls.append(1))
        return jnp.sum(x)

    c, x = pt.scalar("c", dtype="bool"), pt.dvector("x")
    f = pytensor.function([c, x], ifelse(c, as_jax_op(traced)(x), x.prod()), mode="CVM")
    np.testing.assert_allclose(f(False, X), X.prod())
    jax.effects_barrier()
    assert not calls
    np.testing.assert_allclose(f(True, X), X.sum())


def test_debug_mode():
    x = pt.dvector("x")
    y = as_jax_op(lambda x: jnp.sum(jnp.sin(x)))(x)
    f = pytensor.function([x], [y, pytensor.grad(y, x)], mode="DEBUG_MODE")
    np.testing.assert_allclose(f(X)[1], np.cos(X))


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_inputs_are_not_written_to_by_ops_that_work_in_place(mode):
    x = pt.dvector("x")
    identity = as_jax_op(lambda x: (x, x.reshape(-1, 1)))
    a, b = identity(x)
    f = pytensor.function([x], [pt.exp(a), pt.set_subtensor(b[0], 7.0)], mode=mode)
    given = X.copy()
    e, s = f(given)
    np.testing.assert_array_equal(given, X)
    np.testing.assert_allclose(e, np.exp(X))
    np.testing.assert_allclose(s[:, 0], [7.0, -1.0, 2.0])
    again = pytensor.function([x], a)(given)
    again[0] = 99.0
    assert given[0] == X[0]


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_inputs_in_any_memory_layout(mode):
    m = pt.dmatrix("m")
    f = pytensor.function([m], as_jax_op(lambda m: m @ m.T)(m.T[::-1]), mode=mode)
    a = np.asfortranarray(np.arange(6.0).reshape(2, 3))[:, ::-1]
    b = a.T[::-1]
    np.testing.assert_allclose(f(a), b @ b.T)


# plain PyTensor graphs of such a variable do not compile in Numba mode either
@pytest.mark.parametrize("after", ["CVM", "FAST_COMPILE"])
def test_updates_in_jax_mode_then_another_mode(after):
    state = pytensor.shared(np.ones(3))
    double = as_jax_op(lambda s: 2 * s)
    with jax.enable_x64(True):
        pytensor.function([], [], updates={state: double(state)}, mode="JAX")()  # leaves a JAX array in the variable
    np.testing.assert_allclose(pytensor.function([], double(state), mode=after)(), 4 * np.ones(3))


@pytest.mark.parametrize("mode", ["JAX"])
def test_sizes_of_an_output_make_arrays_in_jax_mode(mode):
    # the compiled program of JAX mode needs static sizes: those that are known must stay known through the Op
    x = pt.tensor("x", shape=(3,))
    y = as_jax_op(lambda x: jnp.concatenate([x, x[1:]]))(x)
    z = pt.zeros(y.shape) + pt.arange(y.shape[0]) + y.reshape((y.shape[0], 1))[:, 0]
    f = pytensor.function([x], [z, pytensor.grad((z**2).sum(), x)], mode=mode)
    value, g = f(X)
    expected = np.arange(5) + np.concatenate([X, X[1:]])
    np.testing.assert_allclose(value, expected)
    np.testing.assert_allclose(g, 2 * (expected[:3] + np.r_[0, expected[3:]]))


def test_calls_from_several_threads():
    from concurrent.futures import ThreadPoolExecutor

    x = pt.dvector("x")
    y = as_jax_op(lambda x: jnp.sum(jnp.sin(x)))(x)
    functions = [pytensor.function([x], [y, pytensor.grad(y, x)]) for _ in range(4)]

    def work(k):
        a = np.full(3, float(k))
        return [functions[k](a) for _ in range(50)]

    with ThreadPoolExecutor(4) as pool:
        for k, results in enumerate(pool.map(work, range(4))):
            for value, g in results:
                np.testing.assert_allclose(value, 3 * np.sin(k), rtol=1e-15)
                np.testing.assert_allclose(g, np.cos(np.full(3, float(k))), rtol=1e-15)
    assert not jax.config.jax_enable_x64
