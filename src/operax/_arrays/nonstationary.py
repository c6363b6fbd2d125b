"""Convolution with filters that vary along the data: one filter a sample, interpolated from a coarse bank.

Along one axis of many lines it is the product with a banded matrix. Otherwise a tap of the filter is a shift of the
data, on its last axes; taps are added in one fused expression where they are few, in a loop where they are many (JAX),
and the interpolated filters are never stored.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from operax._arrays.banded import banded
from operax._arrays.dtypes import is_complex, like
from operax._arrays.fit import cut, pad_axis
from operax._arrays.gather import accumulate, gather
from operax._arrays.keep import keep
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

UNROLLED = 64
"""Most taps that are written out one by one, which costs compilation time."""


class Grid(NamedTuple):
    """Where the samples of one axis lie between the filters: the filter before, the one after, the fraction."""

    before: Array
    after: Array
    fraction: Array


def on_grid(values: Array, grids: Sequence[Grid], behind: int = 0) -> Array:
    """Values at the filters interpolated to all samples, on the axes before the last `behind`."""
    xp = namespace_of(values)
    for i, grid in enumerate(grids):
        axis = i - len(grids) - behind
        w = xp.reshape(like(grid.fraction, values), (-1, *(1,) * (-axis - 1)))
        values = (1 - w) * gather(values, grid.before, axis) + w * gather(values, grid.after, axis)
    return values


FEW = 8
"""Most filters along the last axis that are interpolated by sums of hat functions."""


def interpolated(by_tap: Array, grids: Sequence[Grid]) -> tuple[Array, Callable[[Array], Array]]:
    """The bank interpolated along all axes but the last, and what does the last for one tap.

    Few filters are summed, each times its hat function: under XLA several times faster than reading two of them for
    every sample, because no index stands in the loop.
    """
    xp = namespace_of(by_tap)
    count, last = by_tap.shape[-1], grids[-1]
    rows = keep(on_grid(by_tap, grids[:-1], behind=1)) if len(grids) > 1 else by_tap
    if count > FEW:
        return rows, lambda row: on_grid(row, [last])
    number, w = xp.arange(count)[:, None], like(last.fraction, by_tap)
    zero = xp.zeros((), dtype=w.dtype)
    hats = xp.where(xp.asarray(last.before) == number, 1 - w, zero)
    # where one filter holds to both sides, both parts fall to it
    hats = keep(hats + xp.where(xp.asarray(last.after) == number, w, zero))
    return rows, lambda row: _weighted(row, hats)


@Kernel
def _weighted(row: Array, hats: Array) -> Array:
    return namespace_of(row).matmul(row, hats)


@_weighted.on("jax")
def _(row: Any, hats: Any) -> Any:
    # a product would be stored for every tap; a sum is part of the loop that uses it
    return functools.reduce(operator.add, [row[..., q, None] * hats[q] for q in range(len(hats))])


def off_grid(values: Array, grids: Sequence[Grid], sizes: Sequence[int]) -> Array:
    """The transpose of `on_grid`, to `sizes` filters."""
    xp = namespace_of(values)
    for i, (grid, size) in enumerate(zip(grids, sizes)):
        axis = i - len(grids)
        w = xp.reshape(like(grid.fraction, values), (-1, *(1,) * (-axis - 1)))
        values = accumulate((1 - w) * values, grid.before, size, axis) + accumulate(w * values, grid.after, size, axis)
    return values


def shifted(x: Array, by: Sequence[int]) -> Array:
    """``y[j] = x[j - by]`` along the last axes, zeros from outside."""
    for i, s in enumerate(by):
        x = pad_axis(x, i - len(by), s, -s)
    return x


def _taps(shape: Sequence[int]) -> list[tuple[int, ...]]:
    return list(itertools.product(*map(range, shape)))


def spread_filters(x: Array, bank: Array, grids: Sequence[Grid]) -> Array:
    """``y[i + k - c] += h_i[k] x[i]`` with the bank of shape (filters of each axis, taps of each axis)."""
    d = len(grids)
    by_tap = namespace_of(bank).moveaxis(bank, tuple(range(d, 2 * d)), tuple(range(d)))
    return spread_taps(x, by_tap, bank.shape[d:], grids)


def spread_taps(x: Array, by_tap: Array, shape: Sequence[int], grids: Sequence[Grid]) -> Array:
    """The same with the bank ordered (taps, batch axes, filters)."""
    # zeros around the data, and the filters there too, so that a tap is a window of their product
    wide = keep(_bordered(x, shape))
    borders = [_border(grid, n // 2) for grid, n in zip(grids, shape)]
    rows, along_last = interpolated(by_tap, borders)

    def term(k: tuple[int, ...], window: Callable[..., Array]) -> Array:
        return window(wide * along_last(rows[(*k, ...)]), [n - 1 - i for i, n in zip(k, shape)])

    return _over_taps(x, shape, term)


def gather_filters(y: Array, bank: Array, grids: Sequence[Grid]) -> Array:
    """The adjoint of `spread_filters` in `x`: ``x[i] = sum_k conj(h_i[k]) y[i + k - c]``."""
    d = len(grids)
    xp = namespace_of(y)
    shape = bank.shape[d:]
    bank = xp.conj(bank) if is_complex(bank) else bank
    wide = keep(_bordered(y, shape))
    rows, along_last = interpolated(xp.moveaxis(bank, tuple(range(d, 2 * d)), tuple(range(d))), grids)

    def term(k: tuple[int, ...], window: Callable[..., Array]) -> Array:
        return along_last(rows[(*k, ...)]) * window(wide, k)

    return _over_taps(y, shape, term)


def _bordered(x: Array, shape: Sequence[int]) -> Array:
    for i, n in enumerate(shape):
        x = pad_axis(x, i - len(shape), n // 2, n // 2)
    return x


def _border(grid: Grid, width: int) -> Grid:
    """The grid of an axis with a border, where the outermost samples' filters hold."""
    xp = namespace_of(grid.fraction)
    index = xp.clip(xp.arange(grid.fraction.shape[0] + 2 * width) - width, 0, grid.fraction.shape[0] - 1)
    return Grid(*(xp.take(xp.asarray(part), index) for part in grid))


