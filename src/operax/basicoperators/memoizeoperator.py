"""Results kept for inputs that come again."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from operax._arrays.namespace import Array, is_array, is_tracer, library_of, namespace_of
from operax._core.apply import apply_nd, edge
from operax._core.backend import has_tracers, recall, remember
from operax._core.compose import Adjoint
from operax._core.operator import LinearOperator


class MemoizeOperator(LinearOperator):
    """Keep the last pairs of model and data of an operator, and give them again for equal inputs.

    Parameters
    ----------
    Op : LinearOperator
        Operator whose applications are expensive.
    max_neval : int or float, optional
        Number of pairs to keep (default 10); ``numpy.inf`` for all.

    Attributes
    ----------
    store : list of tuple
        Pairs of model and data.
    neval : int
        Applications of `Op` so far.

    Notes
    -----
    Values inside ``jax.jit`` or ``jax.grad`` are not known: there the operator is simply applied. An operator whose
    attributes change starts with an empty store.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.MemoizeOperator(operax.Diagonal(np.arange(3.0)))
    >>> _ = Op @ np.ones(3), Op @ np.ones(3)
    >>> Op.neval
    1
    """

    def __init__(self, Op: LinearOperator, max_neval: float = 10) -> None:
        if not isinstance(Op, LinearOperator):
            raise TypeError(f"Op must be an operator, got {type(Op).__name__}")
        if not (max_neval == math.inf or (isinstance(max_neval, int | np.integer) and max_neval > 0)):
            raise ValueError(f"max_neval={max_neval!r} must be a whole number of at least 1, or numpy.inf")
        super().__init__(Op=Op)
        self.max_neval = max_neval

    def _log(self) -> dict[str, Any]:
        # forgotten as soon as the operator, or a part of it, gets another attribute
        return recall(self, "log") or remember(self, "log", {"store": [], "neval": 0})

    @property
    def store(self) -> list[tuple[Array, Array]]:
        """Pairs of model and data, the oldest first."""
        return [pair for _, pair in self._log()["store"]]

    @property
    def neval(self) -> int:
        """Applications of `Op` so far."""
        return self._log()["neval"]

    def _forward(self, x: Array) -> Array:
        return self._looked_up(x, 0)

    def _adjoint(self, y: Array) -> Array:
        return self._looked_up(y, 1)

    def __matmul__(self, other: Any) -> Any:
        if not _is_known(self, other):
            return super().__matmul__(other)
        return edge(self, other, functools.partial(self._looked_up, side=0), self._counts)

    def __mul__(self, other: Any) -> Any:
        return self @ other if _is_known(self, other) else super().__mul__(other)

    def _adjoint_operator(self) -> LinearOperator:
        return _MemoizedAdjoint(self)

    def _looked_up(self, v: Array, side: int) -> Array:
        op = self.Op if side == 0 else self.Op.H
        if is_tracer(v) or has_tracers(self):
            return apply_nd(op, v)
        log = self._log()
        for made_by, pair in log["store"]:
            # a pair of the forward says nothing of the adjoint: A.H (A x) is not x
            if made_by == side and _same(pair[side], v):
                return _copied(pair[1 - side])
        result = apply_nd(op, v)
        log["neval"] += 1
        pair = (_copied(v), _copied(result))
        log["store"].append((side, pair if side == 0 else pair[::-1]))
        if len(log["store"]) > self.max_neval:
            del log["store"][0]
        return result


class _MemoizedAdjoint(Adjoint):
    """The adjoint, which looks into the same store."""

    op: MemoizeOperator

    def __matmul__(self, other: Any) -> Any:
        if not _is_known(self, other):
            return super().__matmul__(other)
        return edge(self, other, functools.partial(self.op._looked_up, side=1), self._counts)

    def __mul__(self, other: Any) -> Any:
        return self @ other if _is_known(self, other) else super().__mul__(other)


def _is_known(op: LinearOperator, x: Any) -> bool:
    """Whether `x` is an array whose values can be compared."""
    return is_array(x) and x.ndim > 0 and not is_tracer(x) and not has_tracers(op)


def _same(known: Array, v: Array) -> bool:
    return (
        library_of(known) == library_of(v)
        and tuple(known.shape) == tuple(v.shape)
        and known.dtype == v.dtype
        and bool(namespace_of(v).all(known == v))
    )


def _copied(v: Array) -> Array:
    """NumPy arrays could be written into after the call."""
    return v.copy() if isinstance(v, np.ndarray) else v
