"""The identity, also between arrays of different sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import Array
from operax._arrays.pad import crop, zero_pad
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import sizes_of


class Identity(LinearOperator):
    r"""Pass the model on, cut or filled with zeros where the sizes differ.

    Parameters
    ----------
    N : int or tuple of int
        Shape of the data (and of the model).
    M : int or tuple of int, optional
        Shape of the model, where it differs: with as many axes as `N`, and not larger along one axis and smaller along
        another.
    inplace : bool, optional
        Give the input itself, or a part of it, back where nothing else happens (default True); False gives a copy.
    forceflat : bool, optional
        Give flat results for flat inputs where an operator composed with this one is n-dimensional.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If `N` and `M` have different numbers of axes, or each is larger along some axis.

    Notes
    -----
    .. math:: y_i = x_i \quad (i < \min(N, M)), \qquad y_i = 0 \quad (i \ge M)

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Identity(3, 2) @ np.array([1.0, 2.0])
    array([1., 2., 0.])
    >>> operax.Identity(2, 3) @ np.array([1.0, 2.0, 3.0])
    array([1., 2.])
    """

    def __init__(
        self,
        N: Any,
        M: Any = None,
        inplace: bool = True,
        forceflat: bool | None = None,
        dtype: Any = None,
        name: str = "I",
    ) -> None:
        dimsd = sizes_of(N, "N")
        dims = dimsd if M is None else sizes_of(M, "M")
        if len(dims) != len(dimsd):
            raise ValueError(f"N={N!r} and M={M!r} must have the same number of axes")
        grows, shrinks = any(d > m for d, m in zip(dimsd, dims)), any(d < m for d, m in zip(dimsd, dims))
        if grows and shrinks:
            raise ValueError(f"N={N!r} is larger than M={M!r} along one axis, smaller along another; use two operators")
        super().__init__(dtype=dtype, dims=dims, dimsd=dimsd, forceflat=forceflat, name=name)
        self.inplace = bool(inplace)
        self.mode = "data" if shrinks else "model" if grows else "same"
        self.widths = tuple((0, abs(d - m)) for d, m in zip(dimsd, dims))

    def _forward(self, x: Array) -> Array:
        return self._resized(x, self.mode)

    def _adjoint(self, y: Array) -> Array:
        return self._resized(y, {"data": "model", "model": "data", "same": "same"}[self.mode])

    def _resized(self, x: Array, mode: str) -> Array:
        if mode == "same":
            return x if self.inplace or not isinstance(x, np.ndarray) else x.copy()
        if mode == "model":
            return zero_pad(x, self.widths)
        return crop(x, self.widths, own=not self.inplace)