def spread_along(x: Array, bank: Array, grid: Grid, axis: int) -> Array:
    """`spread_filters` along one axis."""
    if not _many_lines(x, axis):
        return _on_last(spread_filters, x, bank, grid, axis)
    xp = namespace_of(x)
    n, taps = x.shape[axis], bank.shape[1]
    # row t of the matrix holds h[t - c + s][taps - 1 - s]: a diagonal of the table of filters, read by lines that are
    # one longer than they are
    table = pad_axis(on_grid(xp.flip(xp.matrix_transpose(bank), axis=0), [grid]), 1, taps // 2, taps // 2)
    width = n + taps
    diagonals = xp.reshape(pad_axis(xp.reshape(table, (-1,)), 0, 0, taps), (taps, width))
    return banded(x, xp.matrix_transpose(cut(diagonals, 1, 0, n)), taps // 2, axis)


def gather_along(y: Array, bank: Array, grid: Grid, axis: int) -> Array:
    """`gather_filters` along one axis."""
    if not _many_lines(y, axis):
        return _on_last(gather_filters, y, bank, grid, axis)
    xp = namespace_of(y)
    rows = xp.matrix_transpose(on_grid(xp.matrix_transpose(bank), [grid]))
    return banded(y, xp.conj(rows) if is_complex(rows) else rows, bank.shape[1] // 2, axis)


def _many_lines(x: Array, axis: int) -> bool:
    return x.size >= 16 * x.shape[axis]


def _on_last(kernel: Callable[..., Array], x: Array, bank: Array, grid: Grid, axis: int) -> Array:
    xp = namespace_of(x)
    return xp.moveaxis(kernel(xp.moveaxis(x, axis, -1), bank, [grid]), -1, axis)


@Kernel
def _over_taps(x: Array, shape: Sequence[int], term: Callable[..., Array]) -> Array:
    """The sum over all taps of a filter of `shape` of ``term(tap, window)``: windows are of the size of `x`."""
    sizes = x.shape[x.ndim - len(shape) :]

    def window(wide: Array, start: Sequence[int]) -> Array:
        for i, (s, n) in enumerate(zip(start, sizes)):
            wide = cut(wide, i - len(sizes), s, s + n)
        return wide

    return functools.reduce(operator.add, (term(k, window) for k in _taps(shape)))


@_over_taps.on("jax")
def _(x: Any, shape: Sequence[int], term: Callable[..., Any]) -> Any:
    import jax
    import jax.numpy as jnp

    if math.prod(shape) <= UNROLLED:
        return _over_taps.generic(x, shape, term)
    # a loop over the first axes' taps, those of the last one written out where they are few
    *outer, last = shape
    inner = _taps([last]) if last <= UNROLLED else [()]
    table = jnp.asarray(_taps(outer if last <= UNROLLED else shape), jnp.int32)
    sizes = x.shape[x.ndim - len(shape) :]

    def window(wide: Any, start: Sequence[Any]) -> Any:
        for i, (s, n) in enumerate(zip(start, sizes)):
            axis = i - len(sizes)
            fixed = isinstance(s, int)
            wide = cut(wide, axis, s, s + n) if fixed else jax.lax.dynamic_slice_in_dim(wide, s, n, wide.ndim + axis)
        return wide

    def some(t: Any) -> Any:
        first = tuple(table[t, i] for i in range(table.shape[1]))
        return functools.reduce(operator.add, [term((*first, *k), window) for k in inner])

    one = jax.eval_shape(some, 0)
    return jax.lax.fori_loop(0, len(table), lambda t, total: total + some(t), jnp.zeros(one.shape, one.dtype))


@Kernel
def correlate_filters(y: Array, x: Array, shape: Sequence[int], grids: Sequence[Grid], sizes: Sequence[int]) -> Array:
    """The adjoint of `spread_filters` in the bank: ``sum_i conj(x[i]) y[i + k - c]`` gathered at the filters."""
    xp = namespace_of(y)
    d = len(grids)
    x = xp.conj(x) if is_complex(x) else x
    parts = [off_grid(x * shifted(y, [n // 2 - i for i, n in zip(k, shape)]), grids, sizes) for k in _taps(shape)]
    found = xp.stack(parts, axis=-1)
    return xp.reshape(found, (*y.shape[: y.ndim - d], *sizes, *shape))


@correlate_filters.on("jax")
def _(y: Any, x: Any, shape: Sequence[int], grids: Sequence[Grid], sizes: Sequence[int]) -> Any:
    import jax
    import jax.numpy as jnp

    d = len(grids)
    x = jnp.conj(x) if is_complex(x) else x
    wide = y
    for i, n in enumerate(shape):
        wide = pad_axis(wide, i - d, n // 2, n // 2)

    def one(k: Any) -> Any:
        part = wide
        for i in range(d):
            axis = y.ndim - d + i
            part = jax.lax.dynamic_slice_in_dim(part, k[i], y.shape[axis], axis)
        return off_grid(x * part, grids, sizes)

    found = jnp.moveaxis(jax.lax.map(one, jnp.asarray(_taps(shape), jnp.int32)), 0, -1)
    return found.reshape(*y.shape[: y.ndim - d], *sizes, *shape)
