"""`aslinearoperator`: whatever is a linear map elsewhere, as an operator here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from operax._arrays.namespace import is_array
from operax._arrays.sparse import is_sparse
from operax._core.compose import with_shapes
from operax._core.operator import LinearOperator
from operax.interop._foreign import Columns, EachSample, ForeignOperator


def aslinearoperator(
    Op: Any,
    adjoint: Callable[[Any], Any] | None = None,
    *,
    dims: Any = None,
    dimsd: Any = None,
    dtype: Any = None,
) -> LinearOperator:
    r"""Make an operator of anything that acts as one.

    Parameters
    ----------
    Op : object
        - an operator of operax, which comes back as it is;
        - a matrix: an array of NumPy, CuPy or JAX with two axes, a list of lists, or a sparse matrix of SciPy;
        - a ``scipy.sparse.linalg.LinearOperator``, an operator of PyLops or of lineax, or any object with `shape`,
          `matvec` and `rmatvec`;
        - a function of one NumPy array of shape `dims`, or a pair of functions ``(forward, adjoint)``.
    adjoint : callable, optional
        For a function `Op`: its adjoint, a function of one NumPy array of shape `dimsd`.
    dims, dimsd : int or tuple of int, optional
        Shapes of model and data. Needed for functions; elsewhere they replace flat vectors, or the shapes that the
        object has, by n-dimensional ones of the same size.
    dtype : dtype-like, optional
        Precision that takes part in promotion, in place of the one that the object says; for functions the default
        is float64.

    Returns
    -------
    LinearOperator
        On JAX arrays, foreign code runs through callbacks and is differentiable (see `ForeignOperator`); matrices and
        lineax operators become native.

    Raises
    ------
    TypeError
        If `Op` is none of these.
    ValueError
        If shapes are missing or do not fit.

    Examples
    --------
    >>> import numpy as np, scipy.sparse.linalg, jax, jax.numpy as jnp, operax
    >>> theirs = scipy.sparse.linalg.aslinearoperator(np.array([[1.0, 2.0], [3.0, 4.0]], "float32"))
    >>> Op = operax.aslinearoperator(theirs)
    >>> jax.jit(jax.grad(lambda x: jnp.sum(Op @ x)))(jnp.ones(2))
    Array([4., 6.], dtype=float32)

    Functions need shapes:

    >>> Op = operax.aslinearoperator(np.diff, lambda y: -np.diff(y, prepend=0, append=0), dims=3, dimsd=2)
    >>> Op @ np.array([1.0, 4.0, 9.0])
    array([3., 5.])
    """
    Op = getattr(Op, "operax_operator", Op)  # one of ours in the dress of another library
    if isinstance(Op, LinearOperator):
        return with_shapes(Op, dims, dimsd) if dtype is None else LinearOperator(with_shapes(Op, dims, dimsd), dtype)
    if isinstance(Op, tuple) and len(Op) == 2 and all(callable(f) for f in Op):
        return aslinearoperator(*Op, dims=dims, dimsd=dimsd, dtype=dtype)
    lineax = sys.modules.get("lineax")
    if lineax is not None and isinstance(Op, lineax.AbstractLinearOperator):
        from operax.interop._lineax import from_lineax

        return with_shapes(from_lineax(Op, dtype), dims, dimsd)
    if _is_matrix(Op):
        from operax.basicoperators import MatrixMult

        return with_shapes(MatrixMult(_as_matrix(Op), dtype=dtype), dims, dimsd)
    if hasattr(Op, "shape") and (hasattr(Op, "matvec") or hasattr(Op, "_matvec")):
        return _from_matvec(Op, dims, dimsd, dtype)
    if callable(Op):
        if dims is None or dimsd is None:
            raise ValueError(
                f"a function does not say which shapes it maps: give dims= and dimsd= for {_name(Op)}, "
                "e.g. aslinearoperator(forward, adjoint, dims=(10, 8), dimsd=80)"
            )
        return ForeignOperator(
            EachSample(Op),
            None if adjoint is None else EachSample(adjoint),
            dims,
            dimsd,
            np.float64 if dtype is None else dtype,
            source=(Op, adjoint),
        )
    hint = ""
    if type(Op).__module__.split(".")[0] == "torch":
        hint = "; for a torch matrix give matrix.numpy(), for a torch function operax.torch.as_jax_function(f)"
    raise TypeError(
        f"cannot make a linear operator of {type(Op).__name__}: give a matrix, a sparse matrix, a LinearOperator of "
        f"SciPy, PyLops or lineax, or a function with dims and dimsd{hint}"
    )


def _is_matrix(value: Any) -> bool:
    return is_array(value) or isinstance(value, list) or is_sparse(value)


def _as_matrix(value: Any) -> Any:
    if isinstance(value, list | np.matrix):
        value = np.asarray(value)
        if value.dtype.kind not in "biufc":
            raise TypeError(f"a list that is to be a matrix must hold rows of numbers, got dtype {value.dtype}")
    if value.ndim != 2:
        raise ValueError(
            f"a matrix has two axes, got an array of shape {tuple(value.shape)}; "
            "for a diagonal use operax.Diagonal, for higher axes reshape to (rows, columns)"
        )
    return value


def _from_matvec(source: Any, dims: Any, dimsd: Any, dtype: Any) -> LinearOperator:
    rows, columns = source.shape
    public = "" if hasattr(source, "matvec") else "_"
    adjoint = None
    if hasattr(source, f"{public}rmatvec"):
        adjoint = Columns(source, f"{public}rmatvec", f"{public}rmatmat")
    clinear = bool(getattr(source, "clinear", True))
    found = getattr(source, "dtype", None) if dtype is None else dtype
    op = ForeignOperator(
        Columns(source, f"{public}matvec", f"{public}matmat"),
        adjoint,
        getattr(source, "dims", columns),
        getattr(source, "dimsd", rows),
        np.float64 if found is None else found,
        clinear=clinear,
        source=source,
        name=_name(source),
    )
    if op.shape != (rows, columns):
        raise ValueError(f"{_name(source)} has shape {(rows, columns)} but dims={op.dims} and dimsd={op.dimsd}")
    return with_shapes(op, dims, dimsd)


def _name(value: Any) -> str:
    return getattr(value, "__name__", None) or type(value).__name__
