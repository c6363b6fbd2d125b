"""``Op / y``: a dense solve where the operator holds its matrix, least squares by iteration elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from operax._arrays.namespace import Array, as_library, is_array, library_of, namespace_of
from operax._core.compose import reshaped

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator

SOLVERS = ("scipy", "numpy")


def divide(op: LinearOperator, y: Array, niter: int = 100, densesolver: str = "scipy") -> Array:
    """The solution of ``op x = y`` in the least-squares sense.

    `densesolver` says whose dense solver runs on NumPy arrays; on other libraries it is their own.
    """
    if densesolver not in SOLVERS:
        raise ValueError(f"densesolver={densesolver!r} is unknown; give 'scipy' or 'numpy'")
    if not is_array(y):
        raise TypeError(f"{op._label()} / y takes an array, got {type(y).__name__}; convert it with numpy.asarray")
    if tuple(y.shape) != op.dimsd and (not 0 < y.ndim <= 2 or y.shape[0] != op.shape[0]):
        raise ValueError(f"{op._label()} / y takes data of shape {op.dimsd} or ({op.shape[0]},), got {tuple(y.shape)}")
    matrix = _matrix_of(op, library_of(y))
    if matrix is None:
        from operax.optimization.basic import lsqr

        x = lsqr(op, y, niter=niter)[0]
        return namespace_of(x).reshape(x, (-1,)) if y.ndim == 1 else x
    whole = tuple(y.shape) == op.dimsd
    xp = namespace_of(y)
    x = _solve(matrix, xp.reshape(y, (-1,)) if whole else y, densesolver)
    return reshaped(x, (op.shape[1],), op.dims) if whole else x


def _matrix_of(op: LinearOperator, library: str) -> Any:
    """The matrix of an explicit operator in the library of the data; None where iteration is to be used."""
    if not op.explicit or not hasattr(op, "A"):
        return None
    matrix = op.A
    if is_array(matrix):
        return matrix if library_of(matrix) == library else as_library(matrix, library)
    if hasattr(matrix, "tocsc") and library == "numpy" and op.shape[0] == op.shape[1]:
        return matrix.tocsc()
    return None


def _solve(matrix: Any, y: Array, densesolver: str) -> Array:
    square = matrix.shape[0] == matrix.shape[1]
    if not is_array(matrix):
        from scipy.sparse.linalg import spsolve

        return spsolve(matrix, y)
    if library_of(y) == "numpy" and densesolver == "scipy":
        import scipy.linalg

        return scipy.linalg.solve(matrix, y) if square else scipy.linalg.lstsq(matrix, y)[0]
    if square:
        return namespace_of(y).linalg.solve(matrix, y)
    import jax.numpy as jnp
    import numpy as np

    return (jnp if library_of(y) == "jax" else np).linalg.lstsq(matrix, y)[0]
