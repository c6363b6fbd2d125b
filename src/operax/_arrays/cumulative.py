"""Running sums along an axis, from either end."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of


@Kernel
def running_sum(x: Array, axis: int, reverse: bool = False) -> Array:
    """``y[i] = x[0] + ... + x[i]`` along `axis` (negative); from the last one back with `reverse`."""
    xp = namespace_of(x)
    if reverse:
        return xp.flip(xp.cumulative_sum(xp.flip(x, axis=axis), axis=axis, dtype=x.dtype), axis=axis)
    return xp.cumulative_sum(x, axis=axis, dtype=x.dtype)


@running_sum.on("numpy")
def _(x: Any, axis: int, reverse: bool = False) -> Any:
    out = np.empty(x.shape, x.dtype)
    if reverse:
        np.cumsum(np.flip(x, axis), axis=axis, dtype=x.dtype, out=np.flip(out, axis))
    else:
        np.cumsum(x, axis=axis, dtype=x.dtype, out=out)
    return out


@running_sum.on("cupy")
def _(x: Any, axis: int, reverse: bool = False) -> Any:
    import cupy

    return cupy.flip(cupy.cumsum(cupy.flip(x, axis), axis=axis), axis) if reverse else cupy.cumsum(x, axis=axis)


@running_sum.on("jax")
def _(x: Any, axis: int, reverse: bool = False) -> Any:
    # XLA's own running sum is a tree of windows: right for GPUs, five times too slow on the host, where one row is
    # added after the other.
    from jax import lax

    axis = axis % x.ndim
    return lax.platform_dependent(
        x, cpu=lambda v: _on_host(v, axis, reverse), default=lambda v: lax.cumsum(v, axis=axis, reverse=reverse)
    )


def _on_host(x: Any, axis: int, reverse: bool) -> Any:
    import jax.numpy as jnp
    from jax import lax

    n = x.shape[axis]
    if x.size <= 1024 or n < 16:
        return lax.cumsum(x, axis=axis, reverse=reverse)
    if math.prod(x.shape[axis + 1 :]) >= 16:
        return _by_rows(x, axis, reverse)
    if x.size // n >= 16:
        # few values behind the axis but many before it: bring it to the front, so that rows are long
        return jnp.moveaxis(_by_rows(lax.optimization_barrier(jnp.moveaxis(x, axis, 0)), 0, reverse), 0, axis)
    return _by_blocks(x, axis, reverse)


def _by_rows(x: Any, axis: int, reverse: bool) -> Any:
    import jax.numpy as jnp
    from jax import lax

    n = x.shape[axis]

    def step(k: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        total, y = state
        i = n - 1 - k if reverse else k
        total = total + lax.dynamic_slice_in_dim(x, i, 1, axis)
        return total, lax.dynamic_update_slice_in_dim(y, total, i, axis)

    start = jnp.zeros_like(lax.slice_in_dim(x, 0, 1, axis=axis))
    return lax.fori_loop(0, n, step, (start, jnp.zeros_like(x)))[1]


def _by_blocks(x: Any, axis: int, reverse: bool, block: int = 8) -> Any:
    """Short running sums side by side, then what came before each, which is the same task eight times smaller."""
    import jax.numpy as jnp

    x = jnp.moveaxis(x, axis, -1)
    n = x.shape[-1]
    count = -(-n // block)
    z = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, count * block - n)])
    z = jnp.moveaxis(jnp.reshape(z, (*x.shape[:-1], count, block)), -1, 0)
    z = _by_rows(z, 0, reverse)
    totals = z[0] if reverse else z[-1]
    # what came before a block is shifted in, not found by subtraction: a NaN must not reach values before it
    ends = _on_host(totals, totals.ndim - 1, reverse)
    none = jnp.zeros_like(ends[..., :1])
    z = z + (jnp.concatenate([ends[..., 1:], none], -1) if reverse else jnp.concatenate([none, ends[..., :-1]], -1))
    y = jnp.reshape(jnp.moveaxis(z, 0, -1), (*x.shape[:-1], count * block))[..., :n]
    return jnp.moveaxis(y, -1, axis)
