"""Operators as matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from operax._arrays.namespace import Array, as_library, is_array, namespace_of
from operax._core.apply import apply_nd

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator


def todense(op: LinearOperator, backend: str = "numpy") -> Array:
    """The matrix of `op`: its own where it is explicit, else its action on the identity, in one batched call."""
    matrix = getattr(op, "A", None) if op.explicit else None
    if matrix is not None and is_array(matrix) and tuple(matrix.shape) == op.shape:
        return as_library(matrix, backend)
    rows, columns = op.shape
    identity = np.eye(columns, dtype=op._model_dtype or op.dtype).reshape(columns, *op.dims)
    y = apply_nd(op, as_library(identity, backend))
    return namespace_of(y).moveaxis(y.reshape(columns, rows), 0, -1)


def tosparse(op: LinearOperator) -> Any:
    """The matrix of `op` as a SciPy CSR matrix without explicit zeros."""
    import scipy.sparse

    matrix = getattr(op, "A", None) if op.explicit else None
    if scipy.sparse.issparse(matrix):
        return scipy.sparse.csr_matrix(matrix)
    return scipy.sparse.csr_matrix(todense(op))
