"""Operators for PyLops' solvers and composites."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._core.operator import LinearOperator
from operax.interop._foreign import ForeignOperator
from operax.interop._require import require


def to_pylops(Op: LinearOperator, dtype: Any = None) -> Any:
    """The operator as a ``pylops.LinearOperator``.

    Parameters
    ----------
    Op : LinearOperator
        Operator from `dims` to `dimsd`; PyLops sees the same shapes.
    dtype : dtype-like, optional
        What PyLops is told of the dtype; by default the one of the operator.

    Returns
    -------
    pylops.LinearOperator
        Usable in PyLops' solvers and beside its operators, on NumPy, CuPy and JAX arrays.

    Raises
    ------
    ImportError
        If PyLops is not installed.

    Examples
    --------
    >>> import numpy as np, pylops, operax
    >>> Op = operax.MatrixMult(np.array([[2.0, 0.0], [0.0, 4.0]]))
    >>> mixed = pylops.VStack([Op.to_pylops(), pylops.Identity(2)])
    >>> mixed @ np.ones(2)
    array([2., 4., 1., 1.])
    """
    pylops = require("pylops", "Op.to_pylops()")
    if isinstance(Op, ForeignOperator) and dtype is None and isinstance(Op.source, pylops.LinearOperator):
        return Op.source
    return _class(pylops)(Op, Op.dtype if dtype is None else np.dtype(dtype))


_made: list[type] = []


def _class(pylops: Any) -> Any:
    """The class, made when PyLops is first needed."""
    if not _made:

        class OperaxOperator(pylops.LinearOperator):
            """PyLops' protocol over `op`."""

            @property
            def operax_operator(self) -> LinearOperator:
                """The operator itself."""
                return self.op

            def __init__(self, op: LinearOperator, dtype: np.dtype) -> None:
                super().__init__(dtype=dtype, dims=op.dims, dimsd=op.dimsd, clinear=op.clinear, name=op.name)
                self.op = op

            def _matvec(self, x: Any) -> Any:
                return self.op.matvec(x)

            def _rmatvec(self, x: Any) -> Any:
                return self.op.rmatvec(x)

            def _matmat(self, X: Any) -> Any:
                return self.op.matmat(X)

            def _rmatmat(self, X: Any) -> Any:
                return self.op.rmatmat(X)

        _made.append(OperaxOperator)
    return _made[0]
