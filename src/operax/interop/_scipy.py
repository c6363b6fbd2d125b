"""Operators for SciPy's solvers and decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._core.operator import LinearOperator
from operax.interop._foreign import ForeignOperator


def to_scipy(Op: LinearOperator, dtype: Any = None) -> Any:
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
    import scipy.sparse.linalg

    from operax.interop._scipy_operator import ScipyOperator

    if isinstance(Op, ForeignOperator) and dtype is None:
        source = Op.source
        if isinstance(source, scipy.sparse.linalg.LinearOperator) and source.dtype == Op.dtype:
            return source
    return ScipyOperator(Op, Op.dtype if dtype is None else np.dtype(dtype))
