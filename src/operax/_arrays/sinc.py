"""Sinc interpolation at samples shifted by different fractions, one set of shifts after the other."""

from __future__ import annotations

from typing import Any

from operax._arrays.dtypes import is_complex, like
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

_TABLE = 1 << 20
"""Weights of a block of traces."""


def sinc_weights(shifts: Array, x: Array) -> Array:
    """``sinc(i + shifts[..., i] - j)`` as ``(..., i, j)`` in the precision of `x`.

    With the shift split into a whole number and a rest of at most a half, the sines of all j are one up to their sign.
    """
    xp = namespace_of(x)
    n = shifts.shape[-1]
    whole = xp.round(shifts)
    rest = like(shifts - whole, x)[..., None]
    i = xp.astype(xp.arange(n), rest.dtype)
    distance = i[:, None] - i[None, :] + like(whole, x)[..., None]
    here = distance == 0
    # a rest of zero would make 0/0 at the sample itself, also in the derivative
    angle = xp.pi * xp.where(rest == 0, 1.0, rest)
    own = xp.where(rest == 0, 1.0 - (xp.pi * rest) ** 2 / 6, xp.sin(angle) / angle)
    others = (1.0 - 2.0 * (distance % 2)) * xp.sin(xp.pi * rest) / (xp.pi * xp.where(here, 1.0, distance + rest))
    return xp.where(here, own, others)


@Kernel
def sinc_path(x: Array, shifts: Array, transposed: bool = False) -> Array:
    """`x` of shape ``(..., n, nt)`` interpolated with each of `shifts` of shape ``(steps, n, nt)`` in turn.

    `transposed` gives the transpose.
    """
    xp = namespace_of(x)
    steps, n, nt = shifts.shape
    count = max(_TABLE // (nt * nt), 1)
    for k in reversed(range(steps)) if transposed else range(steps):
        parts = []
        for first in range(0, n, count):
            block = slice(first, min(first + count, n))
            weights = sinc_weights(shifts[k, block, :], xp.real(x) if is_complex(x) else x)
            weights = xp.matrix_transpose(weights) if transposed else weights
            parts.append(xp.matmul(xp.astype(weights, x.dtype), x[..., block, :, None])[..., 0])
        x = xp.concat(parts, axis=-2)
    return x


@sinc_path.on("jax")
def _(x: Any, shifts: Any, transposed: bool = False) -> Any:
    import jax
    import jax.numpy as jnp

    steps, n, nt = shifts.shape
    real = jnp.zeros((), jnp.finfo(x.dtype).dtype)
    count = max(_TABLE // (nt * nt), 1)

    # weights are made anew in reverse mode: those of all traces and steps would not fit
    @jax.checkpoint
    def trace(operands: Any) -> Any:
        values, own = operands
        weights = sinc_weights(own, real)
        return values @ (weights if transposed else weights.T).astype(values.dtype)

    def step(values: Any, own: Any) -> Any:
        if n <= count:
            return jax.vmap(trace)((values, own)), None
        return jax.lax.map(trace, (values, own), batch_size=count), None

    values = jnp.moveaxis(x, -2, 0)
    if steps == 1:
        values, _ = step(values, shifts[0])
    else:
        values, _ = jax.lax.scan(step, values, shifts, reverse=transposed)
    return jnp.moveaxis(values, 0, -2)
