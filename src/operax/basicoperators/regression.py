"""Polynomials on given points."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import is_complex
from operax._arrays.namespace import Array, is_array, namespace_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import meeting


class Regression(LinearOperator):
    r"""Values of a polynomial on given points, from its coefficients.

    Parameters
    ----------
    taxis : array
        Points, one-dimensional.
    order : int
        Order of the polynomial.
    dtype : dtype-like, optional
        Precision of the points and of the result; by default the one of the points and the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    taxis : array
        Points: a leaf, so that results can be differentiated in it.

    Raises
    ------
    TypeError
        If `taxis` is not an array.
    ValueError
        If `taxis` has more than one axis, or `order` is not a whole number.

    Notes
    -----
    .. math:: y_i = \sum_{k=0}^{p} x_k t_i^k

    Fit a polynomial with ``Op / y`` or a solver.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Regression(np.array([0.0, 1.0, 2.0]), order=2) @ np.array([1.0, 0.0, 1.0])
    array([1., 2., 5.])
    """

    def __init__(self, taxis: Array, order: int, dtype: Any = None, name: str = "R") -> None:
        if not is_array(taxis):
            raise TypeError(f"taxis must be an array, got {type(taxis).__name__}; convert it with numpy.asarray")
        if taxis.ndim != 1:
            raise ValueError(f"taxis must be one-dimensional, got shape {tuple(taxis.shape)}")
        if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 0:
            raise ValueError(f"order={order!r} must be a whole number of at least 0")
        super().__init__(dtype=dtype, dims=int(order) + 1, dimsd=taxis.shape[0], name=name)
        self.taxis = self._parameter(taxis, "taxis")
        self.order = int(order)

    def _forward(self, x: Array) -> Array:
        # Horner's scheme: one pass over the points a power, and no matrix
        t = meeting(self.taxis, x)
        xp = namespace_of(t, x)
        y = x[..., self.order, None] * xp.ones_like(t)
        for k in range(self.order - 1, -1, -1):
            y = _times(y, t) + x[..., k, None]
        return y

    def _adjoint(self, y: Array) -> Array:
        t = meeting(self.taxis, y)
        xp = namespace_of(t, y)
        t = xp.conj(t) if is_complex(t) else t
        sums = [xp.sum(y * xp.ones_like(t), axis=-1)]
        z = y
        for k in range(self.order):
            z = z * t if k == 0 else _times(z, t)
            sums.append(xp.sum(z, axis=-1))
        return xp.stack(sums, axis=-1)

    def apply(self, t: Array, x: Array) -> Array:
        """Values of the polynomial with coefficients `x` on other points `t`.

        Examples
        --------
        >>> import numpy as np, operax
        >>> Op = operax.LinearRegression(np.arange(3.0))
        >>> Op.apply(np.array([10.0]), np.array([1.0, 2.0]))
        array([21.])
        """
        return Regression(t, self.order, dtype=self._dtype) @ x

    @property
    def complex(self) -> bool:
        """Whether the points are complex."""
        return is_complex(self.taxis)


def _times(y: Array, t: Array) -> Array:
    """``y * t``; `y` is ours and may be written into."""
    if isinstance(y, np.ndarray):
        y *= t
        return y
    return y * t
