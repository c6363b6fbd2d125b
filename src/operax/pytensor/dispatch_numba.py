"""PyTensor's Numba mode: one crossing into Python and back for each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operax.pytensor._compiled import Runner
from operax.pytensor._hooks import when_imported
from operax.pytensor._op import ForeignOp

__all__ = ["register"]

_runners: list[Runner] = []


def call_one(key: int, *inputs: Any) -> np.ndarray:
    """Run a function of one output; called from compiled code."""
    return _runners[key](*inputs)[0]


def call_many(key: int, *inputs: Any) -> tuple[np.ndarray, ...]:
    """Run a function of several outputs; called from compiled code."""
    return tuple(_runners[key](*inputs))


def register() -> None:
    """Fill the tables of PyTensor's Numba mode."""
    import numba
    from pytensor.link.numba.dispatch.basic import numba_funcify, numba_funcify_and_cache_key, numba_njit

    def foreign_op(op: ForeignOp, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
        # Object mode with a fixed number of arguments and an integer that stands for the function: compiled code holds
        # no Python object, so nothing is pickled into it. A ctypes callback is slower (25 against 16 microseconds).
        _runners.append(op.runner(node))
        types = [numba.types.Array(numba.from_dtype(np.dtype(v.type.dtype)), v.type.ndim, "C") for v in node.outputs]
        one = len(types) == 1
        args = [f"a{i}" for i in range(len(node.inputs))]
        call = f"target({', '.join([str(len(_runners) - 1), *args])})"
        source = (
            f"def foreign({', '.join(args)}):\n    with objmode(out=out_type):\n        out = {call}\n    return out\n"
        )
        names = {
            "objmode": numba.objmode,
            "out_type": types[0] if one else numba.types.Tuple(types),
            "target": call_one if one else call_many,
        }
        exec(source, names)
        return numba_njit(names["foreign"])  # type: ignore[arg-type]

    numba_funcify.register(ForeignOp)(foreign_op)
    # no cache key: numba keeps nothing on disk that crosses into Python
    numba_funcify_and_cache_key.register(ForeignOp)(lambda op, node=None, **kwargs: (foreign_op(op, node), None))


when_imported("pytensor.link.numba.dispatch.basic", register)
