"""`Op @ x`: from any accepted shape and library to the operator's forward, and back.

Inside, data have shape ``(*batch, *dims)``. At this edge, flat vectors and trailing batches are turned into that form
and results are given back in the style of the input.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from operax._arrays.namespace import is_array, is_tracer, library_of, namespace_of
from operax._core.backend import enabled_x64, form_for, has_tracers, jax_leaves, recall, remember
from operax._core.context import ndarrays_accepted
from operax._core.primitive import bind, compiled, traced

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator

MATVEC, RMATVEC, MATMAT, RMATMAT = range(4)
"""Positions of an operator's call counters."""


_CONCRETE: set[type] = set()
"""Array classes seen that hold values: `isinstance(x, jax.Array)` costs more than the whole of a fast call."""


def apply(op: LinearOperator, x: Any) -> Any:
    """`op @ x` for an array `x` of shape `dims`, `(N,)`, `(*dims, k)` or `(N, k)`."""
    if type(x) in _CONCRETE:
        # the shortest way: nothing to convert, nothing traced; it counts in fractions of a microsecond
        entry = op._memo.get("jax_edge")
        if entry is not None and (not entry[1] or recall(op, "jax_edge")) and ndarrays_accepted():
            function, leaves, ndim, x64 = entry[0]
            if x64 is None or x64 == enabled_x64():
                op._counts[MATVEC if x.ndim == ndim or x.ndim == 1 else MATMAT] += 1
                return function(x, *leaves)
    if isinstance(x, np.ndarray):
        if has_tracers(op):
            return edge(op, x, functools.partial(bind, op), op._counts)
        form = form_for(op, "numpy")
        return edge(form, x, form._run, op._counts)
    if isinstance(x, jax.Array):
        if is_tracer(x) or has_tracers(op):
            return edge(op, x, functools.partial(bind, op), op._counts)
        if not ndarrays_accepted():
            _only_vectors(op, x)
        leaves, treedef = jax_leaves(op)
        function = _compiled_edge(treedef, ndarrays_accepted())
        if ndarrays_accepted():
            _CONCRETE.add(type(x))
            remember(op, "jax_edge", (function, leaves, len(op.dims), recall(op, "jax_leaves")[2]))
        op._counts[MATVEC if x.ndim in (1, len(op.dims)) else MATMAT] += 1
        return function(x, *leaves)
    if not is_array(x):
        raise TypeError(_not_an_array(op, x))
    form = form_for(op, library_of(x))
    return edge(form, x, form._run, op._counts)


def apply_nd(op: LinearOperator, x: Any) -> Any:
    """`op` applied to `x` of shape ``(*batch, *dims)``: what composites call for their parts."""
    if isinstance(x, jax.Array):
        if is_tracer(x) or has_tracers(op):
            return bind(op, x)
        leaves, treedef = jax_leaves(op)
        return compiled(treedef)(x, *leaves)
    if has_tracers(op):
        return bind(op, x)
    return form_for(op, library_of(x))._run(x)


def edge(op: LinearOperator, x: Any, run: Callable[[Any], Any], counts: list[int] | None = None) -> Any:
    """Bring `x` into the form ``(*batch, *dims)``, run, and give the result in the style of `x`."""
    dims, shape = op.dims, tuple(x.shape)
    if not ndarrays_accepted():
        _only_vectors(op, x)
    if shape == dims:
        if counts is not None:
            counts[MATVEC] += 1
        y = run(x)
        return namespace_of(y).reshape(y, (-1,)) if op.forceflat and len(shape) == 1 and y.ndim > 1 else y
    size = op.shape[1]
    xp = namespace_of(x)
    if shape == (size,):
        if counts is not None:
            counts[MATVEC] += 1
        return xp.reshape(run(xp.reshape(x, dims)), (-1,))
    if counts is not None:
        counts[MATMAT] += 1
    if len(shape) == 2 and shape[0] == size:
        columns = shape[1]
        y = run(xp.reshape(xp.moveaxis(x, -1, 0), (columns, *dims)))
        return xp.moveaxis(xp.reshape(y, (columns, op.shape[0])), 0, -1)
    if shape[:-1] == dims:
        return xp.moveaxis(run(xp.moveaxis(x, -1, 0)), 0, -1)
    raise ValueError(wrong_shape(op, shape))


def wrong_shape(op: LinearOperator, shape: tuple[int, ...]) -> str:
    """The error text for an input that fits none of the accepted forms."""
    accepted = [f"{op.dims}", f"({op.shape[1]},)"] if len(op.dims) != 1 else [f"{op.dims}"]
    accepted += [f"({', '.join(map(str, op.dims))}, k) for k columns"]
    return (
        f"{op._label()} takes an input of shape {' or '.join(accepted)}, got {shape}; "
        "for leading batch axes use Op.batched(x) or jax.vmap"
    )


def _only_vectors(op: LinearOperator, x: Any) -> None:
    if x.ndim > 2 or x.shape[0] != op.shape[1]:
        raise ValueError(
            f"{op._label()} takes a vector of length {op.shape[1]} or a matrix of so many rows while multiplication "
            f"of n-dimensional arrays is disabled, got shape {tuple(x.shape)}; enable it or flatten the array"
        )


def _not_an_array(op: LinearOperator, x: Any) -> str:
    hint = "convert it with numpy.asarray or jax.numpy.asarray"
    if hasattr(x, "toarray"):
        hint = "for a sparse matrix use Op @ x.toarray(), or wrap it in operax.MatrixMult to compose operators"
    elif type(x).__module__.startswith("torch"):
        hint = "for torch tensors wrap the operator once with operax.TorchOperator(Op)"
    elif type(x).__module__.startswith("pytensor"):
        hint = "for PyTensor variables wrap the operator once with operax.PyTensorOperator(Op)"
    elif hasattr(x, "matvec"):
        hint = "an operator of another library becomes one of ours with operax.aslinearoperator(B)"
    elif np.isscalar(x):
        hint = "use Op * scalar to scale an operator"
    return f"{op._label()} cannot be applied to {type(x).__name__}; {hint}"


@functools.lru_cache(maxsize=4096)
def _compiled_edge(treedef: Any, ndarrays: bool) -> Callable[..., Any]:
    # `ndarrays` is only part of the key: the switch is read while tracing
    def apply_operator(x: Any, *leaves: Any) -> Any:
        op = jax.tree_util.tree_unflatten(treedef, leaves)
        return edge(op, x, functools.partial(traced, op))

    return jax.jit(apply_operator)
