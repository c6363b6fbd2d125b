"""Interpolation along one axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import like
from operax._arrays.gather import accumulate, gather
from operax._arrays.interpolate import aligned, spread_neighbours
from operax._arrays.namespace import Array, is_tracer, namespace_of
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axis, as_sizes, one_of
from operax.signalprocessing._positions import as_positions, check_positions, check_unique, clip_end, split
from operax.signalprocessing.interpspline import InterpCubicSpline

KINDS = ("nearest", "linear", "sinc", "cubic_spline")


class _AlongAxis(LinearOperator):
    """An operator that takes one axis of `dims` to `count` samples."""

    def __init__(self, dims: tuple[int, ...], count: int, axis: int, dtype: Any, name: str) -> None:
        dimsd = tuple(count if a == axis else n for a, n in enumerate(dims))
        super().__init__(dims=dims, dimsd=dimsd, dtype=dtype, name=name)
        self.axis = axis

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype  # internal weights take the precision of the data

    @property
    def _behind(self) -> int:
        return self.axis - len(self.dims)


class NearestInterp(_AlongAxis):
    """Samples at whole positions; made by `Interp`."""

    def __init__(self, dims: tuple[int, ...], index: Array, axis: int, dtype: Any, name: str) -> None:
        super().__init__(dims, int(index.shape[0]), axis, dtype, name)
        self.index = index

    def _forward(self, x: Array) -> Array:
        return gather(x, self.index, self._behind)

    def _adjoint(self, y: Array) -> Array:
        return accumulate(y, self.index, self.dims[self.axis], self._behind)


class LinearInterp(_AlongAxis):
    """Weighted means of two neighbours; made by `Interp`.

    The leaf `fraction` is the distance of each position from the sample before it: its derivative is the one of the
    position.
    """

    def __init__(self, dims: tuple[int, ...], positions: Array, axis: int, dtype: Any, name: str) -> None:
        super().__init__(dims, int(positions.shape[0]), axis, dtype, name)
        self.index, self.fraction = split(positions, dims[axis])
        self.after = self.index + 1

    def _forward(self, x: Array) -> Array:
        # x_l + w (x_r - x_l): one weight to bring into the precision of the data instead of two
        low = gather(x, self.index, self._behind)
        return low + aligned(self.fraction, x, self._behind) * (gather(x, self.after, self._behind) - low)

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        y = xp.moveaxis(y, self._behind, -1)
        high = aligned(self.fraction, y, -1) * y
        return xp.moveaxis(spread_neighbours(y - high, high, self.index, self.dims[self.axis]), -1, self._behind)


class SincInterp(_AlongAxis):
    """Product with a matrix of sinc functions; made by `Interp`."""

    def __init__(
        self, dims: tuple[int, ...], positions: Array, axis: int, tol: float | None, dtype: Any, name: str
    ) -> None:
        super().__init__(dims, int(positions.shape[0]), axis, dtype, name)
        xp = namespace_of(positions)
        values = xp.sinc(positions[:, None] - xp.arange(dims[axis])[None, :])
        self.matrix = values if tol is None else xp.where(abs(values) < tol, 0.0, values)

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        lines = xp.moveaxis(x, self._behind, -1)
        return xp.moveaxis(xp.matmul(lines, xp.matrix_transpose(like(self.matrix, x))), -1, self._behind)

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        lines = xp.moveaxis(y, self._behind, -1)
        return xp.moveaxis(xp.matmul(lines, like(self.matrix, y)), -1, self._behind)


def Interp(
    dims: Any,
    iava: Any,
    axis: int = -1,
    kind: str = "linear",
    tol: float | None = None,
    dtype: Any = None,
    name: str = "I",
) -> tuple[LinearOperator, Array]:
    r"""Interpolation of regular samples at fractional positions along an axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    iava : array of shape (n,)
        Positions, in samples from 0 to ``dims[axis] - 1``, each once. Inside a JAX transformation they may be traced:
        the result is then differentiable in them.
    axis : int, optional
        Axis of the interpolation.
    kind : {"linear", "nearest", "sinc", "cubic_spline"}, optional
        Nearest sample, line between neighbours, band-limited series, or natural cubic spline.
    tol : float, optional
        With ``kind="sinc"``: weights smaller in size become zero.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input. Indices and weights are computed in
        double precision whatever it is.
    name : str, optional
        Symbol in `describe`.

    Returns
    -------
    Op : LinearOperator
        The interpolation, from `dims` to the same shape with ``n`` along `axis`.
    iava : array
        The positions used: whole numbers for nearest; positions at the last sample or beyond it are moved just before
        it for linear and cubic splines.

    Raises
    ------
    ValueError
        If positions repeat or lie outside the axis, or `kind` is unknown.

    Notes
    -----
    With :math:`l = \lfloor p \rfloor` and :math:`w = p - l`, linear interpolation is
    :math:`y = (1 - w) x_l + w x_{l+1}`, sinc interpolation :math:`y = \sum_j x_j \mathrm{sinc}(p - j)`; for splines see
    `InterpCubicSpline`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op, positions = operax.signalprocessing.Interp(4, np.array([0.5, 2.25]))
    >>> Op @ np.array([0.0, 1.0, 2.0, 4.0])
    array([0.5, 2.5])
    """
    dims = as_sizes(dims)
    axis = as_axis(axis, len(dims))
    size = dims[axis]
    one_of(kind, KINDS, "kind")
    positions = as_positions(iava)
    if positions.ndim != 1:
        raise ValueError(f"iava must be one-dimensional, got shape {tuple(positions.shape)}")
    if kind == "cubic_spline":
        op = InterpCubicSpline(dims, positions, axis=axis, dtype=dtype, name=name)
        return op, op.iava
    if kind == "nearest":
        xp = namespace_of(positions)
        rounded = xp.round(positions)
        check_positions(rounded, size)
        check_unique(rounded)
        index = rounded.astype("int32")
        return NearestInterp(dims, index, axis, dtype, name), index
    if kind == "linear":
        if size < 2:
            raise ValueError(f"kind='linear' needs two samples along axis={axis}, got dims={dims}")
        check_positions(positions, size, beyond=True)
        positions = clip_end(positions, size)
        check_unique(positions)
        return LinearInterp(dims, positions, axis, dtype, name), positions
    if not is_tracer(positions) and not np.all(np.isfinite(positions)):
        raise ValueError("iava holds values that are not finite")
    check_unique(positions)
    return SincInterp(dims, positions, axis, tol, dtype, name), positions
