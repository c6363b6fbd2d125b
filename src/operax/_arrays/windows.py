"""Overlapping windows along an axis, and their sum: reshapes, slices and padded additions, no gather or scatter."""

from __future__ import annotations

import functools
import operator

from operax._arrays.fit import cut, pad_axis
from operax._arrays.namespace import Array, namespace_of


def window_count(size: int, window: int, step: int) -> int:
    """How many windows fit."""
    return (size - window) // step + 1


def take_windows(x: Array, axis: int, window: int, step: int) -> Array:
    """Windows along `axis`, which becomes two: their number and their samples."""
    xp = namespace_of(x)
    axis %= x.ndim
    count = window_count(x.shape[axis], window, step)
    pieces = -(-window // step)
    x = pad_axis(x, axis, 0, (count - 1 + pieces) * step - x.shape[axis])
    shape = (*x.shape[:axis], count, step, *x.shape[axis + 1 :])
    parts = [xp.reshape(cut(x, axis, j * step, (j + count) * step), shape) for j in range(pieces)]
    windows = xp.concat(parts, axis=axis + 1) if pieces > 1 else parts[0]
    return cut(windows, axis + 1, 0, window)


def add_windows(y: Array, axis: int, size: int, step: int) -> Array:
    """The transpose of `take_windows`: the windows in axes `axis` and ``axis + 1`` added up to `size` samples."""
    xp = namespace_of(y)
    axis %= y.ndim
    count, window = y.shape[axis], y.shape[axis + 1]
    pieces = -(-window // step)
    y = pad_axis(y, axis + 1, 0, pieces * step - window)
    shape = (*y.shape[:axis], count * step, *y.shape[axis + 2 :])
    parts = [
        pad_axis(xp.reshape(cut(y, axis + 1, j * step, (j + 1) * step), shape), axis, j * step, (pieces - 1 - j) * step)
        for j in range(pieces)
    ]
    total = functools.reduce(operator.add, parts)
    return pad_axis(total, axis, 0, size - total.shape[axis])
