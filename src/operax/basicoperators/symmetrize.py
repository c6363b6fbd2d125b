"""Symmetric extension."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, namespace_of
from operax._arrays.shift import mirror
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axis_of, sizes_of


class Symmetrize(LinearOperator):
    r"""Put the model in reversed order before itself, sharing the first sample.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis to extend along (default the last).
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    nsym : int
        Number of samples of the model along the axis.

    Raises
    ------
    ValueError
        If the axis has no sample.

    Notes
    -----
    .. math:: y_i = x_{|i - N + 1|}, \qquad i = 0, \ldots, 2N - 2

    In the adjoint the two samples that come from one are added; the first one occurs once.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Symmetrize(3) @ np.array([1.0, 2.0, 3.0])
    array([3., 2., 1., 2., 3.])
    """

    def __init__(self, dims: Any, axis: int = -1, dtype: Any = None, name: str = "S") -> None:
        sizes = sizes_of(dims)
        self.axis = axis_of(axis, len(sizes))
        self.nsym = sizes[self.axis]
        if self.nsym < 1:
            raise ValueError(f"dims={sizes} has no sample along axis {axis}")
        dimsd = tuple(2 * n - 1 if a == self.axis else n for a, n in enumerate(sizes))
        super().__init__(dtype=dtype, dims=sizes, dimsd=dimsd, name=name)

    def _cut(self, start: int | None, stop: int | None) -> tuple[Any, ...]:
        return (..., slice(start, stop), *(slice(None),) * (len(self.dims) - self.axis - 1))

    def _forward(self, x: Array) -> Array:
        return mirror(x, self.axis - len(self.dims))

    def _adjoint(self, y: Array) -> Array:
        xp, axis = namespace_of(y), self.axis - len(self.dims)
        right = y[self._cut(self.nsym - 1, None)]
        left = xp.flip(y[self._cut(0, self.nsym - 1)], axis=axis)
        return xp.concat([right[self._cut(0, 1)], right[self._cut(1, None)] + left], axis=axis)
