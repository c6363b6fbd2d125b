"""What a call costs: dispatch on small arrays, first calls, import; and the derivatives at all sizes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np

from benchmarks.harness import SIZES, Case, SetUp, Work, random, same_api_cases

SMALL = 100
LARGE = 10**7


def _square(size: int) -> tuple[int, int]:
    side = round(size**0.5)
    return (side, side)


# ---- a call on a small array


def _diagonal(lib: Any) -> Any:
    return lib.Diagonal(random(SMALL, "float32"), dtype="float32")


def _derivative(lib: Any) -> Any:
    return lib.FirstDerivative(SMALL, dtype="float32")


def _chain(lib: Any) -> Any:
    op = _diagonal(lib)
    for _ in range(9):
        op = _diagonal(lib) @ op
    return op


def _call(lib_name: str, build: Any, library: str, adjoint: bool = False) -> SetUp:
    def setup() -> Work:
        import importlib

        import jax.numpy as jnp

        op = build(importlib.import_module(lib_name))
        op = op.H if adjoint else op
        x = random(SMALL, "float32")
        if library == "jax":
            x = jnp.asarray(x)
            op = op.to("jax") if lib_name == "operax" else importlib.import_module("pylops").JaxOperator(op)
        return lambda: op @ x

    return setup


def _bare_jit(build: Any, adjoint: bool = False) -> SetUp:
    """The same computation as a plain jitted function of an array: the floor of what JAX can do."""

    def setup() -> Work:
        import jax
        import jax.numpy as jnp

        import operax

        op = build(operax).to("jax")
        op = op.H if adjoint else op
        leaves, structure = jax.tree.flatten(op)
        bare = jax.jit(lambda x, *leaves: jax.tree.unflatten(structure, leaves)._run(x))
        x = jnp.asarray(random(SMALL, "float32"))
        return lambda: bare(x, *leaves)

    return setup


CASES = []
for _label, _build in (("Diagonal", _diagonal), ("FirstDerivative", _derivative), ("ten Diagonals", _chain)):
    for _adjoint in (False, True):
        _which = "adjoint" if _adjoint else "forward"
        CASES.append(
            Case(
                f"small {_label} {_which} on JAX",
                SMALL,
                ours={"jax": _call("operax", _build, "jax", _adjoint)},
                peers={
                    "bare jit": _bare_jit(_build, _adjoint),
                    "pylops jax": _call("pylops", _build, "jax", _adjoint),
                    "pylops": _call("pylops", _build, "numpy", _adjoint),
                },
                goals={"bare jit": 1.3},
            )
        )
        CASES.append(
            Case(
                f"small {_label} {_which} on NumPy",
                SMALL,
                ours={"numpy": _call("operax", _build, "numpy", _adjoint)},
                peers={"pylops": _call("pylops", _build, "numpy", _adjoint)},
                goals={"pylops": 1.2},
            )
        )

# ---- the first call of an operator with large parameters


def _first_call_ours() -> Work:
    import jax
    import jax.numpy as jnp

    import operax

    d, x = jnp.asarray(random(LARGE, "float32")), jnp.ones(LARGE, "float32")

    def work() -> Any:
        jax.clear_caches()
        return operax.Diagonal(d) @ x

    return work


def _first_call_closed_over() -> Work:
    import jax
    import jax.numpy as jnp

    d, x = jnp.asarray(random(LARGE, "float32")), jnp.ones(LARGE, "float32")

    def work() -> Any:
        jax.clear_caches()
        return jax.jit(lambda x: d * x)(x)

    return work


def _first_call_pylops() -> Work:
    import jax
    import jax.numpy as jnp
    import pylops

    d, x = random(LARGE, "float32"), jnp.ones(LARGE, "float32")

    def work() -> Any:
        jax.clear_caches()
        return pylops.JaxOperator(pylops.Diagonal(d, dtype="float32"))._matvec(x)

    return work


CASES.append(
    Case(
        "first call of a Diagonal",
        LARGE,
        ours={"jax": _first_call_ours},
        peers={"jit, closed over": _first_call_closed_over, "pylops jax": _first_call_pylops},
        limit=0.3,
    )
)

# ---- import


def _import(module: str) -> SetUp:
    def setup() -> Work:
        import importlib.util

        if importlib.util.find_spec(module) is None:
            raise ModuleNotFoundError(name=module)
        return lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True).returncode

    return setup


CASES.append(
    Case(
        "import",
        0,
        ours={"operax": _import("operax")},
        peers={module: _import(module) for module in ("jax", "pylops")},
        same=None,
    )
)

# ---- derivatives

_GOALS = {"jax/pylops": 0.10, "numpy/pylops": 0.5}


def _first(**options: Any) -> Any:
    return lambda lib, shape: lib.FirstDerivative(shape, dtype="float32", **options)


def _second(**options: Any) -> Any:
    return lambda lib, shape: lib.SecondDerivative(shape, dtype="float32", **options)


_DERIVATIVES = {
    "FirstDerivative axis=0": _first(axis=0),
    "FirstDerivative axis=1": _first(axis=1),
    "FirstDerivative forward axis=1": _first(axis=1, kind="forward"),
    "FirstDerivative edge axis=0": _first(axis=0, edge=True),
    "SecondDerivative axis=0": _second(axis=0),
    "Laplacian": lambda lib, shape: lib.Laplacian(shape, axes=(0, 1), dtype="float32"),
    "Gradient": lambda lib, shape: lib.Gradient(shape, dtype="float32"),
}


def _doubling(size: int) -> SetUp:
    """Read an array, write an array: no derivative can be faster under JAX."""

    def setup() -> Work:
        import jax
        import jax.numpy as jnp

        double = jax.jit(lambda x: 2 * x)
        x = jnp.asarray(random(_square(size), "float32"))
        return lambda: double(x)

    return setup


def _derivative_of_pylops(size: int, axis: int) -> SetUp:
    def setup() -> Work:
        import pylops

        op = pylops.FirstDerivative(_square(size), axis=axis, dtype="float32")
        x = random(_square(size), "float32")
        return lambda: op @ x

    return setup


for _size in SIZES:
    CASES.append(
        Case(
            "2 * x, the floor of the derivatives",
            _size,
            ours={"jax": _doubling(_size)},
            peers={f"pylops axis={axis}": _derivative_of_pylops(_size, axis) for axis in (0, 1)},
            same=None,
        )
    )
    for _label, _make in _DERIVATIVES.items():
        _dims = _square(_size)
        CASES += same_api_cases(
            _label,
            _dims,
            lambda lib, make=_make, dims=_dims: make(lib, dims),
            goals=_GOALS if np.prod(_dims) == 10**6 else None,
        )
