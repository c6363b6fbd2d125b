"""Convolution with filters that vary along the data: one filter a sample, interpolated from a coarse bank.

Everything works on the last axes of the data. A tap of the filter is a shift of the data; taps are added in one fused
expression where they are few, in a loop where they are many (JAX), and the interpolated filters are never stored.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from operax._arrays.dtypes import is_complex, like
from operax._arrays.fit import pad_axis
from operax._arrays.gather import accumulate, gather
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

UNROLLED = 64
"""Most taps that are written out one by one."""


class Grid(NamedTuple):
    """Where the samples of one axis lie between the filters: the filter before, the one after, the fraction."""

    before: Array
    after: Array
    fraction: Array


def on_grid(values: Array, grids: Sequence[Grid]) -> Array:
    """Values at the filters (last axes) interpolated to all samples."""
    xp = namespace_of(values)
    for i, grid in enumerate(grids):
        axis = i - len(grids)
        w = xp.reshape(like(grid.fraction, values), (-1, *(1,) * (-axis - 1)))
        values = (1 - w) * gather(values, grid.before, axis) + w * gather(values, grid.after, axis)
    return values


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
    xp = namespace_of(by_tap)
    flat = xp.reshape(by_tap, (-1, *by_tap.shape[len(shape) :]))

    def term(k: tuple[int, ...]) -> Array:
        return shifted(x * on_grid(by_tap[(*k, ...)], grids), [i - n // 2 for i, n in zip(k, shape)])

    def looped(t: Any, shift: Callable[..., Array]) -> Array:
        return shift(x * on_grid(flat[t, ...], grids), 1)

    return _over_taps(by_tap, shape, term, looped)


def gather_filters(y: Array, bank: Array, grids: Sequence[Grid]) -> Array:
    """The adjoint of `spread_filters` in `x`: ``x[i] = sum_k conj(h_i[k]) y[i + k - c]``."""
    d = len(grids)
    xp = namespace_of(y)
    shape = bank.shape[d:]
    bank = xp.conj(bank) if is_complex(bank) else bank
    by_tap = xp.moveaxis(bank, tuple(range(d, 2 * d)), tuple(range(d)))
    flat = xp.reshape(by_tap, (-1, *bank.shape[:d]))

    def term(k: tuple[int, ...]) -> Array:
        return on_grid(by_tap[(*k, ...)], grids) * shifted(y, [n // 2 - i for i, n in zip(k, shape)])

    def looped(t: Any, shift: Callable[..., Array]) -> Array:
        return on_grid(flat[t, ...], grids) * shift(y, -1)

    return _over_taps(y, shape, term, looped)


@Kernel
def _over_taps(x: Array, shape: Sequence[int], term: Callable[..., Array], looped: Callable[..., Array]) -> Array:
    """The sum of `term` over all taps of a filter of `shape`."""
    return functools.reduce(operator.add, [term(k) for k in _taps(shape)])


@_over_taps.on("jax")
def _(x: Any, shape: Sequence[int], term: Callable[..., Any], looped: Callable[..., Any]) -> Any:
    import jax
    import jax.numpy as jnp

    taps = _taps(shape)
    if len(taps) <= UNROLLED:
        return functools.reduce(operator.add, [term(k) for k in taps])
    table = jnp.asarray([[i - n // 2 for i, n in zip(k, shape)] for k in taps], jnp.int32)

    def body(t: Any, acc: Any) -> Any:
        def shift(v: Any, sign: int) -> Any:
            for i, n in enumerate(shape):
                axis = v.ndim - len(shape) + i
                wide = pad_axis(v, axis, n // 2, n // 2)
                v = jax.lax.dynamic_slice_in_dim(wide, n // 2 - sign * table[t, i], v.shape[axis], axis)
            return v

        return acc + looped(t, shift)

    one = jax.eval_shape(lambda: term(taps[0]))
    return jax.lax.fori_loop(0, len(taps), body, jnp.zeros(one.shape, one.dtype))


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
