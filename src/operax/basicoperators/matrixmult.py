"""A matrix as an operator."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.matmul import apply_adjoint, apply_adjoint_columns, apply_matrix, apply_matrix_columns
from operax._arrays.namespace import Array, is_array, library_of, namespace_of
from operax._arrays.sparse import along_last, is_sparse, sparse_adjoint, sparse_matrix, sparse_parts, sparse_product
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import meeting, sizes_of


class MatrixMult(LinearOperator):
    r"""Multiplication with a dense or sparse matrix.

    Parameters
    ----------
    A : array, scipy.sparse matrix or array, or jax.experimental.sparse.BCOO or BCSR
        Matrix of shape ``(M, N)``.
    otherdims : int or tuple of int, optional
        Sizes of further axes behind the first one: the matrix acts along the first axis of arrays of shape
        ``(N, *otherdims)``.
    forceflat : bool, optional
        Give flat results for flat inputs where an operator composed with this one is n-dimensional.
    dtype : dtype-like, optional
        Precision of the matrix and of the result; by default the one of the matrix and the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    A : array or sparse matrix
        The matrix: a leaf, so that results can be differentiated in it.
    dimsflatten, dimsdflatten : tuple of int
        `dims` and `dimsd` with the other axes as one.

    Raises
    ------
    TypeError
        If `A` does not hold numbers.
    ValueError
        If `A` does not have two axes.

    Notes
    -----
    .. math:: y = A x, \qquad x = A^H y

    A sparse matrix is kept as its nonzero values (a differentiable leaf) and their positions, once by rows and once by
    columns; on NumPy products run in SciPy, on JAX as sums over sorted segments.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.MatrixMult(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> Op @ np.array([1.0, 1.0])
    array([ 3.,  7., 11.])
    >>> Op.H @ np.array([1.0, 0.0, 0.0])
    array([1., 2.])
    >>> operax.MatrixMult(np.ones((3, 2)), otherdims=4).dimsd
    (3, 4)
    """

    explicit = True

    def __new__(
        cls,
        A: Any = None,
        otherdims: Any = None,
        forceflat: bool | None = None,
        dtype: Any = None,
        name: str = "M",
    ) -> Any:
        return super().__new__(SparseMatrixMult if cls is MatrixMult and is_sparse(A) else cls)

    def __init__(
        self,
        A: Any,
        otherdims: Any = None,
        forceflat: bool | None = None,
        dtype: Any = None,
        name: str = "M",
    ) -> None:
        if not is_array(A) and not is_sparse(A):
            A = np.asarray(A)
        if A.ndim != 2:
            raise ValueError(f"A must have two axes, got shape {tuple(A.shape)}; for one axis see operax.Diagonal")
        others = () if otherdims is None else sizes_of(otherdims, "otherdims")
        super().__init__(
            dtype=dtype,
            dims=(A.shape[1], *others),
            dimsd=(A.shape[0], *others),
            forceflat=forceflat,
            name=name,
        )
        self.otherdims = others
        self.explicit = not others
        self._set_matrix(A)

    def _set_matrix(self, A: Any) -> None:
        self.A = self._parameter(A, "A")

    @property
    def dimsflatten(self) -> tuple[int, ...]:
        """`dims` with the other axes as one."""
        return self._flattened(self.dims)

    @property
    def dimsdflatten(self) -> tuple[int, ...]:
        """`dimsd` with the other axes as one."""
        return self._flattened(self.dimsd)

    def _flattened(self, dims: tuple[int, ...]) -> tuple[int, ...]:
        return dims if not self.otherdims else (dims[0], int(np.prod(self.otherdims)))

    @property
    def complex(self) -> bool:
        """Whether the matrix is complex."""
        return self.dtype.kind == "c"

    @property
    def reshape(self) -> bool:
        """Whether there are other axes."""
        return bool(self.otherdims)

    def _forward(self, x: Array) -> Array:
        A = meeting(self.A, x)
        if not self.otherdims:
            return apply_matrix(x, A)
        return self._columns(apply_matrix_columns, x, A, self.dims, self.dimsd)

    def _adjoint(self, y: Array) -> Array:
        A = meeting(self.A, y)
        if not self.otherdims:
            return apply_adjoint(y, A)
        return self._columns(apply_adjoint_columns, y, A, self.dimsd, self.dims)

    def _columns(self, function: Any, x: Array, A: Array, dims: tuple[int, ...], dimsd: tuple[int, ...]) -> Array:
        xp = namespace_of(x)
        batch = x.shape[: x.ndim - len(dims)]
        y = function(xp.reshape(x, (*batch, *self._flattened(dims))), A)
        return xp.reshape(y, (*batch, *dimsd))

    def inv(self) -> MatrixMult:
        """The inverse matrix as an operator.

        Raises
        ------
        ValueError
            If the matrix is not square.

        Examples
        --------
        >>> import numpy as np, operax
        >>> operax.MatrixMult(np.array([[2.0, 0.0], [0.0, 4.0]])).inv().A
        array([[0.5 , 0.  ],
               [0.  , 0.25]])
        """
        rows, columns = self.A.shape
        if rows != columns:
            raise ValueError(f"only a square matrix has an inverse, got {rows}x{columns}; solve with Op / y instead")
        return MatrixMult(self._inverse(), otherdims=self.otherdims or None, dtype=self._dtype, name=f"{self.name}inv")

    def _inverse(self) -> Any:
        return namespace_of(self.A).linalg.inv(self.A)


class SparseMatrixMult(MatrixMult):
    """Multiplication with a sparse matrix: what `MatrixMult` makes of one."""

    def _set_matrix(self, A: Any) -> None:
        values, self.parts = sparse_parts(A)
        self.values = self._parameter(values, "A")
        self.extent: tuple[int, int] = (int(A.shape[0]), int(A.shape[1]))

    @property
    def A(self) -> Any:
        """The matrix in the sparse format of the library that holds its values (CSR)."""
        return sparse_matrix(self.values, self.parts, self.extent)

    def __setattr__(self, key: str, value: Any) -> None:
        if key == "A":
            self._set_matrix(value)
        else:
            super().__setattr__(key, value)

    def _forward(self, x: Array) -> Array:
        return self._apply(sparse_product, x, self.dims, self.dimsd)

    def _adjoint(self, y: Array) -> Array:
        return self._apply(sparse_adjoint, y, self.dimsd, self.dims)

    def _scipy(self, function: Any) -> Any:
        """The matrix, or its adjoint, as a SciPy matrix, made once."""
        key = "matrix" if function is sparse_product else "adjoint matrix"
        found = self._memo.get(key)
        if found is None:
            A = self.A
            found = self._memo[key] = A if function is sparse_product else (A.conj() if self.complex else A).T
        return found

    def _apply(self, function: Any, x: Array, dims: tuple[int, ...], dimsd: tuple[int, ...]) -> Array:
        xp = namespace_of(x)
        values = meeting(self.values, x)
        batch = x.shape[: x.ndim - len(dims)]
        x = xp.reshape(x, (*batch, *self._flattened(dims)))
        if self.otherdims:
            x = xp.moveaxis(x, -2, -1)
        if values is self.values and isinstance(values, np.ndarray) and isinstance(x, np.ndarray):
            y = along_last(self._scipy(function), x)
        else:
            y = function(x, values, self.parts, self.extent)
        if self.otherdims:
            y = xp.moveaxis(y, -1, -2)
        return xp.reshape(y, (*batch, *dimsd))

    def _inverse(self) -> Any:
        if library_of(self.values) != "numpy":
            return namespace_of(self.values).linalg.inv(self.todense(library_of(self.values)))
        import scipy.sparse.linalg

        return scipy.sparse.linalg.inv(scipy.sparse.csc_matrix(self.A))
