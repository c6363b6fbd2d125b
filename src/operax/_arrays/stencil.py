"""Finite differences: one kernel for every stencil along an axis and for its adjoint.

A stencil is a banded matrix whose rows are constant in pieces: a few rows at each edge, one long piece between. The
transpose of such a matrix is of the same form, so forward and adjoint are one code with two specifications.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from operax._arrays.dtypes import floating
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

Taps = tuple[tuple[int, float], ...]
"""``(offset, weight)`` pairs: a row is ``y[i] = sum(weight * x[i + offset])``."""

Groups = tuple[tuple[float, tuple[tuple[int, bool], ...]], ...]
"""Taps of one absolute weight together, each with whether it is subtracted."""

_BLOCK = 1 << 15
"""Values a block in the NumPy version: input, output and scratch of a block stay in the second-level cache."""


@dataclass(frozen=True)
class Stencil:
    """A square banded matrix with piecewise constant rows.

    Parameters
    ----------
    n
        Number of rows and columns.
    pieces
        ``(start, stop, taps)`` for consecutive row ranges that cover ``0..n``; rows without taps are zero.
    """

    n: int
    pieces: tuple[tuple[int, int, Taps], ...]

    @functools.cached_property
    def T(self) -> Stencil:
        """The transposed matrix."""
        return _transposed(self)

    @functools.cached_property
    def grouped(self) -> tuple[tuple[int, int, Groups], ...]:
        """The pieces with their taps as `_piece` takes them."""
        return tuple((start, stop, _groups(taps)) for start, stop, taps in self.pieces)

    def scaled(self, factor: float) -> Stencil:
        """The matrix times a number."""
        pieces = tuple((a, b, tuple((o, w * factor) for o, w in taps)) for a, b, taps in self.pieces)
        return Stencil(self.n, pieces)


def stencil_of(n: int, taps: Taps, before: int, after: int, edges: dict[int, Taps] | None = None) -> Stencil:
    """The stencil with `taps` on all rows but the first `before` and the last `after`.

    Those rows are zero, or as `edges` says: taps by row number, negative numbers counting from the end.
    """
    special: dict[int, Taps] = {i: () for i in (*range(min(before, n)), *range(max(n - after, 0), n))}
    for row, row_taps in (edges or {}).items():
        row = row + n if row < 0 else row
        if not 0 <= row < n or any(not 0 <= row + offset < n for offset, _ in row_taps):
            raise ValueError(f"an axis of {n} sample(s) is too short for the one-sided stencils of edge=True")
        special[row] = tuple(row_taps)
    pieces: list[tuple[int, int, Taps]] = []
    i = 0
    for row in sorted(special):
        if i < row:
            _append(pieces, i, row, tuple(taps))
        _append(pieces, row, row + 1, special[row])
        i = row + 1
    if i < n:
        _append(pieces, i, n, tuple(taps))
    return Stencil(n, tuple(pieces))


def _append(pieces: list[tuple[int, int, Taps]], start: int, stop: int, taps: Taps) -> None:
    """A row range, joined with the one before where their taps are the same."""
    if pieces and pieces[-1][2] == taps:
        start = pieces.pop()[0]
    pieces.append((start, stop, taps))


@functools.lru_cache(maxsize=1024)
def _transposed(s: Stencil) -> Stencil:
    # where the row ranges start and stop after each tap has moved them, the transposed rows change
    cuts = {0, s.n}
    for start, stop, taps in s.pieces:
        for offset, _ in taps:
            cuts |= {start + offset, stop + offset}
    bounds = sorted(c for c in cuts if 0 <= c <= s.n)
    pieces: list[tuple[int, int, Taps]] = []
    for a, b in itertools.pairwise(bounds):
        row: dict[int, float] = {}
        for start, stop, taps in s.pieces:
            for offset, weight in taps:
                if start <= a - offset < stop:
                    row[-offset] = row.get(-offset, 0.0) + weight
        _append(pieces, a, b, tuple(sorted(row.items())))
    return Stencil(s.n, tuple(pieces))


@Kernel
def apply_stencil(x: Array, stencil: Stencil, axis: int) -> Array:
    """The product with a stencil along `axis` (negative: counted from the end, so that batch axes may stand in front).

    Generic version: the rows of each piece from slices, joined.
    """
    xp = namespace_of(x)
    x = floating(x)
    front = (slice(None),) * (x.ndim + axis)
    parts = []
    for start, stop, taps in stencil.pieces:
        if not taps:
            parts.append(xp.zeros_like(x[(*front, slice(start, stop), ...)]))
            continue
        part = None
        for offset, weight in taps:
            term = x[(*front, slice(start + offset, stop + offset), ...)]
            term = term if weight == 1 else term * weight
            part = term if part is None else part + term
        parts.append(part)
    return xp.concat(parts, axis=axis) if parts else x


@apply_stencil.on("jax")
def _(x: Any, stencil: Stencil, axis: int) -> Any:
    # Whole-array shifts (negative padding) and a choice by row number: one fusion, nothing but the output in memory,
    # nearest-neighbour exchange where the axis is spread over devices. Joining slices runs as fast on one device but
    # exchanges whole shards.
    import jax.numpy as jnp
    from jax import lax

    x = floating(x)
    axis = axis % x.ndim
    offsets = {offset for _, _, taps in stencil.pieces for offset, _ in taps}
    nothing = jnp.zeros((), x.dtype)

    def shift(offset: int) -> Any:
        if offset == 0:
            return x
        return lax.pad(x, nothing, [(-offset, offset, 0) if a == axis else (0, 0, 0) for a in range(x.ndim)])

    if not stencil.pieces:
        return x
    moved = {offset: shift(offset) for offset in offsets}
    row = lax.broadcasted_iota(jnp.int32, x.shape, axis)
    y = None
    for _start, stop, taps in reversed(stencil.pieces):
        values: Any = None
        for offset, weight in taps:
            term = moved[offset] if weight == 1 else moved[offset] * weight
            values = term if values is None else values + term
        values = jnp.zeros_like(x) if values is None else values
        y = values if y is None else jnp.where(row < stop, values, y)
    return y


@apply_stencil.on("numpy")
def _(x: Any, stencil: Stencil, axis: int) -> Any:
    if x.dtype.kind not in "fc" or not x.flags.c_contiguous:
        x = np.ascontiguousarray(floating(x))
    out = np.empty_like(x)
    write_stencil(x, stencil, axis, out, add=False)
    return out


def write_stencil(x: np.ndarray, stencil: Stencil, axis: int, out: np.ndarray, add: bool) -> None:
    """The NumPy version into a given C-contiguous `out`; `add` adds to what is there."""
    n = stencil.n
    axis = axis % x.ndim
    inner = math.prod(x.shape[axis + 1 :])
    width = n * inner
    if x.size == 0:
        return
    outer = x.size // width
    xs, ys = x.reshape(-1), out.reshape(-1)
    scratch = np.empty(min(_BLOCK, x.size), x.dtype)
    if outer == 1 or width >= _BLOCK // 8:
        for base in range(0, x.size, width):
            for start, stop, groups in stencil.grouped:
                if inner == 1 and stop - start <= 2 and not add:
                    for row in range(base + start, base + stop):
                        ys[row] = _row(xs, row, groups)
                    continue
                _piece(xs, ys, base + start * inner, base + stop * inner, inner, groups, scratch, add)
        return
    # Short slabs: many at once as if their borders were not there, then the rows at the borders again.
    main = max(stencil.pieces, key=lambda piece: (bool(piece[2]), piece[1] - piece[0]))
    reach = [offset * inner for offset, _ in main[2]] or [0]
    low, high = -min(0, *reach), max(0, *reach)
    per = max(1, _BLOCK // width)
    x3, y3 = x.reshape(outer, n, inner), out.reshape(outer, n, inner)
    block = np.empty((min(per, outer), n, inner), x.dtype) if add else None
    for s in range(0, outer, per):
        e = min(s + per, outer)
        a, b = max(s * width, low), min(e * width, x.size - high)
        if block is None:
            rows, flat, base = y3[s:e], ys, 0
        else:
            rows, flat, base = block[: e - s], block[: e - s].reshape(-1), s * width
        if a < b:
            with np.errstate(all="ignore"):  # sums across borders are thrown away
                _piece(xs, flat, a, b, inner, _groups(main[2]), scratch, False, base)
        for piece in stencil.pieces:
            start, stop, taps = piece
            if piece is main:
                continue
            if not taps:
                rows[:, start:stop] = 0
                continue
            for k, (offset, weight) in enumerate(taps):
                term = x3[s:e, start + offset : stop + offset]
                if k:
                    rows[:, start:stop] += weight * term
                else:
                    np.multiply(term, weight, out=rows[:, start:stop])
        if block is not None:
            y3[s:e] += rows


@functools.lru_cache(maxsize=1024)
def _groups(taps: Taps) -> Groups:
    """Taps of one absolute weight together: they are added first and multiplied once. True marks a subtraction."""
    found: dict[float, list[tuple[int, float]]] = {}
    for offset, weight in taps:
        found.setdefault(abs(weight), []).append((offset, weight))
    groups = []
    for size, members in found.items():
        members.sort(key=lambda member: -member[1])  # a positive one first
        sign = 1.0 if members[0][1] > 0 else -1.0
        groups.append((sign * size, tuple((offset, weight * sign < 0) for offset, weight in members)))
    return tuple(groups)


def _piece(
    xs: np.ndarray,
    ys: np.ndarray,
    start: int,
    stop: int,
    inner: int,
    groups: Groups,
    scratch: np.ndarray,
    add: bool,
    base: int = 0,
) -> None:
    """One row range of flattened arrays, block by block; `ys` begins at `base` of `xs`."""
    if not groups:
        if not add:
            ys[start - base : stop - base] = 0
        return
    for a in range(start, stop, _BLOCK):
        b = min(a + _BLOCK, stop)
        out = ys[a - base : b - base]
        for k, (weight, members) in enumerate(groups):
            target = out if k == 0 and not add else scratch[: b - a]
            offset = members[0][0] * inner
            first = xs[a + offset : b + offset]
            if len(members) == 1:
                np.multiply(first, weight, out=target)
            else:
                for offset, minus in members[1:]:
                    other = xs[a + offset * inner : b + offset * inner]
                    (np.subtract if minus else np.add)(first, other, out=target)
                    first = target
                if weight != 1:
                    target *= weight
            if target is not out:
                out += target


def _row(xs: np.ndarray, row: int, groups: Groups) -> Any:
    """One row as a number: on short vectors the rows at the edges would cost more than the rest."""
    total: Any = 0
    for weight, members in groups:
        for offset, minus in members:
            term = xs[row + offset] * weight
            total = total - term if minus else total + term
    return total


@Kernel
def sum_stencils(x: Array, stencils: tuple[Stencil, ...], axes: tuple[int, ...]) -> Array:
    """The sum of stencils, each along its own axis (negative). Generic version: one after the other."""
    total = None
    for stencil, axis in zip(stencils, axes):
        part = apply_stencil(x, stencil, axis)
        total = part if total is None else total + part
    return total


@sum_stencils.on("numpy")
def _(x: Any, stencils: tuple[Stencil, ...], axes: tuple[int, ...]) -> Any:
    x = np.ascontiguousarray(floating(x))
    out = np.empty_like(x)
    for k, (stencil, axis) in enumerate(zip(stencils, axes)):
        write_stencil(x, stencil, axis, out, add=k > 0)
    return out


@Kernel
def stack_stencils(x: Array, stencils: tuple[Stencil, ...]) -> Array:
    """One stencil along each of the trailing axes; the results stacked on a new axis before them."""
    n = len(stencils)
    parts = [apply_stencil(x, stencil, k - n) for k, stencil in enumerate(stencils)]
    return namespace_of(x).stack(parts, axis=-n - 1)


@stack_stencils.on("numpy")
def _(x: Any, stencils: tuple[Stencil, ...]) -> Any:
    n = len(stencils)
    x = np.ascontiguousarray(floating(x))
    if x.ndim > n:
        return np.stack([apply_stencil(x, stencil, k - n) for k, stencil in enumerate(stencils)], axis=-n - 1)
    out = np.empty((n, *x.shape), x.dtype)
    for k, stencil in enumerate(stencils):
        write_stencil(x, stencil, k - n, out[k], add=False)
    return out


@Kernel
def unstack_stencils(y: Array, stencils: tuple[Stencil, ...]) -> Array:
    """The sum of the stencils, each along its axis of its own slice of `y`: with transposed stencils the adjoint."""
    n = len(stencils)
    total = None
    for k, stencil in enumerate(stencils):
        part = apply_stencil(y[(..., k, *(slice(None),) * n)], stencil, k - n)
        total = part if total is None else total + part
    return total


@unstack_stencils.on("numpy")
def _(y: Any, stencils: tuple[Stencil, ...]) -> Any:
    n = len(stencils)
    y = floating(y)
    out = np.empty((*y.shape[: y.ndim - n - 1], *y.shape[y.ndim - n :]), y.dtype)
    for k, stencil in enumerate(stencils):
        part = np.ascontiguousarray(y[(..., k, *(slice(None),) * n)])
        write_stencil(part, stencil, k - n, out, add=k > 0)
    return out
