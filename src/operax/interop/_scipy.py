"""Operators for SciPy's solvers and decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg

from operax._arrays.namespace import as_numpy
from operax._core.operator import LinearOperator
from operax.interop._foreign import ForeignOperator


def to_scipy(Op: LinearOperator, dtype: Any = None) -> scipy.sparse.linalg.LinearOperator:
    """The operator as a ``scipy.sparse.linalg.LinearOperator``.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape ``(M, N)``. Where its arrays are on a device, they are copied to the host once.
    dtype : dtype-like, optional
        What SciPy is told of the results' dtype; by default the one of the operator.

    Returns
    -------
    scipy.sparse.linalg.LinearOperator
        Usable in `scipy.sparse.linalg` (`cg`, `gmres`, `lsqr`, `svds`, `eigsh`, ...). Several columns are one
        vectorised call.

    Examples
    --------
    >>> import numpy as np, scipy.sparse.linalg, operax
    >>> Op = operax.MatrixMult(np.diag([1.0, 2.0, 4.0]))
    >>> x, info = scipy.sparse.linalg.cg(Op.to_scipy(), np.ones(3), rtol=1e-10)
    >>> np.round(x, 6), info
    (array([1.  , 0.5 , 0.25]), 0)
    """
    if isinstance(Op, ForeignOperator) and dtype is None and _untouched(Op):
        return Op.source
    return _ScipyOperator(Op, Op.dtype if dtype is None else np.dtype(dtype))


def _untouched(op: ForeignOperator) -> bool:
    return isinstance(op.source, scipy.sparse.linalg.LinearOperator) and op.source.dtype == op.dtype


class _ScipyOperator(scipy.sparse.linalg.LinearOperator):
    """SciPy's protocol over `op`."""

    def __init__(self, op: LinearOperator, dtype: np.dtype) -> None:
        super().__init__(dtype, op.shape)
        self.op = op

    def _matvec(self, x: Any) -> np.ndarray:
        return as_numpy(self.op.matvec(np.asarray(x).reshape(-1)))

    def _rmatvec(self, x: Any) -> np.ndarray:
        return as_numpy(self.op.rmatvec(np.asarray(x).reshape(-1)))

    def _matmat(self, X: Any) -> np.ndarray:
        return as_numpy(self.op.matmat(np.asarray(X)))

    def _rmatmat(self, X: Any) -> np.ndarray:
        return as_numpy(self.op.rmatmat(np.asarray(X)))

    def _adjoint(self) -> _ScipyOperator:
        return _ScipyOperator(self.op.H, self.dtype)

    def _transpose(self) -> _ScipyOperator:
        return _ScipyOperator(self.op.T, self.dtype)
