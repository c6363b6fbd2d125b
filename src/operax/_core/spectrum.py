"""Eigenvalues, condition number and trace, from SciPy on any operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from operax._arrays.dtypes import promote
from operax._arrays.namespace import as_numpy

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator

SMALL = 1500
"""Up to this size a matrix is formed and decomposed: exact, and faster than iterating."""


def eigs(
    op: LinearOperator,
    neigs: int | None = None,
    symmetric: bool = False,
    niter: int | None = None,
    uselobpcg: bool = False,
    **kwargs_eig: Any,
) -> np.ndarray:
    """The `neigs` eigenvalues of largest magnitude (singular values of a rectangular operator), largest first.

    `kwargs_eig` go to SciPy (`which="SM"` for the smallest, `sigma=`, `tol=`); names it does not know raise.
    """
    rows, columns = op.shape
    square = rows == columns
    size = min(rows, columns)
    if neigs is not None and (isinstance(neigs, bool) or not isinstance(neigs, int | np.integer) or neigs < 1):
        raise ValueError(f"neigs={neigs!r} must be a whole number of at least 1, or None for all eigenvalues")
    if uselobpcg and square and not symmetric and dtype_of_matrix(op).kind == "c":
        raise ValueError(
            "uselobpcg=True takes a Hermitian operator; give symmetric=True if it is one, or uselobpcg=False"
        )
    wanted = size if neigs is None else min(int(neigs), size)
    if not uselobpcg and not kwargs_eig and (op.explicit or wanted >= size - 1):
        # options such as which= or sigma= are ARPACK's: with them the matrix is never decomposed whole
        values = _dense_eigenvalues(op, symmetric)
    elif not square:
        values = np.sqrt(np.maximum(_iterate(_normal(op), wanted, True, niter, uselobpcg, **kwargs_eig).real, 0.0))
    else:
        values = _iterate(_scipy_operator(op), wanted, symmetric, niter, uselobpcg, **kwargs_eig)
    values = values[np.argsort(-np.abs(values), kind="stable")][:wanted]
    return -np.sort(-values)


def _dense_eigenvalues(op: LinearOperator, symmetric: bool) -> np.ndarray:
    import scipy.linalg

    matrix = op.todense()
    if op.shape[0] != op.shape[1]:
        return scipy.linalg.svdvals(matrix)
    return scipy.linalg.eigvalsh(matrix) if symmetric else scipy.linalg.eigvals(matrix)


def _iterate(A: Any, count: int, symmetric: bool, niter: int | None, uselobpcg: bool, **kwargs_eig: Any) -> np.ndarray:
    import scipy.sparse.linalg as sla

    if uselobpcg:
        kwargs_eig.setdefault("largest", True)
        start = kwargs_eig.pop("X", None)
        if start is None:
            start = np.random.default_rng(42).standard_normal((A.shape[0], count))
        return np.atleast_1d(sla.lobpcg(A, start.astype(A.dtype), maxiter=niter, **kwargs_eig)[0])
    # a fixed start makes the result repeatable
    kwargs_eig.setdefault("v0", np.random.default_rng(42).standard_normal(A.shape[0]).astype(A.dtype))
    find: Any = getattr(sla, "eigsh" if symmetric else "eigs")
    return find(A, k=count, maxiter=niter, return_eigenvectors=False, **kwargs_eig)


def cond(op: LinearOperator, uselobpcg: bool = False, **kwargs_eig: Any) -> float:
    """The ratio of the largest and the smallest singular value; infinite for a singular operator."""
    size = min(op.shape)
    if size == 0:
        raise ValueError(f"{op._label()} has no entries, so no condition number")
    if size <= SMALL and not uselobpcg:
        import scipy.linalg

        singular = scipy.linalg.svdvals(op.todense())
        largest, smallest = float(singular[0]), float(singular[-1])
        # below rounding the smallest singular value means nothing
        if smallest <= np.finfo(singular.dtype).eps * largest:
            return float("inf")
        return largest / smallest
    normal = _normal(op)
    options = dict(kwargs_eig)
    niter = options.pop("niter", None)
    if uselobpcg:
        high = _iterate(normal, 1, True, niter, True, **options)[0]
        low = _iterate(normal, 1, True, niter, True, **{**options, "largest": False})[0]
    else:
        high = _iterate(normal, 1, True, niter, False, **{"which": "LM", **options})[0]
        low = _iterate(normal, 1, True, niter, False, **{"which": "SA", **options})[0]
    low = float(np.real(low))
    return float("inf") if low <= 0 else float(np.sqrt(np.real(high) / low))


def trace(
    op: LinearOperator, neval: int | None = None, method: str | None = None, backend: str = "numpy", **kwargs_trace: Any
) -> Any:
    """The trace: exact for explicit and small operators, else estimated by Hutch++."""
    rows, columns = op.shape
    if rows != columns:
        raise ValueError(f"only a square operator has a trace, {op._label()} has shape {op.shape}")
    if method is None:
        method = "explicit" if op.explicit or (neval is None and columns <= SMALL) else "hutch++"
    if method == "explicit":
        return _exact_trace(op)
    from operax.utils import estimators

    known: dict[str, Any] = {
        "hutchinson": estimators.trace_hutchinson,
        "hutch++": estimators.trace_hutchpp,
        "na-hutch++": estimators.trace_nahutchpp,
    }
    if method not in known:
        raise NotImplementedError(f"method={method!r} is unknown; give 'explicit', {', '.join(map(repr, known))}")
    return known[method](op, neval=neval, backend=backend, **kwargs_trace)


def _exact_trace(op: LinearOperator) -> Any:
    """The sum of the diagonal, from unit vectors, some hundreds at once: the matrix is never whole in memory."""
    size = op.shape[1]
    found: Any = 0.0
    for start in range(0, size, 256):
        count = min(256, size - start)
        units = np.zeros((count, size), op._model_dtype or op.dtype)
        units[np.arange(count), start + np.arange(count)] = 1
        columns = as_numpy(op.batched(units.reshape(count, *op.dims))).reshape(count, size)
        found = found + columns[np.arange(count), start + np.arange(count)].sum()
    return found


def dtype_of_matrix(op: LinearOperator) -> np.dtype:
    """The dtype of the operator's matrix: complex where model or data are."""
    dtype = op.dtype
    for other in (op._model_dtype, op._data_dtype):
        if other is not None:
            dtype = promote(dtype, other)
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def _scipy_operator(op: LinearOperator) -> Any:
    import scipy.sparse.linalg as sla

    dtype = dtype_of_matrix(op)
    model, data = op._model_dtype or dtype, op._data_dtype or dtype

    def forward(x: Any) -> Any:
        return as_numpy(op @ _as(x, model)).reshape(op.shape[0], *x.shape[1:])

    def adjoint(y: Any) -> Any:
        return as_numpy(op.H @ _as(y, data)).reshape(op.shape[1], *y.shape[1:])

    return sla.LinearOperator(op.shape, matvec=forward, rmatvec=adjoint, matmat=forward, rmatmat=adjoint, dtype=dtype)


def _as(x: Any, dtype: np.dtype) -> Any:
    return x.real if dtype.kind != "c" and x.dtype.kind == "c" and not x.imag.any() else x


def _normal(op: LinearOperator) -> Any:
    """The smaller of ``A.H A`` and ``A A.H``: their nonzero eigenvalues are the same."""
    A = _scipy_operator(op)
    return A @ A.H if op.shape[0] < op.shape[1] else A.H @ A
