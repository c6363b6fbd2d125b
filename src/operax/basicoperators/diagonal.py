"""A diagonal matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import is_complex
from operax._arrays.namespace import Array, as_library, is_array, namespace_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axis_of, meeting, sizes_of


class Diagonal(LinearOperator):
    r"""Multiply each value with one of its own.

    Parameters
    ----------
    diag : array
        Values of the diagonal: of the shape of the model, or one for each position along `axis`.
    dims : int or tuple of int, optional
        Shape of the model, where it is not the one of `diag`.
    axis : int, optional
        Axis of `dims` that a one-dimensional `diag` runs along (default the last).
    dtype : dtype-like, optional
        Precision of the diagonal and of the result; by default the one of the diagonal and the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    diag : array
        The diagonal: a leaf, so that results can be differentiated in it.

    Raises
    ------
    ValueError
        If `diag` fits neither `dims` nor its axis.

    Notes
    -----
    .. math:: y_i = d_i x_i, \qquad x_i = \bar d_i y_i

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Diagonal(np.array([1.0, 2.0, 3.0])) @ np.ones(3)
    array([1., 2., 3.])
    >>> operax.Diagonal(np.array([1.0, 2.0]), dims=(2, 3), axis=0) @ np.ones((2, 3))
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """

    def __init__(self, diag: Any, dims: Any = None, axis: int = -1, dtype: Any = None, name: str = "D") -> None:
        if not is_array(diag):
            diag = np.asarray(diag)
        if diag.ndim == 0:
            raise ValueError(f"diag must have at least one axis, got the number {diag!r}; to scale use factor * Op")
        sizes = tuple(diag.shape) if dims is None else sizes_of(dims)
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, name=name)
        self.axis = axis_of(axis, len(sizes))
        self.diag = self._parameter(diag, "diag")
        self._weight_shape: tuple[int, ...] | None = None
        if tuple(diag.shape) != sizes:
            if diag.ndim != 1 or diag.shape[0] != sizes[self.axis]:
                raise ValueError(
                    f"diag of shape {tuple(diag.shape)} fits neither dims={sizes} nor its axis {axis} of length "
                    f"{sizes[self.axis]}"
                )
            self._weight_shape = (diag.shape[0], *(1,) * (len(sizes) - self.axis - 1))

    @property
    def complex(self) -> bool:
        """Whether the diagonal is complex."""
        return is_complex(self.diag)

    def _weights(self, x: Array) -> Array:
        diag = meeting(self.diag, x)
        return diag if self._weight_shape is None else namespace_of(diag).reshape(diag, self._weight_shape)

    def _forward(self, x: Array) -> Array:
        return self._weights(x) * x

    def _adjoint(self, y: Array) -> Array:
        weights = self._weights(y)
        return (namespace_of(weights).conj(weights) if is_complex(weights) else weights) * y

    def matrix(self) -> Array:
        """The matrix of the operator, in the library of its diagonal."""
        xp = namespace_of(self.diag)
        diag = self.diag if self._weight_shape is None else xp.reshape(self.diag, self._weight_shape)
        values = xp.reshape(xp.broadcast_to(diag, self.dims), (-1,))
        return xp.eye(values.shape[0], dtype=values.dtype) * values

    def inv(self) -> Diagonal:
        """The inverse, with the reciprocal diagonal (infinite where it is zero).

        Examples
        --------
        >>> import numpy as np, operax
        >>> operax.Diagonal(np.array([2.0, 4.0])).inv().diag
        array([0.5 , 0.25])
        """
        return Diagonal(1 / self.diag, dims=self.dims, axis=self.axis, dtype=self._dtype, name=f"{self.name}inv")

    def todense(self, backend: str = "numpy") -> Array:
        """The matrix of the operator, in the library `backend`."""
        return as_library(self.matrix(), backend)
