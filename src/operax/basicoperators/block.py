"""Operators in rows and columns."""

from __future__ import annotations

from typing import Any

from operax.basicoperators._stack import operators_of
from operax.basicoperators.hstack import HStack
from operax.basicoperators.vstack import VStack


class Block(VStack):
    r"""Operators in the places of a block matrix.

    Parameters
    ----------
    ops : sequence of sequences
        Rows of operators, arrays or sparse matrices.
    nproc : int, optional
        Threads that share the work on NumPy arrays (default 1).
    forceflat : bool, optional
        Give flat results for flat inputs where an operator composed with this one is n-dimensional.
    parallel_kind : {"multiproc", "multithread"}, optional
        Accepted for scripts that choose; the work is shared among threads in either case.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the operators and the input.

    Notes
    -----
    .. math::
        y = \begin{bmatrix} A_{11} & \cdots & A_{1m} \\ \vdots & & \vdots \\ A_{n1} & \cdots & A_{nm} \end{bmatrix} x

    A `VStack` of `HStack`; `Zero` operators cost nothing.

    Examples
    --------
    >>> import numpy as np, operax
    >>> I, Z = operax.Identity(2), operax.Zero(2)
    >>> operax.Block([[I, 2 * I], [Z, I]]) @ np.array([1.0, 2.0, 3.0, 4.0])
    array([ 7., 10.,  3.,  4.])
    """

    def __init__(
        self,
        ops: Any,
        nproc: int = 1,
        forceflat: bool | None = None,
        parallel_kind: str = "multiproc",
        dtype: Any = None,
    ) -> None:
        rows = [HStack(operators_of(row, "a row of Block", dtype), forceflat=forceflat, dtype=dtype) for row in ops]
        super().__init__(rows, nproc=nproc, forceflat=forceflat, parallel_kind=parallel_kind, dtype=dtype)
