"""Overlapping windows along an axis, and their sum: reshapes, slices and padded additions, no gather or scatter."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from operax._arrays.fit import cut, pad_axis
from operax._arrays.kernel import Kernel
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


@Kernel
def overlap_add(y: Array, sizes: Sequence[int], steps: Sequence[int], rest: int) -> Array:
    """Windows of shape ``(*batch, *numbers, *samples, *rest)`` added up to ``(*batch, *sizes, *rest)``."""
    along = len(sizes)
    b = y.ndim - 2 * along - rest
    # number and samples of each axis side by side
    order = [v for i in range(along) for v in (b + i, b + along + i)]
    y = namespace_of(y).permute_dims(y, (*range(b), *order, *range(b + 2 * along, y.ndim)))
    for i, (size, step) in enumerate(zip(sizes, steps)):
        y = add_windows(y, b + i, size, step)
    return y


@overlap_add.on("numpy")
def _(y: Any, sizes: Sequence[int], steps: Sequence[int], rest: int) -> Any:
    # pieces of one step of each window lie side by side: each lot of them is added in place
    along = len(sizes)
    b = y.ndim - 2 * along - rest
    numbers, samples = y.shape[b : b + along], y.shape[b + along : b + 2 * along]
    pieces = [-(-w // s) for w, s in zip(samples, steps)]
    blocks = [c + p - 1 for c, p in zip(numbers, pieces)]
    split = [v for pair in zip(blocks, steps) for v in pair]
    out = np.zeros((*y.shape[:b], *split, *y.shape[b + 2 * along :]), y.dtype)
    # (*batch, *blocks, *steps, *rest), as the windows are ordered
    order = (*range(b, b + 2 * along, 2), *range(b + 1, b + 2 * along, 2))
    ordered = out.transpose(*range(b), *order, *range(b + 2 * along, out.ndim))
    for piece in itertools.product(*map(range, pieces)):
        lengths = [min(s, w - j * s) for j, s, w in zip(piece, steps, samples)]
        to = [slice(j, j + c) for j, c in zip(piece, numbers)] + [slice(0, n) for n in lengths]
        of = [slice(None)] * along + [slice(j * s, j * s + n) for j, s, n in zip(piece, steps, lengths)]
        ordered[(*(slice(None),) * b, *to)] += y[(*(slice(None),) * b, *of)]
    whole = out.reshape(*y.shape[:b], *(c * s for c, s in zip(blocks, steps)), *y.shape[b + 2 * along :])
    for i, size in enumerate(sizes):
        whole = pad_axis(whole, b + i, 0, size - whole.shape[b + i])
    return whole
