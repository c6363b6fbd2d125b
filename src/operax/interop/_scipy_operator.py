"""What SciPy sees of an operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg

from operax._arrays.namespace import as_numpy
from operax._core.operator import LinearOperator


class ScipyOperator(scipy.sparse.linalg.LinearOperator):
    """SciPy's protocol over `op`."""

    @property
    def operax_operator(self) -> LinearOperator:
        """The operator itself."""
        return self.op

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

    def _adjoint(self) -> ScipyOperator:
        return ScipyOperator(self.op.H, self.dtype)

    def _transpose(self) -> ScipyOperator:
        return ScipyOperator(self.op.T, self.dtype)
