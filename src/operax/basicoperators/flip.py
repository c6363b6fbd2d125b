"""The model in reversed order."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, namespace_of
from operax._arrays.pad import owned
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axis_of, sizes_of


class Flip(LinearOperator):
    r"""Reverse the order along an axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis to reverse (default the last).
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math:: y_i = x_{N - 1 - i}

    The operator is its own adjoint.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Flip(3) @ np.array([1.0, 2.0, 3.0])
    array([3., 2., 1.])
    """

    def __init__(self, dims: Any, axis: int = -1, dtype: Any = None, name: str = "F") -> None:
        sizes = sizes_of(dims)
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, name=name)
        self.axis = axis_of(axis, len(sizes))

    def _forward(self, x: Array) -> Array:
        return owned(namespace_of(x).flip(x, axis=self.axis - len(self.dims)))

    def _adjoint(self, y: Array) -> Array:
        return self._forward(y)
