"""Zero-padding and cutting along one axis, written with functions that keep sharded arrays whole."""

from __future__ import annotations

from typing import Any

from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of


def cut(x: Array, axis: int, start: int, stop: int, step: int = 1) -> Array:
    """``x[..., start:stop:step, ...]`` along `axis`."""
    if start == 0 and step == 1 and stop == x.shape[axis]:
        return x
    index: list[Any] = [slice(None)] * x.ndim
    index[axis] = slice(start, stop, step)
    return x[tuple(index)]


@Kernel
def pad_axis(x: Array, axis: int, before: int, after: int) -> Array:
    """Zeros added in front and behind along `axis`; negative counts cut."""
    if before < 0 or after < 0:
        n, length = x.shape[axis], x.shape[axis] + before + after
        start, stop = min(max(-before, 0), n), max(n + min(after, 0), 0)
        x = cut(x, axis, start, max(stop, start))
        before = min(max(before, 0), length)
        return pad_axis(x, axis, before, length - before - x.shape[axis])
    if before == 0 and after == 0:
        return x
    xp = namespace_of(x)
    shape = list(x.shape)
    axis %= x.ndim
    parts = [x]
    if before:
        parts.insert(0, xp.zeros((*shape[:axis], before, *shape[axis + 1 :]), dtype=x.dtype))
    if after:
        parts.append(xp.zeros((*shape[:axis], after, *shape[axis + 1 :]), dtype=x.dtype))
    return xp.concat(parts, axis=axis)


@pad_axis.on("jax")
def _(x: Any, axis: int, before: int, after: int) -> Any:
    import jax

    if before == 0 and after == 0:
        return x
    axis %= x.ndim
    config = [(before, after, 0) if i == axis else (0, 0, 0) for i in range(x.ndim)]
    return jax.lax.pad(x, jax.numpy.zeros((), x.dtype), config)


def fit(x: Array, axis: int, size: int) -> Array:
    """`x` with length `size` along `axis`: zeros added behind, or the rest cut off."""
    n = x.shape[axis]
    return x if n == size else cut(x, axis, 0, size) if n > size else pad_axis(x, axis, 0, size - n)
