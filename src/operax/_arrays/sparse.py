"""Sparse matrices as plain arrays: values and positions, ordered by rows and by columns."""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import numpy as np

from operax._arrays.dtypes import is_complex
from operax._arrays.fit import pad_axis
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, as_numpy, is_tracer, library_of, namespace_of
from operax._arrays.scatter import scatter_add


class Parts(NamedTuple):
    """Positions of the nonzero values of a matrix, in the order of its rows."""

    rows: Array
    """Row of each value, ascending."""
    columns: Array
    """Column of each value."""
    starts: Array
    """Where each row begins (CSR's ``indptr``)."""
    order: Array
    """The values' numbers in the order of the columns."""
    rows_by_column: Array
    """Rows in the order of the columns."""
    columns_sorted: Array
    """Columns in their own order, ascending."""
    column_starts: Array
    """Where each column begins in that order."""
    longest: tuple[int, int]
    """Number of values in the fullest row and in the fullest column."""
    offsets: tuple[int, ...]
    """Column less row of the diagonals that hold all values, where they are few and full; else empty."""
    diagonals: Array
    """For each diagonal and row the value's number; the number of values where there is none."""


def is_sparse(A: Any) -> bool:
    """Whether `A` is a sparse matrix of SciPy, CuPy or JAX."""
    module = type(A).__module__
    if module.startswith(("scipy.sparse", "cupyx.scipy.sparse")):
        return hasattr(A, "tocsr")
    return module.startswith("jax.experimental.sparse") and hasattr(A, "todense")


def sparse_parts(A: Any) -> tuple[Array, Parts]:
    """The values of a sparse matrix, in the order of its rows, and their positions."""
    if hasattr(A, "tocsr"):
        A = A.tocsr()
        A.sum_duplicates()
        return A.data, _parts(as_numpy(A.indices), as_numpy(A.indptr), A.shape[1])
    if hasattr(A, "to_bcoo"):
        A = A.to_bcoo()
    if A.n_batch or A.n_dense:
        raise ValueError(
            f"a sparse JAX matrix must have two sparse axes, got n_batch={A.n_batch} and n_dense={A.n_dense}; "
            "build it with BCOO.fromdense(A)"
        )
    if is_tracer(A.indices):
        raise TypeError(
            "the positions of a sparse matrix are needed when the operator is built; build MatrixMult outside "
            "jax.jit and pass the operator as an argument"
        )
    indices = as_numpy(A.indices)
    keep = np.flatnonzero((indices[:, 0] < A.shape[0]) & (indices[:, 1] < A.shape[1]))  # the rest is JAX's padding
    order = keep[np.lexsort((indices[keep, 1], indices[keep, 0]))]
    starts = np.searchsorted(indices[order, 0], np.arange(A.shape[0] + 1))
    return A.data[order], _parts(indices[order, 1], starts, A.shape[1])


def _parts(columns: np.ndarray, starts: np.ndarray, size: int) -> Parts:
    kind = np.int32 if len(columns) < 2**31 else np.int64
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.argsort(columns, kind="stable")
    column_starts = np.searchsorted(columns[order], np.arange(size + 1))
    offsets, diagonals = _diagonals(rows, columns, len(starts) - 1)
    return Parts(
        rows=rows.astype(kind),
        columns=columns.astype(kind),
        starts=starts.astype(kind),
        order=order.astype(kind),
        rows_by_column=rows[order].astype(kind),
        columns_sorted=columns[order].astype(kind),
        column_starts=column_starts.astype(kind),
        longest=(int(np.diff(starts).max(initial=0)), int(np.diff(column_starts).max(initial=0))),
        offsets=offsets,
        diagonals=diagonals.astype(kind),
    )


def _diagonals(rows: np.ndarray, columns: np.ndarray, count: int) -> tuple[tuple[int, ...], np.ndarray]:
    offsets, which = np.unique(columns.astype(np.int64) - rows, return_inverse=True)
    if not 0 < len(offsets) <= 32 or len(offsets) * count > 4 * len(rows):
        return (), np.empty((0, 0))
    numbers = np.full((len(offsets), count), len(rows))
    numbers[which, rows] = np.arange(len(rows))
    return tuple(map(int, offsets)), numbers


def sparse_matrix(values: Array, parts: Parts, shape: tuple[int, int]) -> Any:
    """The matrix in the CSR format of the library of `values`: SciPy's, CuPy's, or JAX's BCSR."""
    library = library_of(values)
    if library == "jax":
        from jax.experimental.sparse import BCSR

        return BCSR((values, parts.columns, parts.starts), shape=shape)
    if library == "cupy":
        from cupyx.scipy.sparse import csr_matrix
    else:
        from scipy.sparse import csr_matrix
    return csr_matrix((values, parts.columns, parts.starts), shape=shape)


