"""What the non-stationary convolutions and filter estimations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from operax._arrays.namespace import Array, namespace_of
from operax._arrays.nonstationary import (
    Grid,
    correlate_filters,
    gather_along,
    gather_filters,
    on_grid,
    spread_along,
    spread_filters,
    spread_taps,
)
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axis, as_sizes, one_of, weights

ENGINES = ("numpy", "numba", "cuda")


def filter_grid(positions: Any, size: int, name: str) -> tuple[tuple[int, int, int], tuple[Array, Array, Array]]:
    """First position, step and number of regularly placed filters, and how samples lie between them."""
    at = np.asarray(positions)
    if at.ndim != 1 or at.size == 0 or at.dtype.kind not in "iu":
        raise TypeError(f"{name}={positions!r} must be a sequence of integers: the samples where filters are given")
    steps = np.diff(at)
    if at.size > 1 and (np.any(steps != steps[0]) or steps[0] < 1):
        raise ValueError(f"{name}={positions!r} must be regularly sampled and increasing")
    if at[0] < 0 or at[-1] >= size:
        raise ValueError(f"{name}={positions!r} must lie inside the axis of {size} samples: from 0 to {size - 1}")
    step = int(steps[0]) if at.size > 1 else 1
    # outside the filters the nearest one holds
    place = np.clip((np.arange(size) - at[0]) / step, 0, at.size - 1)
    before = np.minimum(place.astype(np.int32), max(at.size - 2, 0)).astype(np.int32)
    after = np.minimum(before + 1, at.size - 1).astype(np.int32)
    return (int(at[0]), step, int(at.size)), (before, after, place - before)


def odd_sizes(shape: Sequence[int], name: str) -> tuple[int, ...]:
    """Shape of a filter, odd along each axis so that it has a centre."""
    sizes = as_sizes(shape, name)
    if any(n % 2 == 0 for n in sizes):
        raise ValueError(f"{name} gives filters of shape {sizes}; all lengths must be odd, so that a centre exists")
    return sizes


class _NonStationary(LinearOperator):
    _grids: tuple[tuple[Array, Array, Array], ...]

    def _place(self, positions: Sequence[Any], sizes: Sequence[int], names: Sequence[str]) -> tuple[int, ...]:
        """Keep the grids of all axes; the numbers of filters."""
        found = [filter_grid(p, n, name) for p, n, name in zip(positions, sizes, names)]
        self.origins = tuple(f[0][0] for f in found)
        self.steps = tuple(f[0][1] for f in found)
        self._grids = tuple(f[1] for f in found)
        return tuple(f[0][2] for f in found)

    def _grid(self) -> list[Grid]:
        return [Grid(*g) for g in self._grids]


class NonStationaryConvolution(_NonStationary):
    """Convolution with a bank of filters along the last axes (or one axis) of the model."""

    def __init__(
        self,
        dims: Any,
        hs: Any,
        positions: Sequence[Any],
        names: Sequence[str],
        axis: int | None,
        engine: str,
        dtype: Any,
        name: str,
    ) -> None:
        dims = as_sizes(dims)
        count = len(names)
        if axis is None and len(dims) != count:
            raise ValueError(f"dims={dims} must have {count} dimensions")
        super().__init__(dims=dims, dimsd=dims, dtype=dtype, name=name)
        self.axis = None if axis is None else as_axis(axis, len(dims))
        self.engine = one_of(engine, ENGINES, "engine")
        self.hs = self._parameter(hs, "hs")
        if self.hs.ndim != 2 * count:
            raise ValueError(f"hs must have {2 * count} dimensions, got shape {tuple(self.hs.shape)}")
        odd_sizes(self.hs.shape[count:], "hs")
        sizes = dims if self.axis is None else (dims[self.axis],)
        counts = self._place(positions, sizes, names)
        if counts != tuple(self.hs.shape[:count]):
            raise ValueError(
                f"hs holds {tuple(self.hs.shape[:count])} filters, but {', '.join(names)} give {counts} positions"
            )

    @property
    def hshape(self) -> tuple[int, ...]:
        """Shape of a filter."""
        return tuple(int(n) for n in self.hs.shape[len(self._grids) :])

    @property
    def hsinterp(self) -> Array:
        """The filter of every sample."""
        xp = namespace_of(self.hs)
        d = len(self._grids)
        first, last = tuple(range(d)), tuple(range(d, 2 * d))
        return xp.moveaxis(on_grid(xp.moveaxis(self.hs, last, first), self._grid()), first, last)

    def _forward(self, x: Array) -> Array:
        bank = weights(self.hs, x)
        if self.axis is None:
            return spread_filters(x, bank, self._grid())
        return spread_along(x, bank, self._grid()[0], self.axis - len(self.dims))

    def _adjoint(self, y: Array) -> Array:
        bank = weights(self.hs, y)
        if self.axis is None:
            return gather_filters(y, bank, self._grid())
        return gather_along(y, bank, self._grid()[0], self.axis - len(self.dims))


class NonStationaryFilters(_NonStationary):
    """The same as a function of the bank, for a fixed input signal."""

    def __init__(
        self,
        inp: Any,
        hshape: Any,
        positions: Sequence[Any],
        names: Sequence[str],
        engine: str,
        dtype: Any,
        name: str,
    ) -> None:
        super().__init__(dims=1, dimsd=1, dtype=dtype, name=name)
        self.engine = one_of(engine, ENGINES, "engine")
        self.inp = self._parameter(inp, "inp")
        if self.inp.ndim != len(names):
            raise ValueError(f"inp must have {len(names)} dimension(s), got shape {tuple(self.inp.shape)}")
        self._taps = odd_sizes(hshape, "hshape" if len(names) > 1 else "hsize")
        if len(self._taps) != len(names):
            raise ValueError(f"hshape={hshape!r} must have {len(names)} dimensions")
        self.dimsd = tuple(self.inp.shape)
        self._counts_of_filters = self._place(positions, self.dimsd, names)
        self.dims = (*self._counts_of_filters, *self._taps)

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        d = len(self._taps)
        batch = x.ndim - 2 * d
        # taps in front of the filters: the grid functions work on the last axes
        order = (*range(batch + d, batch + 2 * d), *range(batch), *range(batch, batch + d))
        by_tap = xp.permute_dims(x, order)
        return spread_taps(weights(self.inp, x), by_tap, self._taps, self._grid())

    def _adjoint(self, y: Array) -> Array:
        return correlate_filters(y, weights(self.inp, y), self._taps, self._grid(), self._counts_of_filters)
