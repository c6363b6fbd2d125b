"""Sums with phases that grow with frequency: the kernel of Radon transforms in the frequency domain."""

from __future__ import annotations

from typing import Any

from operax._arrays.dtypes import like
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

_TABLE = 1 << 16
"""Phases a block: they are made in blocks of frequencies that stay in the cache, never all at once."""


def phase_sum(x: Array, turns: Array, start: int = 0) -> Array:
    """``y[k, ..., i] = sum_j exp(2 pi i (start + k) turns[i, j]) x[k, ..., j]``, frequencies k along the first axis.

    `turns` are in cycles. The phases of a block of frequencies are those of its first one times a table that all
    blocks share, which takes two sines where there were as many as frequencies.
    """
    xp = namespace_of(x)
    count = x.shape[0]
    size = max(min(_TABLE // max(turns.shape[0] * turns.shape[1], 1), count, round(count**0.5)), 1)
    blocks = -(-count // size)
    if blocks * size > count:
        x = xp.concat([x, xp.zeros((blocks * size - count, *x.shape[1:]), dtype=x.dtype)])
    table = _phases(x, turns, size)
    y = _by_blocks(xp.reshape(x, (blocks, size, -1, x.shape[-1])), turns, table, start)
    return xp.reshape(y, (blocks * size, *x.shape[1:-1], turns.shape[0]))[:count, ...]


def _phases(x: Array, turns: Array, count: int) -> Array:
    """``exp(2 pi i k turns)`` for k = 0 .. count - 1, as ``(count, inputs, outputs)`` in the precision of `x`."""
    xp = namespace_of(x)
    k = like(xp.asarray([float(k) for k in range(count)]), turns)
    return _unit(x, k[:, None, None] * xp.matrix_transpose(turns))


def _unit(x: Array, cycles: Array) -> Array:
    xp = namespace_of(x)
    cycles = cycles - xp.round(cycles)  # reduced before the precision is
    phase = 2 * xp.pi * like(cycles, x)
    return xp.cos(phase) + 1j * xp.sin(phase)


@Kernel
def _by_blocks(x: Array, turns: Array, table: Array, start: int) -> Array:
    """The sums of all blocks: `x` of shape ``(blocks, size, batch, inputs)``."""
    xp = namespace_of(x)
    size = x.shape[1]
    found = []
    for b in range(x.shape[0]):
        first = _unit(x, float(start + b * size) * xp.matrix_transpose(turns))
        found.append(xp.matmul(x[b, ...], table * first))
    return xp.stack(found)


@_by_blocks.on("jax")
def _(x: Any, turns: Any, table: Any, start: int) -> Any:
    import jax
    import jax.numpy as jnp

    size = x.shape[1]

    # rematerialised in reverse mode: the phases of all blocks together would not fit
    @jax.checkpoint
    def block(operands: Any) -> Any:
        frequency, values = operands
        first = _unit(x, frequency * turns.T)
        return jnp.matmul(values, table * first)

    frequencies = start + size * jnp.arange(x.shape[0], dtype=turns.dtype)
    return jax.lax.map(block, (frequencies, x))
