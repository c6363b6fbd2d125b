"""Operators beside each other."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax._core.compose import reshaped
from operax.basicoperators._stack import Stack, call, common
from operax.basicoperators.vstack import joined, split, total
from operax.basicoperators.zero import Zero


class HStack(Stack):
    r"""Stack operators horizontally: each acts on its own part of the model, the data are added.

    Parameters
    ----------
    ops : sequence
        Operators, arrays or sparse matrices with the same number of rows.
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
        If the operators differ in their number of rows, or there is none.

    Notes
    -----
    .. math::
        y = \begin{bmatrix} A_1 & \cdots & A_n \end{bmatrix} x = \sum_i A_i x_i, \qquad
        x_i = A_i^H y

    The data keep their axes where all operators have the same `dimsd`; the model is flat. `Zero` operators cost nothing
    in the forward.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.HStack([operax.Identity(2), 2 * operax.Identity(2)]) @ np.array([1.0, 2.0, 3.0, 4.0])
    array([ 7., 10.])
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
        rows = [op.shape[0] for op in self.ops]
        if len(set(rows)) > 1:
            raise ValueError(f"operators of an HStack must have the same number of rows, got {rows}")
        super().__init__(
            dtype=dtype,
            dims=sum(op.shape[1] for op in self.ops),
            dimsd=common([op.dimsd for op in self.ops]) or (rows[0],),
            clinear=all(op.clinear for op in self.ops),
            forceflat=forceflat,
        )

    def _forward(self, x: Array) -> Array:
        pairs = [
            (op, part) for op, part in zip(self.ops, split(x, [op.dims for op in self.ops])) if type(op) is not Zero
        ]
        parts = [reshaped(y, op.dimsd, self.dimsd) for y, (op, _) in zip(self._each(call, pairs, x), pairs)]
        return self._placed(total(parts, x, self.dimsd), 0)

    def _adjoint(self, y: Array) -> Array:
        pairs = [(op.H, reshaped(y, self.dimsd, op.dimsd)) for op in self.ops]
        parts = self._each(call, pairs, y)
        return self._placed(joined(parts, tuple(op.H for op in self.ops)), 1)