@Kernel
def sparse_product(x: Array, values: Array, parts: Parts, shape: tuple[int, int]) -> Array:
    """``A x`` along the last axis of `x`. Generic version: gather, multiply, add at the rows."""
    xp = namespace_of(x)
    return scatter_add(values * xp.take(x, xp.asarray(parts.columns), axis=-1), parts.rows, shape[0])


@Kernel
def sparse_adjoint(y: Array, values: Array, parts: Parts, shape: tuple[int, int]) -> Array:
    """``A.H y`` along the last axis of `y`."""
    xp = namespace_of(y)
    values = xp.conj(values) if is_complex(values) else values
    return scatter_add(values * xp.take(y, xp.asarray(parts.rows), axis=-1), parts.columns, shape[1])


@sparse_product.on("numpy", "cupy")
def _(x: Any, values: Any, parts: Parts, shape: tuple[int, int]) -> Any:
    return along_last(sparse_matrix(values, parts, shape), x)


@sparse_adjoint.on("numpy", "cupy")
def _(y: Any, values: Any, parts: Parts, shape: tuple[int, int]) -> Any:
    A = sparse_matrix(values, parts, shape)
    return along_last((A.conj() if is_complex(values) else A).T, y)


def along_last(A: Any, x: Any) -> Any:
    """A SciPy or CuPy matrix times the last axis of `x`."""
    if x.ndim == 1:
        return A @ x
    y = A @ x.reshape(-1, x.shape[-1]).T
    return y.T.reshape(*x.shape[:-1], A.shape[0])


@sparse_product.on("jax")
def _(x: Any, values: Any, parts: Parts, shape: tuple[int, int]) -> Any:
    import jax.numpy as jnp

    if parts.offsets:
        terms = [
            _filled(values, number) * pad_axis(x, -1, -d, shape[0] - shape[1] + d)
            for d, number in zip(parts.offsets, parts.diagonals)
        ]
        return functools.reduce(operator.add, terms)
    if _even(parts.longest[0], shape[0], len(parts.columns)):
        columns = jnp.asarray(parts.columns)
        return _by_rank(x, parts.starts, parts.longest[0], lambda k: (_at(values, k), _at(columns, k)))
    return _segments(values, x, parts.columns, parts.rows, shape[0])


@sparse_adjoint.on("jax")
def _(y: Any, values: Any, parts: Parts, shape: tuple[int, int]) -> Any:
    import jax.numpy as jnp

    values = jnp.conj(values) if is_complex(values) else values
    if parts.offsets:
        terms = [
            # number + 1 is moved, so that the zeros that come in mean no value
            _filled(values, pad_axis(jnp.asarray(number) + 1, 0, d, shape[1] - shape[0] - d) - 1)
            * pad_axis(y, -1, d, shape[1] - shape[0] - d)
            for d, number in zip(parts.offsets, parts.diagonals)
        ]
        return functools.reduce(operator.add, terms)
    order, rows = jnp.asarray(parts.order), jnp.asarray(parts.rows_by_column)
    if _even(parts.longest[1], shape[1], len(parts.columns)):
        return _by_rank(y, parts.column_starts, parts.longest[1], lambda k: (_at(values, _at(order, k)), _at(rows, k)))
    return _segments(values[order], y, rows, parts.columns_sorted, shape[1])


def _even(longest: int, count: int, values: int) -> bool:
    """Whether the rows are so few values long, and so much alike, that one pass a value of a row is the fastest."""
    return 0 < longest <= 32 and longest * count <= 4 * values


def _at(x: Any, index: Any) -> Any:
    import jax.numpy as jnp

    return jnp.take(x, index, axis=-1, mode="clip")


def _filled(values: Any, number: Any) -> Any:
    import jax.numpy as jnp

    # -1 would count from the end
    number = jnp.where(jnp.asarray(number) < 0, values.shape[-1], number)
    return jnp.take(values, number, mode="fill", fill_value=0)


def _by_rank(x: Any, starts: Any, longest: int, entry: Any) -> Any:
    """Sum over the first value of every row, the second, and so on: one fused loop, without a scatter."""
    import jax.numpy as jnp

    starts = jnp.asarray(starts)
    total: Any = 0
    for rank in range(longest):
        k = starts[:-1] + rank
        value, column = entry(k)
        total = total + jnp.where(k < starts[1:], value * _at(x, column), 0)
    return total


def _segments(values: Any, x: Any, take: Any, put: Any, size: int) -> Any:
    # sums over sorted segments: half the time of a scatter with unsorted indices
    import jax
    import jax.numpy as jnp

    terms = values * _at(x, jnp.asarray(take))
    summed = jax.ops.segment_sum(
        jnp.moveaxis(terms, -1, 0), jnp.asarray(put), num_segments=size, indices_are_sorted=True
    )
    return jnp.moveaxis(summed, 0, -1)
