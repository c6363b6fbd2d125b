"""Copies, pickles, and processes that are forked or started anew."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import cloudpickle
import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

from operax.pytensor import _fork, as_jax_op
from operax.pytensor._op import JaxOp

pytestmark = pytest.mark.bridge

X = np.array([0.5, -1.0, 2.0])
HERE = Path(__file__).parent


@pytest.fixture
def functions(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    import bridge_functions

    return bridge_functions


def custom():
    @jax.custom_vjp
    def double(x):
        return 2 * x

    double.defvjp(lambda x: (2 * x, None), lambda _, g: (100 * g,))
    return lambda x: jnp.sum(double(x))


def custom_forward():
    @jax.custom_jvp
    def double(x):
        return 2 * x

    double.defjvp(lambda primals, tangents: (2 * primals[0], 100 * tangents[0]))
    return lambda x: jnp.sum(double(x))


def module():
    import equinox as eqx

    return eqx.nn.MLP(3, "scalar", 4, depth=1, activation=jnp.tanh, key=jax.random.key(0))


KINDS = {
    "lambda": lambda: lambda x: jnp.sum(x**2),
    "closure": lambda: (lambda table: lambda x: jnp.sum(x * table))(np.array([1.0, 2.0, 3.0])),
    "jitted": lambda: jax.jit(lambda x: jnp.sum(x**2)),
    "custom_vjp": custom,
    "custom_jvp": custom_forward,
    "equinox": module,
}

READ = """
import pickle, sys
import numpy as np
f, op, other = pickle.load(open(sys.argv[1], "rb"))
assert op == other
pickle.dump(f(np.array([0.5, -1.0, 2.0])), open(sys.argv[1] + ".out", "wb"))
"""


@pytest.mark.parametrize("dumps", [pickle.dumps, cloudpickle.dumps])
@pytest.mark.parametrize("kind", KINDS)
def test_copies_are_equal_here_and_right_in_a_fresh_process(kind, dumps, tmp_path):
    x = pt.tensor("x", shape=(3,))
    y = as_jax_op(KINDS[kind]())(x)
    op = y.owner.op
    assert pickle.loads(dumps(op)) == op
    assert copy.copy(op) == op and copy.deepcopy(op) == op
    f = pytensor.function([x], [y, pytensor.grad(y, x)])
    expected = f(X)
    for copied in (pickle.loads(dumps(f)), f.copy(), copy.deepcopy(f)):
        for a, b in zip(copied(X), expected):
            np.testing.assert_array_equal(a, b)
    if dumps is pickle.dumps:  # one fresh process for each kind is enough: it takes seconds
        path = tmp_path / "function.pkl"
        path.write_bytes(dumps((f, op, copy.copy(op))))
        subprocess.run([sys.executable, "-c", READ, str(path)], check=True, timeout=120)
        for a, b in zip(pickle.loads(Path(f"{path}.out").read_bytes()), expected):
            np.testing.assert_allclose(a, b, rtol=1e-14)


def test_importable_functions_go_by_reference(functions):
    x = pt.dvector("x")
    for f in (functions.decorated, as_jax_op(functions.plain), as_jax_op(lambda x, s: functions.hundredfold(x) * s)):
        op = f(x, 2.0).owner.op
        assert pickle.loads(pickle.dumps(op)) == op
    assert len(pickle.dumps(functions.decorated(x, 2.0).owner.op)) < 1500


def test_pickled_statics_and_structure():
    x = pt.tensor("x", shape=(3,))
    f = as_jax_op(lambda tree, n, **options: {"y": tree["x"] * n + options["shift"][1]})
    y = f({"x": x, "none": None}, 3, shift=(None, np.array([1.0, 2.0, 3.0])))["y"]
    data = pickle.dumps(y.owner.op)
    script = f"""
