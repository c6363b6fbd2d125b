"""The sum along an axis."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, namespace_of
from operax._arrays.spread import repeat_along
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axis_of, sizes_of


class Sum(LinearOperator):
    r"""Sum along an axis; the adjoint copies the data along it.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis to sum along (default the last).
    forceflat : bool, optional
        Give flat results for flat inputs where an operator composed with this one is n-dimensional.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math:: y_j = \sum_i x_{i,j}, \qquad x_{i,j} = y_j

    The sum of a model with one axis has shape ``(1,)``.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Sum((2, 3), axis=0) @ np.ones((2, 3))
    array([2., 2., 2.])
    """

    def __init__(
        self, dims: Any, axis: int = -1, forceflat: bool | None = None, dtype: Any = None, name: str = "S"
    ) -> None:
        sizes = sizes_of(dims)
        self.axis = axis_of(axis, len(sizes))
        rest = sizes[: self.axis] + sizes[self.axis + 1 :]
        super().__init__(dtype=dtype, dims=sizes, dimsd=rest or (1,), forceflat=forceflat, name=name)

    def _forward(self, x: Array) -> Array:
        # the dtype is said because some libraries widen sums of narrow numbers
        return namespace_of(x).sum(x, axis=self.axis - len(self.dims), keepdims=len(self.dims) == 1, dtype=x.dtype)

    def _adjoint(self, y: Array) -> Array:
        if len(self.dims) == 1:
            y = y[..., 0]
        return repeat_along(y, self.dims[self.axis], self.axis - len(self.dims))
