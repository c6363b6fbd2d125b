"""Straight lines on given points."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax.basicoperators.regression import Regression


class LinearRegression(Regression):
    r"""Values of a straight line on given points, from intercept and slope.

    Parameters
    ----------
    taxis : array
        Points, one-dimensional.
    dtype : dtype-like, optional
        Precision of the points and of the result; by default the one of the points and the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    TypeError
        If `taxis` is not an array.

    Notes
    -----
    .. math:: y_i = x_0 + x_1 t_i

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.LinearRegression(np.array([0.0, 1.0, 2.0])) @ np.array([1.0, 2.0])
    array([1., 3., 5.])
    """

    def __init__(self, taxis: Array, dtype: Any = None, name: str = "L") -> None:
        super().__init__(taxis, order=1, dtype=dtype, name=name)
