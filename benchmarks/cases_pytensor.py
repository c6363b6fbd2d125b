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


# ---- a batch of calls: JAX alone, on the same NumPy input and on an array that it has already, is the floor


def _bare_batch(gradient: bool, on_device: bool) -> SetUp:
    def setup() -> Work:
        import jax

        function = jax.jit(jax.vmap(jax.value_and_grad(_energy) if gradient else _energy))
        points: Any = _point((BATCH, N))
        if on_device:
            with jax.enable_x64(True):
                points = jax.device_put(points)

        def work() -> Any:
            with jax.enable_x64(True):
                result = function(points)
                return jax.block_until_ready(result) if on_device else jax.tree.map(np.array, result)

        return work if not gradient else lambda: work()[1]

    return setup


def _batched(ours: bool, gradient: bool, mode: str | None = None) -> SetUp:
    def setup() -> Work:
        import pytensor
        import pytensor.tensor as pt
        from pytensor.graph.replace import vectorize_graph

        if ours:
            from operax.pytensor import as_jax_op as wrap
        else:
            from pytensor import wrap_jax as wrap

        x, outputs = _graph(wrap)
        X = pt.tensor("X", shape=(BATCH, N), dtype="float64")
        outputs = vectorize_graph(outputs if gradient else outputs[:1], {x: X})
        function = pytensor.function([X], outputs, mode=mode, trust_input=True)
        points = _point((BATCH, N))
        return lambda: function(points)[-1]

    return setup


def _batch_case(name: str, gradient: bool) -> Case:
    return Case(
        f"PyTensor Op of a JAX function, batch of {BATCH}, {name}",
        BATCH * N,
        ours=_batched(True, gradient),
        peers={
            "Blockwise of wrap_jax": _batched(False, gradient),
            "jit of vmap": _bare_batch(gradient, False),
            "jit of vmap, no conversion": _bare_batch(gradient, True),
        },
        goals={"Blockwise of wrap_jax": 1 / 200},
    )


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
    _batch_case("value", False),
    _batch_case("value and gradient", True),
]
