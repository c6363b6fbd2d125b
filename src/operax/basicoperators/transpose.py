"""Axes in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import Array, namespace_of
from operax._arrays.pad import owned
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axes_of, sizes_of


class Transpose(LinearOperator):
    r"""Put the axes of the model in another order.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model.
    axes : tuple of int
        New order of the axes: a permutation, negative numbers counting from the end.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If `axes` is not a permutation of all axes.

    Notes
    -----
    .. math:: y_{i_{a_0}, \ldots, i_{a_{n-1}}} = x_{i_0, \ldots, i_{n-1}}

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Transpose((2, 3), (1, 0)) @ np.arange(6.0).reshape(2, 3)
    array([[0., 3.],
           [1., 4.],
           [2., 5.]])
    """

    def __init__(self, dims: Any, axes: Any, dtype: Any = None, name: str = "T") -> None:
        sizes = sizes_of(dims)
        self.axes = axes_of(axes, len(sizes))
        if len(self.axes) != len(sizes):
            raise ValueError(f"axes={axes!r} must name each of the {len(sizes)} axes once")
        super().__init__(dtype=dtype, dims=sizes, dimsd=tuple(sizes[a] for a in self.axes), name=name)
        self.back = tuple(int(a) for a in np.argsort(self.axes))

    def _forward(self, x: Array) -> Array:
        return self._permuted(x, self.axes)

    def _adjoint(self, y: Array) -> Array:
        return self._permuted(y, self.back)

    def _permuted(self, x: Array, axes: tuple[int, ...]) -> Array:
        lead = x.ndim - len(axes)
        return owned(namespace_of(x).permute_dims(x, (*range(lead), *(lead + a for a in axes))))
