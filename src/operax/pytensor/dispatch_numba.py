"""PyTensor's Numba mode: one crossing into Python and back for each call."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from operax.pytensor import _numba_targets
from operax.pytensor._compiled import flat_runner
from operax.pytensor._hooks import when_imported
from operax.pytensor._op import ForeignOp
from operax.pytensor._packing import Packing

__all__ = ["register"]

_numbers = itertools.count()


def _source(inputs: int, packing: Packing | None, target: str) -> str:
    """A function that calls the target in object mode, and takes a packed result apart in compiled code."""
    args = ", ".join(f"a{i}" for i in range(inputs))
    lines = [
        f"def foreign({args}):",
        "    with objmode(out=out_type):",
        f"        out = targets.{target}({args})",
    ]
    names = []
    for k, (where, shape) in enumerate(packing.parts if packing else ()):
        names.append(f"r{k}")
        if shape:
            lines.append(f"    r{k} = out[{where.start}:{where.stop}].copy().reshape({shape})")
        else:
            lines += [f"    r{k} = np.empty((), out.dtype)", f"    r{k}[()] = out[{where.start}]"]
    lines.append(f"    return {', '.join(names) or 'out'}")
    return "\n".join(lines) + "\n"


def _target(op: ForeignOp, node: Any, packing: Packing | None) -> Callable[..., Any]:
    if packing is not None:
        types = [v.type for v in node.inputs], [v.type for v in node.outputs]
        return flat_runner(op.fn, *types, op._outputs(node).ties, packing)
    run = op.runner(node)
    return (lambda *a: run(*a)[0]) if len(node.outputs) == 1 else (lambda *a: tuple(run(*a)))


def register() -> None:
    """Fill the tables of PyTensor's Numba mode."""
    import numba
    from pytensor.link.numba.dispatch.basic import numba_funcify, numba_funcify_and_cache_key, numba_njit

    def array(dtype: str, ndim: int) -> Any:
        return numba.types.Array(numba.from_dtype(np.dtype(dtype)), ndim, "C")

    def foreign_op(op: ForeignOp, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
        # Numba pickles what object mode refers to: a module goes by its name, and the function, which need not be
        # picklable, is an attribute of it. A ctypes callback would be slower (25 against 16 microseconds).
        packing = Packing.of([v.type for v in node.outputs]) if op.fn.engine.packs else None
        target = f"target_{next(_numbers)}"
        setattr(_numba_targets, target, _target(op, node, packing))
        types = [array(v.type.dtype, v.type.ndim) for v in node.outputs]
        if packing is not None:
            types = [array(packing.dtype, 1)]
        names: dict[str, Any] = {
            "np": np,
            "objmode": numba.objmode,
            "targets": _numba_targets,
            "out_type": types[0] if len(types) == 1 else numba.types.Tuple(types),
        }
        exec(_source(len(node.inputs), packing, target), names)
        return numba_njit(names["foreign"])

    numba_funcify.register(ForeignOp)(foreign_op)
    # no cache key: numba keeps nothing on disk that crosses into Python
    numba_funcify_and_cache_key.register(ForeignOp)(lambda op, node=None, **kwargs: (foreign_op(op, node), None))


when_imported("pytensor.link.numba.dispatch.basic", register)
