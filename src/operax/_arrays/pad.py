"""Zeros around an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

Widths = tuple[tuple[int, int], ...]
"""Zeros before and after each of the trailing axes."""


@Kernel
def zero_pad(x: Array, widths: Widths) -> Array:
    """Zeros before and after the trailing axes. Generic version: joined with blocks of zeros, axis by axis."""
    xp = namespace_of(x)
    for axis, (before, after) in zip(range(-len(widths), 0), widths):
        parts = []
        for size in (before, after):
            shape = list(x.shape)
            shape[axis] = size
            parts.append(xp.zeros(tuple(shape), dtype=x.dtype))
        if before or after:
            x = xp.concat([parts[0], x, parts[1]], axis=axis)
    return x


@zero_pad.on("numpy")
def _(x: Any, widths: Widths) -> Any:
    lead = x.ndim - len(widths)
    shape = (*x.shape[:lead], *(n + a + b for n, (a, b) in zip(x.shape[lead:], widths)))
    # only the border is set to zero: the middle is written once
    out = np.empty(shape, x.dtype)
    middle: tuple[Any, ...] = (slice(None),) * lead
    for n, (a, b) in zip(x.shape[lead:], widths):
        rest = (slice(None),) * (len(shape) - len(middle) - 1)
        out[(*middle, slice(0, a), *rest)] = 0
        out[(*middle, slice(a + n, a + n + b), *rest)] = 0
        middle = (*middle, slice(a, a + n))
    out[middle] = x
    return out


@zero_pad.on("jax")
def _(x: Any, widths: Widths) -> Any:
    import jax.numpy as jnp
    from jax import lax

    lead = x.ndim - len(widths)
    return lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0)] * lead + [(a, b, 0) for a, b in widths])


@zero_pad.on("cupy")
def _(x: Any, widths: Widths) -> Any:
    import cupy

    return cupy.pad(x, [(0, 0)] * (x.ndim - len(widths)) + list(widths))


def crop(x: Array, widths: Widths, own: bool = True) -> Array:
    """The adjoint of `zero_pad`: the middle, as an array of its own or, on NumPy without `own`, a view."""
    inside = x[(..., *(slice(a, x.shape[i] - b) for i, (a, b) in zip(range(-len(widths), 0), widths)))]
    return owned(inside) if own else inside


def owned(x: Array) -> Array:
    """`x` as an array of its own, C-contiguous: NumPy's slices and flips are views that a caller might write into."""
    if isinstance(x, np.ndarray):
        return np.ascontiguousarray(x) if x.base is None else np.array(x, order="C")
    return x
