"""Operators on top of each other."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, namespace_of
from operax._core.compose import reshaped
from operax._core.operator import LinearOperator
from operax.basicoperators._stack import Stack, call, common
from operax.basicoperators.zero import Zero


class VStack(Stack):
    r"""Stack operators vertically: all act on one model, the data follow each other.

    Parameters
    ----------
    ops : sequence
        Operators, arrays or sparse matrices with the same number of columns.
    nproc : int, optional
        Threads that share the work on NumPy arrays (default 1).
    forceflat : bool, optional
        Give flat results for flat inputs where an operator composed with this one is n-dimensional.
    inoutengine : tuple of str, optional
        Libraries that the data (of the forward) and the model (of the adjoint) are given in, such as
        ``("numpy", "cupy")``; by default the one of the input.
    parallel_kind : {"multiproc", "multithread"}, optional
        Accepted for scripts that choose; the work is shared among threads in either case.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the operators and the input.

    Attributes
    ----------
    ops : tuple of LinearOperator
        The parts.

    Raises
    ------
    ValueError
        If the operators differ in their number of columns, or there is none.

    Notes
    -----
    .. math::
        y = \begin{bmatrix} A_1 \\ \vdots \\ A_n \end{bmatrix} x, \qquad
        x = \sum_i A_i^H y_i

    The model keeps its axes where all operators have the same `dims`; the data are flat. `Zero` operators cost nothing
    in the adjoint.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.VStack([operax.Identity(3), operax.FirstDerivative(3, kind="forward")])
    >>> Op @ np.array([1.0, 2.0, 4.0])
    array([1., 2., 4., 1., 2., 0.])
    """

    def __init__(
        self,
        ops: Any,
        nproc: int = 1,
        forceflat: bool | None = None,
        inoutengine: Any = None,
        parallel_kind: str = "multiproc",
        dtype: Any = None,
    ) -> None:
        self._set_parts(ops, nproc, inoutengine, parallel_kind, dtype)
        columns = [op.shape[1] for op in self.ops]
        if len(set(columns)) > 1:
            raise ValueError(f"operators of a VStack must have the same number of columns, got {columns}")
        super().__init__(
            dtype=dtype,
            dims=common([op.dims for op in self.ops]) or (columns[0],),
            dimsd=sum(op.shape[0] for op in self.ops),
            clinear=all(op.clinear for op in self.ops),
            forceflat=forceflat,
        )

    def _forward(self, x: Array) -> Array:
        pairs = [(op, reshaped(x, self.dims, op.dims)) for op in self.ops]
        return self._placed(joined(self._each(call, pairs, x), self.ops), 0)

    def _adjoint(self, y: Array) -> Array:
        pairs = [
            (op.H, part) for op, part in zip(self.ops, split(y, [op.dimsd for op in self.ops])) if type(op) is not Zero
        ]
        parts = [reshaped(x, op.dimsd, self.dims) for x, (op, _) in zip(self._each(call, pairs, y), pairs)]
        return self._placed(total(parts, y, self.dims), 1)


def joined(parts: list[Array], ops: tuple[LinearOperator, ...]) -> Array:
    """Flat parts one after the other."""
    xp = namespace_of(*parts)
    return xp.concat([reshaped(part, op.dimsd, (op.shape[0],)) for part, op in zip(parts, ops)], axis=-1)


def split(y: Array, shapes: list[tuple[int, ...]]) -> list[Array]:
    """The pieces of `y`, flat along its last axis, in their shapes."""
    pieces, start = [], 0
    for shape in shapes:
        size = 1
        for n in shape:
            size *= n
        pieces.append(reshaped(y[..., start : start + size], (size,), shape))
        start += size
    return pieces


def total(parts: list[Array], like: Array, dims: tuple[int, ...]) -> Array:
    """The sum of `parts`; zeros of shape `dims` where there are none (all operators being `Zero`)."""
    if not parts:
        return namespace_of(like).zeros((*like.shape[:-1], *dims), dtype=like.dtype)
    result = parts[0]
    for part in parts[1:]:
        result = result + part
    return result
