"""Banks of filters with different outputs interleaved, over signals extended by reflection, along the last axis."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from operax._arrays.dtypes import like
from operax._arrays.fit import cut, pad_axis
from operax._arrays.gather import accumulate, gather
from operax._arrays.namespace import Array, namespace_of


class Row(NamedTuple):
    """One output: ``y[q] = sum_m h[taps[m]] x[stride q + start + spacing m]``."""

    taps: tuple[int, ...]
    start: int
    spacing: int


class Bank(NamedTuple):
    """Outputs ``rows`` of one input, interleaved: output ``r`` gives ``y[len(rows) q + r]``."""

    stride: int
    rows: tuple[Row, ...]

    def margins(self) -> tuple[int, int]:
        """How far the taps reach beyond the first and the last block of `stride` samples, in whole blocks."""
        first = min(row.start for row in self.rows)
        last = max(row.start + row.spacing * (len(row.taps) - 1) for row in self.rows)
        blocks = -(min(first, 0) // self.stride), max(last // self.stride, 0)
        return blocks[0] * self.stride, blocks[1] * self.stride


def reflected(index: np.ndarray, before: int, after: int) -> np.ndarray:
    """`index` continued by reflection at its ends, which are repeated (half-sample symmetry), as often as needed."""
    n = len(index)
    at = np.arange(-before, n + after) % (2 * n)
    return index[np.minimum(at, 2 * n - 1 - at)].astype(np.int32)


def bank_forward(x: Array, filters: Sequence[Array], bank: Bank, index: np.ndarray) -> Array:
    """The outputs for ``x[..., index]``, extended by reflection; filter ``filters[r]`` makes output ``r``."""
    xp = namespace_of(x)
    before, after = bank.margins()
    wide = gather(x, reflected(index, before, after), -1)
    count = len(index) // bank.stride
    blocks = xp.reshape(wide, (*wide.shape[:-1], -1, bank.stride))
    outputs = []
    for row, h in zip(bank.rows, filters):
        terms = []
        for m, tap in enumerate(row.taps):
            block, phase = divmod(before + row.start + row.spacing * m, bank.stride)
            terms.append(like(h[tap], x) * blocks[..., block : block + count, phase])
        outputs.append(functools.reduce(operator.add, terms))
    return xp.reshape(xp.stack(outputs, axis=-1), (*x.shape[:-1], count * len(bank.rows)))


def bank_transposed(y: Array, filters: Sequence[Array], bank: Bank, index: np.ndarray, size: int) -> Array:
    """The transpose of `bank_forward`, to a signal of `size` samples."""
    xp = namespace_of(y)
    before, after = bank.margins()
    count = len(index) // bank.stride
    total = (before + after) // bank.stride + count
    outputs = xp.reshape(y, (*y.shape[:-1], count, len(bank.rows)))
    phases: list[list[Array]] = [[] for _ in range(bank.stride)]
    for r, (row, h) in enumerate(zip(bank.rows, filters)):
        output = outputs[..., r]
        for m, tap in enumerate(row.taps):
            block, phase = divmod(before + row.start + row.spacing * m, bank.stride)
            phases[phase].append(pad_axis(like(h[tap], y) * output, output.ndim - 1, block, total - block - count))
    zero = xp.zeros((*y.shape[:-1], total), dtype=y.dtype)
    wide = xp.stack([functools.reduce(operator.add, terms, zero) for terms in phases], axis=-1)
    wide = cut(xp.reshape(wide, (*y.shape[:-1], total * bank.stride)), y.ndim - 1, 0, len(index) + before + after)
    return accumulate(wide, reflected(index, before, after), size, -1)