import pickle, numpy as np, pytensor, pytensor.tensor as pt
op = pickle.loads({data!r})
x = pt.tensor("x", shape=(3,))
np.testing.assert_allclose(pytensor.function([x], op(x))(np.ones(3)), [4.0, 5.0, 6.0])
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_derivatives_keep_their_parent_through_a_pickle():
    x = pt.tensor("x", shape=(3,))
    y = as_jax_op(lambda x: jnp.sum(x**3))(x)
    f = pytensor.function([x], [y, pytensor.grad(y, x)])
    (op,) = [n.op for n in f.maker.fgraph.toposort() if isinstance(n.op, JaxOp)]
    assert pickle.loads(pickle.dumps(op)) == op


# -- fork --------------------------------------------------------------------------------------------------------------

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform does not fork")

FORK = """
import multiprocessing, os, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np, pytensor, pytensor.tensor as pt, jax.numpy as jnp
from operax.pytensor import as_jax_op
n = int(sys.argv[1])
A = np.random.default_rng(0).normal(size=(n, n))
t = pt.dscalar("t")
y = as_jax_op(lambda t: jnp.sum((jnp.asarray(A) @ (jnp.asarray(A) * t)) ** 2))(t)
f = pytensor.function([t], [y, pytensor.grad(y, t)])
expected = [float(v) for v in f(1.5)]

def work(queue):
    try:
        for _ in range(3):
            got = [float(v) for v in f(1.5)]
        queue.put(got)
    except RuntimeError as error:
        queue.put(str(error))

context = multiprocessing.get_context("fork")
queue = context.Queue()
process = context.Process(target=work, args=(queue,))
process.start()
result = queue.get(timeout=30)
process.join(10)
assert process.exitcode == 0
assert f(1.5)[0] == expected[0]
if isinstance(result, str):
    assert "forkserver" in result and "cores=1" in result, result
    print("raised")
else:
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    print("right")
"""


@needs_fork
@pytest.mark.parametrize("n, outcomes", [(2, {"right"}), (300, {"right", "raised"})])
def test_a_forked_child_computes_or_says_why_not(n, outcomes):
    # where the pool of threads was used before the fork the child would wait for ever: it must raise within 30 s
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", FORK, str(n)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in outcomes
    assert time.monotonic() - started < 45


def test_the_guard_raises_for_a_call_that_stands_still(monkeypatch):
    import threading

    monkeypatch.setattr(_fork, "IDLE_SECONDS", 0.3)
    stuck = threading.Event()
    with pytest.raises(RuntimeError, match=r"slow does not answer in this forked process.*mp_ctx='forkserver'"):
        _fork.guard(lambda x: stuck.wait(20), "key", "slow", (X,))
    stuck.set()


def test_the_guard_lets_long_computations_finish(monkeypatch):
    monkeypatch.setattr(_fork, "IDLE_SECONDS", 1.0)

    def busy(x):
        end = time.process_time() + 2.0
        while time.process_time() < end:
            pass
        return x.sum()

    assert _fork.guard(busy, object(), "busy", (X,)) == X.sum()


def test_the_guard_passes_errors_on():
    def broken(x):
        raise KeyError("inner")

    with pytest.raises(KeyError, match="inner"):
        _fork.guard(broken, object(), "broken", (X,))


def _value(f):
    return [np.asarray(r) for r in f(X)]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_ways_to_start_a_process(method):
    x = pt.tensor("x", shape=(3,))
    y = as_jax_op(custom())(x)
    f = pytensor.function([x], [y, pytensor.grad(y, x)])
    with multiprocessing.get_context(method).Pool(1) as pool:
        value, g = pool.apply_async(pickle.loads, (cloudpickle.dumps(_Task(f)),)).get(timeout=120)
    np.testing.assert_allclose(value, 2 * X.sum())
    np.testing.assert_allclose(g, [100.0] * 3)


class _Task:
    """Runs where it is unpickled."""

    def __init__(self, f):
        self.f = f

    def __reduce__(self):
        return _value, (self.f,)
