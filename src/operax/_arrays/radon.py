"""Sums along curves: spreading traces of a panel over the traces of another, and the adjoint.

Two forms. *Shifts*: every pair of a model trace p and a data trace h has one time shift, whole part and fraction.
*Tables*: every sample of every pair has its own place. Both directions of the first read slices of padded traces, so
nothing is gathered or scattered; both of the second work data trace by data trace.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import like
from operax._arrays.fit import cut, pad_axis
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of
from operax._arrays.scatter import scatter_add

BLOCK = 1 << 22
"""Most elements that the NumPy versions gather at a time."""


def spread_shifts(x: Array, shift: Array, fraction: Array | None) -> Array:
    """``y[h, t0 + shift[p, h]] += x[p, t0]`` along the last two axes, split between two samples by `fraction`.

    With a fraction, samples that would fall on the last sample or beyond are left out.
    """
    nt = x.shape[-1]
    if fraction is None:
        return _shifted_sum(x, shift, (None,))[0]
    near, far = _shifted_sum(x, shift, (1 - fraction, fraction))
    inside = cut(near, -1, 0, nt - 1), cut(far, -1, 0, nt - 1)
    return pad_axis(inside[0], -1, 0, 1) + pad_axis(inside[1], -1, 1, 0)


def gather_shifts(y: Array, shift: Array, fraction: Array | None) -> Array:
    """The adjoint of `spread_shifts`."""
    xp = namespace_of(shift)
    back = -xp.permute_dims(shift, (1, 0))
    if fraction is None:
        return _shifted_sum(y, back, (None,))[0]
    nt = y.shape[-1]
    w = namespace_of(fraction).permute_dims(fraction, (1, 0))
    near = pad_axis(cut(y, -1, 0, nt - 1), -1, 0, 1)
    far = pad_axis(cut(y, -1, 1, nt), -1, 0, 1)
    return _shifted_sum(near, back, (1 - w,))[0] + _shifted_sum(far, back, (w,))[0]


@Kernel
def _shifted_sum(x: Array, shift: Array, factors: tuple[Array | None, ...]) -> tuple[Array, ...]:
    """For each factor ``sum_p factor[p, h] x[p, t - shift[p, h]]``."""
    xp = namespace_of(x)
    nt = x.shape[-1]
    count, traces = shift.shape
    wide = pad_axis(x, -1, nt, nt)
    results: list[list[Array]] = [[] for _ in factors]
    shift = xp.clip(xp.astype(xp.asarray(shift), xp.int64), -nt, nt)
    for h in range(traces):
        start = nt - shift[:, h]
        index = xp.reshape(start[:, None] + xp.arange(nt)[None, :] + xp.arange(count)[:, None] * (3 * nt), (-1,))
        part = xp.take(xp.reshape(wide, (*x.shape[:-2], -1)), index, axis=-1)
        part = xp.reshape(part, (*x.shape[:-2], count, nt))
        for found, f in zip(results, factors):
            found.append(xp.sum(part if f is None else like(f, x)[:, h][:, None] * part, axis=-2))
    return tuple(xp.stack(found, axis=-2) for found in results)


@_shifted_sum.on("numpy")
def _(x: Any, shift: Any, factors: tuple[Any, ...]) -> tuple[Any, ...]:
    nt = x.shape[-1]
    count, traces = shift.shape
    shift = np.clip(shift, -nt, nt)
    reach = int(np.max(np.abs(shift), initial=0))
    wide = np.ascontiguousarray(pad_axis(x, -1, reach, reach))
    slices = np.lib.stride_tricks.sliding_window_view(wide, nt, axis=-1)
    found = [np.empty((*x.shape[:-2], traces, nt), np.result_type(x, x if f is None else like(f, x))) for f in factors]
    step = max(1, BLOCK // max(1, x.size))
    each = np.arange(count)[:, None]
    for a in range(0, traces, step):
        part = slices[..., each, reach - shift[:, a : a + step], :]
        for out, f in zip(found, factors):
            if f is None:
                out[..., a : a + step, :] = part.sum(axis=-3)
            else:
                out[..., a : a + step, :] = np.einsum("ph,...pht->...ht", like(f, x)[:, a : a + step], part)
    return tuple(found)


@_shifted_sum.on("jax")
def _(x: Any, shift: Any, factors: tuple[Any, ...]) -> tuple[Any, ...]:
    import jax
    import jax.numpy as jnp

    nt = x.shape[-1]
    count, traces = shift.shape
    batch = x.shape[:-2]
    wide = pad_axis(x, -1, nt, nt)
    starts = (nt - jnp.clip(jnp.asarray(shift), -nt, nt)).astype(jnp.int32)
    ws = [None if f is None else like(f, x) for f in factors]
    dtypes = [x.dtype if w is None else jnp.result_type(x, w) for w in ws]

    def trace(h: Any, found: tuple[Any, ...]) -> tuple[Any, ...]:
        def one(p: Any, sums: tuple[Any, ...]) -> tuple[Any, ...]:
            at = (jnp.int32(0),) * len(batch) + (p.astype(jnp.int32), starts[p, h])
            part = jax.lax.dynamic_slice(wide, at, (*batch, 1, nt)).reshape(*batch, nt)
            return tuple(s + (part if w is None else w[p, h] * part) for s, w in zip(sums, ws))

        sums = jax.lax.fori_loop(0, count, one, tuple(jnp.zeros((*batch, nt), d) for d in dtypes))
        return tuple(
            jax.lax.dynamic_update_slice_in_dim(f, s[..., None, :], h, len(batch)) for f, s in zip(found, sums)
        )

    empty = tuple(jnp.zeros((*batch, traces, nt), d) for d in dtypes)
    return jax.lax.fori_loop(0, traces, trace, empty)


@Kernel
def spread_table(x: Array, index: Array, near: Array, far: Array | None) -> Array:
    """``y[h, index[h, p, t0]] += near[h, p, t0] x[p, t0]``, and `far` one sample later."""
    xp = namespace_of(x)
    return xp.stack(
        [
            _spread_one(x, index[h, ...], near[h, ...], None if far is None else far[h, ...])
            for h in range(index.shape[0])
        ],
        axis=-2,
    )


def _spread_one(x: Array, index: Array, near: Array, far: Array | None) -> Array:
    xp = namespace_of(x)
    nt = x.shape[-1]
    batch = x.shape[:-2]
    index = xp.reshape(index, (-1,))
    y = scatter_add(xp.reshape(like(near, x) * x, (*batch, -1)), index, nt)
    if far is not None:
        y = y + scatter_add(xp.reshape(like(far, x) * x, (*batch, -1)), index + 1, nt)
    return y


@Kernel
def gather_table(y: Array, index: Array, near: Array, far: Array | None) -> Array:
    """The adjoint of `spread_table`."""
    total = _gather_one(y[..., 0, :], index[0, ...], near[0, ...], None if far is None else far[0, ...])
    for h in range(1, index.shape[0]):
        total = total + _gather_one(y[..., h, :], index[h, ...], near[h, ...], None if far is None else far[h, ...])
    return total


def _gather_one(y: Array, index: Array, near: Array, far: Array | None) -> Array:
    xp = namespace_of(y)
    flat = xp.reshape(index, (-1,))
    shape = (*y.shape[:-1], *index.shape)
    x = like(near, y) * xp.reshape(xp.take(y, xp.asarray(flat), axis=-1), shape)
    if far is not None:
        x = x + like(far, y) * xp.reshape(xp.take(y, xp.asarray(flat + 1), axis=-1), shape)
    return x


@spread_table.on("jax")
def _(x: Any, index: Any, near: Any, far: Any) -> Any:
    import jax
    import jax.numpy as jnp

    def one(row: Any) -> Any:
        return _spread_one(x, row[0], row[1], row[2] if far is not None else None)

    rows = (index, near) if far is None else (index, near, far)
    return jnp.moveaxis(jax.lax.map(one, rows), 0, -2)


@gather_table.on("jax")
def _(y: Any, index: Any, near: Any, far: Any) -> Any:
    import jax
    import jax.numpy as jnp

    def one(total: Any, row: Any) -> tuple[Any, None]:
        return total + _gather_one(row[0], row[1], row[2], row[3] if far is not None else None), None

    rows = (jnp.moveaxis(y, -2, 0), index, near) + (() if far is None else (far,))
    first = jnp.zeros((*y.shape[:-2], *index.shape[1:]), jnp.result_type(y, like(near, y)))
    return jax.lax.scan(one, first, rows)[0]
