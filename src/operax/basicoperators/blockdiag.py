"""Operators along the diagonal."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, namespace_of
from operax._core.compose import reshaped
from operax._core.operator import LinearOperator
from operax.basicoperators._stack import Stack, call, common
from operax.basicoperators.vstack import joined, split


class BlockDiag(Stack):
    r"""Put operators along the diagonal: each maps its own part of the model to its own part of the data.

    Parameters
    ----------
    ops : sequence
        Operators, arrays or sparse matrices.
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

    Notes
    -----
    .. math:: y_i = A_i x_i, \qquad x_i = A_i^H y_i

    Where all operators have the same `dims`, the model has shape ``(len(ops), *dims)``, else it is flat; the same for
    the data.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.BlockDiag([operax.Identity(2), 3 * operax.Identity(2)]) @ np.ones((2, 2))
    array([[1., 1.],
           [3., 3.]])
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
        super().__init__(
            dtype=dtype,
            dims=_stacked([op.dims for op in self.ops]),
            dimsd=_stacked([op.dimsd for op in self.ops]),
            clinear=all(op.clinear for op in self.ops),
            forceflat=forceflat,
        )

    def _forward(self, x: Array) -> Array:
        return self._placed(self._blocks(self.ops, x, self.dims, self.dimsd), 0)

    def _adjoint(self, y: Array) -> Array:
        return self._placed(self._blocks(tuple(op.H for op in self.ops), y, self.dimsd, self.dims), 1)

    def _blocks(
        self, ops: tuple[LinearOperator, ...], x: Array, dims: tuple[int, ...], dimsd: tuple[int, ...]
    ) -> Array:
        axis = -len(dims)
        if dims == (len(ops), *ops[0].dims):
            rest = (slice(None),) * (-axis - 1)
            parts = [x[(..., i, *rest)] for i in range(len(ops))]
        else:
            parts = split(reshaped(x, dims, (sum(op.shape[1] for op in ops),)), [op.dims for op in ops])
        results = self._each(call, list(zip(ops, parts)), x)
        if dimsd == (len(ops), *ops[0].dimsd):
            return namespace_of(*results).stack(results, axis=-len(dimsd))
        return reshaped(joined(results, ops), (sum(op.shape[0] for op in ops),), dimsd)


def _stacked(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    shared = common(shapes)
    if shared is not None:
        return (len(shapes), *shared)
    total = 0
    for shape in shapes:
        size = 1
        for n in shape:
            size *= n
        total += size
    return (total,)
