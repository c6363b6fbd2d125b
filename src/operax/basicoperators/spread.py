"""Spreading along curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operax._arrays.dtypes import like
from operax._arrays.namespace import Array, as_numpy, is_array, namespace_of
from operax._arrays.scatter import scatter_add
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import choice, meeting, sizes_of


class Spread(LinearOperator):
    r"""Spread each value of the model along a curve over the data; the adjoint stacks along the curves.

    Parameters
    ----------
    dims : tuple of int
        Shape ``(nx0, nt0)`` of the model.
    dimsd : tuple of int
        Shape ``(nx, nt)`` of the data.
    table : array, optional
        Positions along the last axis of the data, of shape ``(nx0, nt0, nx)``; NaN where a curve leaves the data.
    dtable : array, optional
        Fractions in [0, 1) of the same shape, for linear interpolation between ``table`` and ``table + 1``.
    fh : callable, optional
        ``fh(ix0, it0)`` gives the `nx` positions, or a pair of positions and fractions, instead of `table`; it is
        called once for each value of the model when the operator is built.
    interp : bool, optional
        Whether there are fractions; by default they are used where given.
    engine : {"numpy", "numba"}, optional
        Accepted for scripts that choose; all libraries run the same code.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    usetable : bool
        Whether a table was given.

    Raises
    ------
    NotImplementedError
        If neither `table` nor `fh` is given.
    ValueError
        If a table has another shape, a position lies outside the data, or `engine` is unknown.

    Notes
    -----
    With table :math:`p` and fractions :math:`f`, the forward adds, for each :math:`x_0, t_0, x`,

    .. math::
        y_{x, p} \mathrel{+}= (1 - f) m_{x_0, t_0}, \qquad y_{x, p + 1} \mathrel{+}= f \, m_{x_0, t_0}

    The fractions are a leaf, so that results can be differentiated in the position of a curve. The adjoint gathers.

    References
    ----------
    .. [1] J. F. Claerbout and S. Fomel, Image Estimation by Example, Stanford University, 2014.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.Spread((1, 2), (3, 4), fh=lambda ix0, it0: it0 + np.arange(3))
    >>> Op @ np.array([[1.0, 10.0]])
    array([[ 1., 10.,  0.,  0.],
           [ 0.,  1., 10.,  0.],
           [ 0.,  0.,  1., 10.]])
    """

    def __init__(
        self,
        dims: Any,
        dimsd: Any,
        table: Any = None,
        dtable: Any = None,
        fh: Callable[[int, int], Any] | None = None,
        interp: bool | None = None,
        engine: str = "numpy",
        dtype: Any = None,
        name: str = "S",
    ) -> None:
        choice(engine, ("numpy", "numba"), "engine")
        model, data = sizes_of(dims), sizes_of(dimsd, "dimsd")
        if len(model) != 2 or len(data) != 2:
            raise ValueError(f"Spread takes two-dimensional shapes, got dims={model} and dimsd={data}")
        super().__init__(dtype=dtype, dims=model, dimsd=data, name=name)
        self.engine = engine
        self.usetable = table is not None
        if table is None:
            if fh is None:
                raise NotImplementedError("Spread takes a table or a function fh of positions; give one of them")
            table, dtable = _tables(fh, model)
        if interp and dtable is None:
            raise ValueError("interp=True takes fractions: give dtable, or let fh return (positions, fractions)")
        self.interp = dtable is not None if interp is None else bool(interp)
        self._set_positions(table, dtable if self.interp else None)

    def _set_positions(self, table: Any, dtable: Any) -> None:
        expected = (*self.dims, self.dimsd[0])
        positions = as_numpy(table) if is_array(table) else np.asarray(table)
        for label, value in (("table", positions), ("dtable", dtable)):
            if value is not None and np.shape(value) != expected:
                raise ValueError(f"{label} must have shape (nx0, nt0, nx) = {expected}, got {np.shape(value)}")
        known = ~np.isnan(positions) if positions.dtype.kind == "f" else np.ones(expected, bool)
        fractions = dtable
        if fractions is not None:
            fractions = fractions if is_array(fractions) else np.asarray(fractions)
        nx, nt = self.dimsd
        whole = np.where(known, positions, 0).astype(np.int64)
        last = nt - 1 - (fractions is not None)
        if whole.size and (whole.min() < 0 or whole.max() > last):
            raise ValueError(
                f"positions must lie in [0, {last}]{' with fractions' if fractions is not None else ''}, "
                f"got {whole.min()} to {whole.max()}; mark those outside with NaN"
            )
        kind = np.int32 if nx * nt < 2**31 else np.int64
        # numbers of values in the flat data, in the order (x, x0, t0): those of one trace lie together
        index = np.moveaxis(whole + np.arange(nx) * nt, -1, 0)
        self.index = np.ascontiguousarray(index).astype(kind)
        self.known = None if known.all() else np.ascontiguousarray(np.moveaxis(known, -1, 0))
        self.fractions = None
        if fractions is not None:
            moved = namespace_of(fractions).moveaxis(fractions, -1, 0)
            self.fractions = self._parameter(moved, "dtable") if isinstance(moved, np.ndarray) else moved

    def _weights(self, x: Array) -> tuple[Any, Any]:
        """Weights of the lower and the upper neighbour; None for one."""
        xp = namespace_of(x)
        known = None if self.known is None else xp.asarray(self.known)
        if self.fractions is None:
            return known, None
        upper = like(meeting(self.fractions, x), x)
        lower = 1 - upper
        if known is not None:
            zero = xp.zeros_like(upper)
            lower, upper = xp.where(known, lower, zero), xp.where(known, upper, zero)
        return lower, upper

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        nx, nt = self.dimsd
        batch = x.shape[:-2]
        lower, upper = self._weights(x)
        model = xp.broadcast_to(xp.expand_dims(x, axis=-3), (*batch, nx, *self.dims))
        if upper is None:
            values = model if lower is None else xp.where(lower, model, xp.zeros_like(model))
            index = self.index
        else:
            values = xp.stack([model * lower, model * upper], axis=-4)
            index = xp.stack([xp.asarray(self.index), xp.asarray(self.index) + 1], axis=0)
        values = xp.reshape(values, (*batch, -1))
        y = scatter_add(values, xp.reshape(xp.asarray(index), (-1,)), nx * nt)
        return xp.reshape(y, (*batch, nx, nt))

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        nx, nt = self.dimsd
        batch = y.shape[:-2]
        flat = xp.reshape(y, (*batch, nx * nt))
        lower, upper = self._weights(y)
        index = xp.reshape(xp.asarray(self.index), (-1,))
        at = xp.reshape(xp.take(flat, index, axis=-1), (*batch, *self.index.shape))
        if upper is None:
            values = at if lower is None else xp.where(lower, at, xp.zeros_like(at))
        else:
            after = xp.reshape(xp.take(flat, index + 1, axis=-1), (*batch, *self.index.shape))
            values = at * lower + after * upper
        return xp.sum(values, axis=-3, dtype=values.dtype)


def _tables(fh: Callable[[int, int], Any], dims: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray | None]:
    """Positions, and fractions where `fh` gives them, of all values of the model."""
    first = [[fh(i, j) for j in range(dims[1])] for i in range(dims[0])]
    if first and first[0] and isinstance(first[0][0], tuple):
        return (
            np.array([[pair[0] for pair in row] for row in first], dtype=np.float64),
            np.array([[pair[1] for pair in row] for row in first], dtype=np.float64),
        )
    return np.array(first, dtype=np.float64), None
