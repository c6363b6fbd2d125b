"""Circular shifts and flips."""

from __future__ import annotations

from typing import Any

from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of


@Kernel
def roll(x: Array, shift: int, axis: int) -> Array:
    """``y[i] = x[i - shift]`` along `axis`, indices modulo its length. Generic version: the namespace's own."""
    return namespace_of(x).roll(x, shift, axis=axis)


@roll.on("jax")
def _(x: Any, shift: int, axis: int) -> Any:
    # two zero-filled shifts and a choice by row: one fusion, neighbour exchange on a sharded axis
    import jax.numpy as jnp
    from jax import lax

    axis = axis % x.ndim
    n = x.shape[axis]
    shift = shift % n if n else 0
    if shift == 0:
        return x

    def moved(by: int) -> Any:
        return lax.pad(x, jnp.zeros((), x.dtype), [(by, -by, 0) if a == axis else (0, 0, 0) for a in range(x.ndim)])

    row = lax.broadcasted_iota(jnp.int32, x.shape, axis)
    return jnp.where(row < shift, moved(shift - n), moved(shift))


@Kernel
def mirror(x: Array, axis: int) -> Array:
    """``y[i] = x[abs(i - n + 1)]`` for ``2 n - 1`` values along `axis` (negative). Generic version: joined."""
    xp = namespace_of(x)
    behind = (slice(None),) * (-axis - 1)
    return xp.concat([xp.flip(x[(..., slice(1, None), *behind)], axis=axis), x], axis=axis)


@mirror.on("jax")
def _(x: Any, axis: int) -> Any:
    # one fusion, as for `roll`
    import jax.numpy as jnp
    from jax import lax

    axis = axis % x.ndim
    n = x.shape[axis]

    def padded(v: Any, before: int, after: int) -> Any:
        widths = [(before, after, 0) if a == axis else (0, 0, 0) for a in range(v.ndim)]
        return lax.pad(v, jnp.zeros((), v.dtype), widths)

    right = padded(x, n - 1, 0)
    return jnp.where(
        lax.broadcasted_iota(jnp.int32, right.shape, axis) < n, padded(lax.rev(x, (axis,)), 0, n - 1), right
    )
