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
