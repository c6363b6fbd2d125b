"""Spreading of samples along slopes to the traces on both sides, and its transpose."""

from __future__ import annotations

from typing import Any

from operax._arrays.dtypes import is_complex, like
from operax._arrays.gather import gather
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of
from operax._arrays.scatter import scatter_add


def depths(slopes: Array) -> Array:
    """``sum of slopes[i, :j]``: the way from the first trace to each of the ``nx + 1`` edges, row by row."""
    xp = namespace_of(slopes)
    ways = [xp.zeros_like(slopes[:, :1])]
    if slopes.shape[1] > 1:
        ways.append(xp.cumulative_sum(slopes[:, :-1], axis=1))
    return xp.concat(ways, axis=1)


def _ray(ways: Array, alpha: Array, step: Any, x: Array) -> tuple[Array, Array, Array, Array]:
    """Where samples arrive `step` traces on: flat indices above and below, and the weights of both.

    Rays that leave the section stay at its first or last row until they come back; those that leave through its sides
    weigh nothing.
    """
    xp = namespace_of(ways)
    nz, nx = ways.shape
    trace = xp.arange(nx) + step
    inside = (trace >= 0) & (trace < nx)
    trace = xp.clip(trace, 0, nx - 1)
    row = xp.astype(xp.arange(nz), ways.dtype)[:, None] + xp.take(ways, trace, axis=1) - ways
    row = xp.clip(row, 0.0, float(nz - 1))
    above = xp.clip(xp.floor(row), 0.0, float(max(nz - 2, 0)))
    part = like(row - above, x)
    weight = xp.where(inside, like(alpha, x) ** abs(step), xp.zeros_like(part[0, :]))
    first = xp.astype(above, xp.int32) * nx + xp.astype(trace, xp.int32)
    second = xp.clip(first + nx, 0, nz * nx - 1) if nz > 1 else first
    flat = (xp.reshape(v, (-1,)) for v in (first, second, weight * (1 - part), weight * part))
    above_index, below_index, above_weight, below_weight = flat
    return above_index, below_index, above_weight, below_weight


def _real(x: Array) -> Array:
    return namespace_of(x).real(x) if is_complex(x) else x


@Kernel
def spray(x: Array, ways: Array, alpha: Array, radius: int, transposed: bool = False) -> Array:
    """`x` of shape ``(..., nz nx)`` and what it leaves, times ``alpha^steps``, on `radius` traces on both sides."""
    total, real = x, _real(x)
    for step in (*range(-radius, 0), *range(1, radius + 1)):
        total = total + _once(x, *_ray(ways, alpha, step, real), transposed)
    return total


def _once(x: Array, above: Array, below: Array, first: Array, second: Array, transposed: bool) -> Array:
    if transposed:
        return first * gather(x, above, -1) + second * gather(x, below, -1)
    size = x.shape[-1]
    return scatter_add(first * x, above, size) + scatter_add(second * x, below, size)


@spray.on("jax")
def _(x: Any, ways: Any, alpha: Any, radius: int, transposed: bool = False) -> Any:
    import jax
    import jax.numpy as jnp

    if radius == 0:
        return x
    real = jnp.zeros((), jnp.finfo(x.dtype).dtype)

    @jax.checkpoint
    def once(total: Any, step: Any) -> Any:
        return total + _once(x, *_ray(ways, alpha, step, real), transposed), None

    steps = jnp.asarray([*range(-radius, 0), *range(1, radius + 1)], jnp.int32)
    return jax.lax.scan(once, x, steps)[0]
