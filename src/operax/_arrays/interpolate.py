"""Weighted gathers along an axis and their adjoints, and the solve that cubic splines need."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from operax._arrays.dtypes import dtype_of, like
from operax._arrays.fit import cut, pad_axis
from operax._arrays.gather import accumulate, gather
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of


def aligned(weight: Array, x: Array, axis: int) -> Array:
    """A vector of weights in the precision of `x`, along its axis `axis` (negative)."""
    xp = namespace_of(x, weight)
    return xp.reshape(like(weight, x), (-1, *(1,) * (-axis - 1)))


def weighted_gather(x: Array, indices: Sequence[Any], weights: Sequence[Array], axis: int) -> Array:
    """``y[i] = sum_k weights[k][i] x[indices[k][i]]`` along `axis`."""
    terms = [aligned(w, x, axis) * gather(x, i, axis) for i, w in zip(indices, weights)]
    return functools.reduce(operator.add, terms)


def weighted_spread(y: Array, indices: Sequence[Any], weights: Sequence[Array], size: int, axis: int) -> Array:
    """The adjoint of `weighted_gather` for real weights, to `size` samples along `axis`."""
    terms = [accumulate(aligned(w, y, axis) * y, i, size, axis) for i, w in zip(indices, weights)]
    return functools.reduce(operator.add, terms)


@Kernel
def accumulate_parts(first: Array, *others: Array, index: Any, size: int) -> list[Array]:
    """`accumulate` of several arrays of one shape at the same indices along the last axis."""
    return [accumulate(part, index, size, -1) for part in (first, *others)]


@accumulate_parts.on("jax")
def _(first: Any, *others: Any, index: Any, size: int) -> list[Any]:
    # one scatter of rows: it is the indices that cost, not the values
    import jax.numpy as jnp

    rows = jnp.stack([first, *others], axis=-1)
    found = jnp.zeros((*first.shape[:-1], size, rows.shape[-1]), rows.dtype)
    found = found.at[..., jnp.asarray(index), :].add(rows)
    return [found[..., i] for i in range(rows.shape[-1])]


def spread_neighbours(low: Array, high: Array, index: Any, size: int) -> Array:
    """Values put at `index` (`low`) and one sample later (`high`) along the last axis."""
    first, second = accumulate_parts(low, high, index=index, size=size)
    return first + pad_axis(cut(second, -1, 0, size - 1), -1, 1, 0)


@Kernel
def spline_solve(z: Array) -> Array:
    """Solution of ``(m[j-1] + 4 m[j] + m[j+1]) / 6 = z[j]`` along the last axis, zeros outside: symmetric."""
    xp = namespace_of(z)
    n = z.shape[-1]
    matrix = (4 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)) / 6
    return xp.matmul(z, like(xp.asarray(np.linalg.inv(matrix)), z))


@spline_solve.on("numpy")
def _(z: Any) -> Any:
    import scipy.linalg

    n = z.shape[-1]
    if n < 2:
        return spline_solve.generic(z)
    real = np.empty(0, z.dtype).real.dtype
    bands = np.array([np.full(n, 1 / 6), np.full(n, 4 / 6)], real)
    lines = np.moveaxis(z, -1, 0)
    return np.moveaxis(
        scipy.linalg.solveh_banded(bands, lines.reshape(n, -1), check_finite=False).reshape(lines.shape), 0, -1
    )


@spline_solve.on("jax")
def _(z: Any) -> Any:
    # the inverse is a two-sided exponential that has died out after 30 samples in double precision: a convolution,
    # corrected at the ends by mirror images with opposite sign (the odd extension has zeros just outside)
    import jax.numpy as jnp

    from operax._arrays.convolve import convolve

    n, reach = z.shape[-1], 30
    pole = np.sqrt(3.0) - 2.0
    h = 6 / (4 + 2 * pole) * pole ** np.abs(np.arange(-reach, reach + 1))
    if n <= 2 * reach:
        return spline_solve.generic(z)
    zero = jnp.zeros_like(z[..., :1])
    left, right = -jnp.flip(z[..., :reach], -1), -jnp.flip(z[..., -reach:], -1)
    wide = jnp.concatenate([left, zero, z, zero, right], axis=-1)
    kernel = like(jnp.asarray(h), z)
    return convolve(wide, kernel, (reach,), (-1,))[..., reach + 1 : reach + 1 + n].astype(dtype_of(z))
