"""What a JAX function costs as a PyTensor Op: against the bare compiled function, and against `pytensor.wrap_jax`."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.harness import Case, SetUp, Work

N = 3
BATCH = 500


def _energy(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.sum(jnp.sin(x) ** 2)


def _point(shape: int | tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


# ---- value and gradient of a small function


def _graph(wrap: Any) -> tuple[Any, Any]:
    import pytensor
    import pytensor.tensor as pt

    x = pt.tensor("x", shape=(N,), dtype="float64")
    y = wrap(_energy)(x)
    return x, [y, pytensor.grad(y, x)]


def _bare() -> Work:
    import jax

    function = jax.jit(jax.value_and_grad(_energy))
    x = _point(N)

    def work() -> np.ndarray:
        with jax.enable_x64(True):  # as an Op does for itself
            value, gradient = function(x)
        np.array(value)
        return np.array(gradient)

    return work


def _value_and_gradient(ours: bool, mode: str | None) -> SetUp:
    def setup() -> Work:
        import pytensor

        if ours:
            from operax.pytensor import as_jax_op as wrap
        else:
            from pytensor import wrap_jax as wrap

        x, outputs = _graph(wrap)
        function = pytensor.function([x], outputs, mode=mode, trust_input=True)
        point = _point(N)
        return lambda: function(point)[1]

    return setup


# ---- a batch of calls


def _bare_batch() -> Work:
    import jax

    function = jax.jit(jax.vmap(_energy))
    points = _point((BATCH, N))

    def work() -> np.ndarray:
        with jax.enable_x64(True):
            return np.array(function(points))

    return work


def _batched(ours: bool) -> SetUp:
    def setup() -> Work:
        import pytensor
        import pytensor.tensor as pt
        from pytensor.graph.replace import vectorize_graph

        if ours:
            from operax.pytensor import as_jax_op as wrap
        else:
            from pytensor import wrap_jax as wrap

        x, X = pt.tensor("x", shape=(N,), dtype="float64"), pt.tensor("X", shape=(BATCH, N), dtype="float64")
        function = pytensor.function([X], vectorize_graph(wrap(_energy)(x), {x: X}), trust_input=True)
        points = _point((BATCH, N))
        return lambda: function(points)

    return setup


CASES = [
    Case(
        "PyTensor Op of a JAX function, value and gradient",
        N,
        ours={"default mode": _value_and_gradient(True, "CVM"), "numba mode": _value_and_gradient(True, "NUMBA")},
        peers={
            "jit": _bare,
            "wrap_jax": _value_and_gradient(False, "CVM"),
            "wrap_jax numba": _value_and_gradient(False, "NUMBA"),
        },
        goals={"default mode/jit": 1.4, "numba mode/jit": 1.7},
    ),
    Case(
        f"PyTensor Op of a JAX function, batch of {BATCH}",
        BATCH * N,
        ours=_batched(True),
        peers={"Blockwise of wrap_jax": _batched(False), "jit of vmap": _bare_batch},
        goals={"Blockwise of wrap_jax": 1 / 200},
    ),
]
