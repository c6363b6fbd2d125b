"""Circular shifts."""

from __future__ import annotations

import operator
from typing import Any

from operax._arrays.namespace import Array
from operax._arrays.shift import roll
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axis_of, sizes_of


class Roll(LinearOperator):
    r"""Shift circularly along an axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis to shift along (default the last).
    shift : int, optional
        Number of samples (default 1); negative ones shift to the front.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math:: y_i = x_{(i - s) \bmod N}, \qquad x_i = y_{(i + s) \bmod N}

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Roll(3, shift=1) @ np.array([1.0, 2.0, 3.0])
    array([3., 1., 2.])
    """

    def __init__(self, dims: Any, axis: int = -1, shift: int = 1, dtype: Any = None, name: str = "R") -> None:
        sizes = sizes_of(dims)
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, name=name)
        self.axis = axis_of(axis, len(sizes))
        try:
            self.shift = operator.index(shift)
        except TypeError:
            raise TypeError(
                f"shift={shift!r} must be an integer; for parts of samples see signalprocessing.Shift"
            ) from None

    def _forward(self, x: Array) -> Array:
        return roll(x, self.shift, self.axis - len(self.dims))

    def _adjoint(self, y: Array) -> Array:
        return roll(y, -self.shift, self.axis - len(self.dims))
