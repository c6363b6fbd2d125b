"""Samples at given positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.gather import accumulate, gather, place
from operax._arrays.namespace import Array, as_numpy, is_array, is_tracer, namespace_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axis_of, sizes_of


class Restriction(LinearOperator):
    r"""Take samples at given positions along an axis; the adjoint puts them back among zeros.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    iava : array or sequence of int
        Positions of the samples; negative ones count from the end.
    axis : int, optional
        Axis along which to sample (default the last).
    inplace : bool, optional
        Accepted for scripts written for in-place libraries; results never share memory with the input.
    forceflat : bool, optional
        Give flat results for flat inputs where an operator composed with this one is n-dimensional.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    iava : array of int32
        Positions, none negative.
    repeated : bool
        Whether a position occurs more than once: the adjoint then adds up.

    Raises
    ------
    ValueError
        If a position lies outside the axis.

    Notes
    -----
    .. math:: y_j = x_{l_j}, \qquad x_i = \sum_{j : l_j = i} y_j

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.Restriction(5, [0, 3])
    >>> Op @ np.arange(5.0)
    array([0., 3.])
    >>> Op.H @ np.array([1.0, 2.0])
    array([1., 0., 0., 2., 0.])
    """

    def __init__(
        self,
        dims: Any,
        iava: Any,
        axis: int = -1,
        inplace: bool = True,
        forceflat: bool | None = None,
        dtype: Any = None,
        name: str = "R",
    ) -> None:
        sizes = sizes_of(dims)
        self.axis = axis_of(axis, len(sizes))
        n = sizes[self.axis]
        self.inplace = bool(inplace)
        self.repeated = True
        self.inverse = None
        if is_tracer(iava):
            # the values are not known yet: no check, and the adjoint that is right for every index
            self.iava = iava
            count = iava.shape[0]
        else:
            index = _positions(iava, n)
            self.iava = index
            count = len(index)
            self.repeated = len(np.unique(index)) < count
            if not self.repeated:
                inverse = np.full(n, count, index.dtype)
                inverse[index] = np.arange(count)
                self.inverse = inverse
        dimsd = (*sizes[: self.axis], count, *sizes[self.axis + 1 :])
        super().__init__(dtype=dtype, dims=sizes, dimsd=dimsd, forceflat=forceflat, name=name)

    def _forward(self, x: Array) -> Array:
        index = self.iava
        if isinstance(index, np.ndarray) and isinstance(x, np.ndarray):
            # NumPy widens 32-bit positions in every call: once is enough
            index = self._memo.get("positions")
            if index is None:
                index = self._memo["positions"] = self.iava.astype(np.intp)
        return gather(x, index, self.axis - len(self.dims))

    def _adjoint(self, y: Array) -> Array:
        axis = self.axis - len(self.dims)
        n = self.dims[self.axis]
        if self.inverse is None:
            return accumulate(y, self.iava, n, axis)
        return place(y, self.iava, self.inverse, n, axis)

    def mask(self, x: Array) -> Array:
        """The model with all but the sampled positions masked.

        Parameters
        ----------
        x : array
            Model of shape `dims` or flat.

        Returns
        -------
        array
            A `numpy.ma.MaskedArray` for NumPy input; otherwise the model with zeros at the other positions.

        Raises
        ------
        ValueError
            If a position repeats.

        Examples
        --------
        >>> import numpy as np, operax
        >>> operax.Restriction(3, [0, 2]).mask(np.ones(3))
        masked_array(data=[1.0, --, 1.0],
                     mask=[False,  True, False],
               fill_value=1e+20)
        """
        if self.repeated:
            raise ValueError("a mask needs positions that do not repeat; remove the repeated entries of iava")
        xp = namespace_of(x)
        x = xp.reshape(x, self.dims)
        kept = np.zeros(self.dims[self.axis], bool)
        kept[as_numpy(self.iava)] = True
        kept = np.broadcast_to(kept.reshape(-1, *(1,) * (len(self.dims) - self.axis - 1)), self.dims)
        if isinstance(x, np.ndarray):
            return np.ma.masked_array(x, mask=~kept)
        return xp.where(xp.asarray(kept), x, xp.zeros_like(x))


def _positions(iava: Any, n: int) -> np.ndarray:
    """Whole positions in ``[0, n)``, in 32 bit where that is enough."""
    index = as_numpy(iava) if is_array(iava) else np.asarray(iava)
    if index.ndim != 1:
        raise ValueError(f"iava must be one-dimensional, got shape {index.shape}")
    if index.size == 0:
        return np.zeros(0, np.int32)
    if index.dtype.kind == "b":
        raise TypeError("iava must hold positions, got booleans; use numpy.flatnonzero(mask)")
    if index.dtype.kind not in "iu":
        if index.dtype.kind != "f" or not np.all(index == np.round(index)):
            raise TypeError(f"iava must hold whole numbers, got dtype {index.dtype}; see signalprocessing.Interp")
        index = index.astype(np.int64)
    if index.max() >= n or index.min() < -n:
        raise ValueError(f"iava must lie in [0, {n}), got {index.min()} to {index.max()}")
    return np.where(index < 0, index + n, index).astype(np.int32 if n < 2**31 else np.int64)
