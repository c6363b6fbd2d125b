"""Products with a banded matrix along one axis, cut into dense blocks of rows: the work of a matrix product.

``y[t] = sum_s rows[t, s] x[t - before + s]``, zeros outside. A block of `B` rows reads ``B + len(row) - 1`` samples, so
the blocks hold up to twice as many numbers as the band; a matrix product is so much faster than shifted additions that
this wins from a few taps on NumPy, from about 32 on XLA, and until FFTs win at some hundreds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from operax._arrays.fit import cut, pad_axis
from operax._arrays.keep import keep
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

UNROLLED = 16
"""Most blocks that are written out one by one under XLA."""


def block_size(n: int, taps: int) -> int:
    """Rows of a block: few waste little work on zeros, many make large products."""
    return min(64 if taps <= 128 else 128, max(n, 1))


def blocks_of(rows: Array, size: int) -> Array:
    """Rows of ``(count * size, taps)`` moved right by their places in blocks: ``(count, size, size + taps - 1)``."""
    xp = namespace_of(rows)
    taps = rows.shape[1]
    wide = pad_axis(xp.reshape(rows, (-1, size, taps)), 2, 0, size)
    # a line that is one longer than the next one's start moves everything by one
    flat = cut(xp.reshape(wide, (-1, size * (taps + size))), 1, 0, size * (taps + size - 1))
    return xp.reshape(flat, (-1, size, taps + size - 1))


def _blocks(rows: Array, n: int, size: int) -> Array:
    """Blocks that cover `n` rows, or the one block that serves everywhere where there is one row."""
    xp = namespace_of(rows)
    if rows.shape[0] == 1:
        return blocks_of(xp.broadcast_to(rows, (size, rows.shape[1])), size)
    return blocks_of(pad_axis(rows, 0, 0, -n % size), size)


def _spans(n: int, size: int, width: int, before: int, length: int) -> Iterator[tuple[int, slice, slice, slice]]:
    """For each block its number, its rows of the `n` results, those of `length` samples it reads, and its columns."""
    for j, start in enumerate(range(0, n, size)):
        first = start - before
        low = min(max(first, 0), length)
        high = max(min(first + width, length), low)
        yield j, slice(start, min(start + size, n)), slice(low, high), slice(low - first, high - first)


@Kernel
def banded(x: Array, rows: Array, before: int, axis: int) -> Array:
    """The product along `axis` with the matrix of `rows`: ``(n, taps)``, or ``(1, taps)`` where all are equal."""
    xp = namespace_of(x)
    n = x.shape[axis]
    lines = xp.moveaxis(x, axis, -1)
    size = block_size(n, rows.shape[1])
    blocks = _blocks(rows, n, size)
    parts = []
    for j, result, reads, columns in _spans(n, size, blocks.shape[2], before, n):
        block = blocks[j % blocks.shape[0], : result.stop - result.start, columns]
        parts.append(xp.matmul(lines[..., reads], xp.matrix_transpose(block)))
    return xp.moveaxis(xp.concat(parts, axis=-1), -1, axis)


@banded.on("numpy")
def _(x: Any, rows: Any, before: int, axis: int) -> Any:
    axis %= x.ndim
    n, inner = x.shape[axis], math.prod(x.shape[axis + 1 :])
    if 1 < inner < 32:  # matrix products with few columns: the axis goes last
        return np.moveaxis(banded(np.moveaxis(x, axis, -1), rows, before, -1), -1, axis)
    size = block_size(n, rows.shape[1])
    blocks = _blocks(rows, n, size)
    slabs = np.ascontiguousarray(x).reshape(-1, n, inner)
    if inner == 1 and len(slabs) < 32 and len(blocks) == 1:
        return _few_lines(slabs[..., 0], blocks[0], before).reshape(x.shape)
    out = np.empty(slabs.shape, np.result_type(x, rows))
    for j, result, reads, columns in _spans(n, size, blocks.shape[2], before, n):
        block = blocks[j % len(blocks), : result.stop - result.start, columns]
        if inner == 1:
            np.matmul(slabs[:, reads, 0], block.T, out=out[:, result, 0])
        else:
            np.matmul(block, slabs[:, reads], out=out[:, result])
    return out.reshape(x.shape)


def _few_lines(lines: np.ndarray, block: np.ndarray, before: int) -> np.ndarray:
    """Long lines cut in pieces side by side: each piece meets the part of the block for itself and those behind it."""
    count, n = lines.shape
    size, width = block.shape
    pieces, behind = -(-n // size), -(-width // size) - 1
    padded = pad_axis(lines, 1, before, (pieces + behind) * size - n - before).reshape(count, -1, size)
    total = np.zeros((count, pieces, size), np.result_type(lines, block))
    for i in range(behind + 1):
        part = block[:, i * size : (i + 1) * size]
        total += padded[:, i : i + pieces, : part.shape[1]] @ part.T
    return cut(total.reshape(count, -1), 1, 0, n)


@banded.on("jax")
def _(x: Any, rows: Any, before: int, axis: int) -> Any:
    import jax.numpy as jnp

    axis %= x.ndim
    n, taps = x.shape[axis], rows.shape[1]
    size = block_size(n, taps)
    if rows.shape[0] > 1:
        return _batched_products(x, rows, before, axis, size)
    chunk = UNROLLED * size
    if n <= chunk:
        return _block_products(x, rows, before, axis, n, size)
    # long lines become many short ones that overlap by a filter, so that the program does not grow
    lines = jnp.moveaxis(x, axis, -1)
    y = _block_products(_overlapping(lines, -1, chunk, taps - 1, before), rows, 0, -1, chunk, size)
    return jnp.moveaxis(cut(y.reshape(*lines.shape[:-1], -1), -1, 0, n), -1, axis)


def _overlapping(x: Any, axis: int, size: int, more: int, before: int) -> Any:
    """`axis` cut into pieces of `size` and the `more` samples behind each, the first one from ``-before`` (JAX)."""
    import jax.numpy as jnp

    axis %= x.ndim
    n = x.shape[axis]
    count, behind = -(-n // size), -(-more // size)
    padded = pad_axis(x, axis, before, (count + behind) * size - n - before)
    pieces = padded.reshape(*x.shape[:axis], count + behind, size, *x.shape[axis + 1 :])
    parts = [cut(pieces, axis, i, i + count) for i in range(behind + 1)]
    parts[-1] = cut(parts[-1], axis + 1, 0, more - (behind - 1) * size)
    return jnp.concatenate(parts, axis + 1)


def _block_products(x: Any, rows: Any, before: int, axis: int, n: int, size: int) -> Any:
    """The first `n` rows of the product with equal rows, block by block (JAX)."""
    import jax.numpy as jnp

    columnwise = axis == 0 and x.ndim > 1
    lines = x.reshape(x.shape[0], -1) if columnwise else jnp.moveaxis(x, axis, -1)
    # stored once; XLA would make the block anew for every product
    whole = keep(_blocks(rows, n, size))[0]
    parts = []
    for _, result, reads, columns in _spans(n, size, whole.shape[1], before, x.shape[axis]):
        block = whole[: result.stop - result.start, columns]
        # the default precision of products on accelerators has ten bits
        if columnwise:
            parts.append(jnp.matmul(block, lines[reads], precision="highest"))
        else:
            parts.append(jnp.matmul(lines[..., reads], block.T, precision="highest"))
    if columnwise:
        return jnp.concatenate(parts).reshape(n, *x.shape[1:])
    return jnp.moveaxis(jnp.concatenate(parts, -1), -1, axis)


def _batched_products(x: Any, rows: Any, before: int, axis: int, size: int) -> Any:
    """The product with rows that differ, all blocks in one batch (JAX)."""
    import jax.numpy as jnp

    n = x.shape[axis]
    columns = jnp.moveaxis(x, axis, 0).reshape(n, -1)
    pieces = _overlapping(columns, 0, size, rows.shape[1] - 1, before)
    y = jnp.matmul(_blocks(rows, n, size), pieces, precision="highest").reshape(-1, columns.shape[1])
    return jnp.moveaxis(cut(y, 0, 0, n).reshape(n, *x.shape[:axis], *x.shape[axis + 1 :]), 0, axis)
