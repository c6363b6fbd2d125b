"""Zeros around the model."""

from __future__ import annotations

import operator
from typing import Any

from operax._arrays.namespace import Array
from operax._arrays.pad import crop, zero_pad
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import sizes_of


class Pad(LinearOperator):
    r"""Put zeros before and after the model along its axes; the adjoint cuts them off.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    pad : tuple
        Zeros ``(before, after)``; for several axes one such pair an axis.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If a number is negative, or there are not as many pairs as axes.

    Notes
    -----
    .. math:: y_{i + p} = x_i, \qquad x_i = y_{i + p}

    with :math:`p` zeros before the first sample.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Pad(2, (1, 2)) @ np.array([1.0, 2.0])
    array([0., 1., 2., 0., 0.])
    """

    def __init__(self, dims: Any, pad: Any, dtype: Any = None, name: str = "P") -> None:
        sizes = sizes_of(dims)
        try:
            pairs = tuple(pad)
            if len(sizes) == 1 and len(pairs) == 2 and not hasattr(pairs[0], "__len__"):
                pairs = (pairs,)
            widths = tuple((operator.index(a), operator.index(b)) for a, b in pairs)
        except (TypeError, ValueError):
            raise TypeError(f"pad={pad!r} must hold a pair (before, after) of integers for each axis") from None
        if len(widths) != len(sizes):
            raise ValueError(f"pad={pad!r} has {len(widths)} pair(s) for {len(sizes)} axis(es); give one an axis")
        if any(w < 0 for pair in widths for w in pair):
            raise ValueError(f"pad={pad!r} must not hold negative numbers; to cut use operax.Restriction")
        super().__init__(dtype=dtype, dims=sizes, dimsd=tuple(n + a + b for n, (a, b) in zip(sizes, widths)), name=name)
        self.pad = widths

    def _forward(self, x: Array) -> Array:
        return zero_pad(x, self.pad)

    def _adjoint(self, y: Array) -> Array:
        return crop(y, self.pad)
