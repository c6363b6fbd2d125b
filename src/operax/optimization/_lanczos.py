"""Krylov bases with full reorthogonalisation, as loops of a fixed size: compiled once however many steps there are.

The bases start as zeros and are filled row by row, so that orthogonalising against all rows is right at each step.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import numpy as np

from operax._arrays.dtypes import astype, dtype_of
from operax._arrays.namespace import Array
from operax._core.apply import apply_nd
from operax.optimization._power import repeat
from operax.optimization._space import inner, namespace_of, norm, put, ratio, real


def lanczos(op: Any, z: Array, steps: int) -> tuple[Array, Array]:
    """Bases of shape ``(samples, steps, size)`` and tridiagonal matrices of a Hermitian operator, for each start."""
    return (_lanczos_compiled if isinstance(z, jax.Array) else _lanczos)(op, z, steps)


def _lanczos(op: Any, z: Array, steps: int) -> tuple[Array, Array]:
    xp = namespace_of(z)
    samples, size = z.shape[0], math.prod(z.shape[1:])
    v = xp.reshape(z, (samples, size)) / math.sqrt(size)

    def apply(v: Array) -> Array:
        return xp.reshape(apply_nd(op, xp.reshape(v, z.shape)), (samples, size))

    v = astype(v, dtype_of(apply(v)))
    basis = put(xp.zeros((steps + 1, samples, size), dtype=v.dtype), 0, v)
    scalars = xp.zeros((steps, samples), dtype=norm(v, 1).dtype)
    small = 1e-3 * float(np.sqrt(np.finfo(dtype_of(scalars)).eps))

    def body(j: Any, state: Any) -> Any:
        basis, along, besides = state
        v, rows = basis[j, ...], xp.moveaxis(basis, 0, 1)
        w = apply(v)
        along = put(along, j, real(inner(v, w, 1)))
        for _ in range(2):  # twice is enough
            parts = xp.matmul(xp.conj(rows) if dtype_of(w).kind == "c" else rows, w[..., None])
            w = w - xp.matmul(xp.matrix_transpose(parts), rows)[:, 0, :]
        length = norm(w, 1)
        # what is left of an exhausted space is rounding
        length = xp.where(length > small * xp.abs(along[0, ...]), length, xp.zeros_like(length))
        w = w * ratio(xp.ones_like(length), length)[:, None]
        return put(basis, j + 1, w), along, put(besides, j, length)

    basis, along, besides = repeat(z, steps, body, (basis, scalars, scalars + 0))
    upper = banded(xp.permute_dims(besides, (1, 0)), 1)
    matrix = banded(xp.permute_dims(along, (1, 0)), 0) + upper + xp.matrix_transpose(upper)
    return xp.moveaxis(basis[:-1, ...], 0, 1), matrix


def bidiagonal(op: Any, start: Array, steps: int) -> tuple[Array, Array]:
    """The upper bidiagonal matrix of Golub and Kahan, and the length of what the next step would add."""
    return (_bidiagonal_compiled if isinstance(start, jax.Array) else _bidiagonal)(op, start, steps)


def _bidiagonal(op: Any, start: Array, steps: int) -> tuple[Array, Array]:
    xp = namespace_of(start)
    dims, image = start.shape, apply_nd(op, start)
    dimsd = image.shape
    kind = apply_nd(op.H, image).dtype

    def unit(w: Array, basis: Array) -> tuple[Array, Array]:
        for _ in range(2):
            w = w - (xp.conj(basis) @ w) @ basis
        length = norm(w)
        return w * ratio(xp.ones_like(length), length), length

    # row j + 1 of `left` belongs to row j of `right`: the row before the first is zero
    right = xp.zeros((steps + 1, math.prod(dims)), dtype=kind)
    left = xp.zeros((steps + 1, math.prod(dimsd)), dtype=image.dtype)
    first = xp.astype(xp.reshape(start, (-1,)), kind)
    length = norm(first)
    right = put(right, 0, first * ratio(xp.ones_like(length), length))
    scalars = xp.zeros((steps + 1,), dtype=length.dtype)

    def body(j: Any, state: Any) -> Any:
        right, left, alphas, betas = state
        image = xp.reshape(apply_nd(op, xp.reshape(right[j, ...], dims)), (-1,))
        u, alpha = unit(image - betas[j, ...] * left[j, ...], left)
        back = xp.reshape(apply_nd(op.H, xp.reshape(u, dimsd)), (-1,))
        v, beta = unit(back - alpha * right[j, ...], right)
        return put(right, j + 1, v), put(left, j + 1, u), put(alphas, j, alpha), put(betas, j + 1, beta)

    _, _, alphas, betas = repeat(start, steps, body, (right, left, scalars, scalars + 0))
    return banded(alphas[:-1], 0) + banded(betas[1:], 1), betas[-1]


_lanczos_compiled = functools.partial(jax.jit, static_argnums=2)(_lanczos)
_bidiagonal_compiled = functools.partial(jax.jit, static_argnums=2)(_bidiagonal)


def banded(values: Array, offset: int) -> Array:
    """Square matrices with `values` on a diagonal above the main one; what does not fit is left away."""
    xp = namespace_of(values)
    n = values.shape[-1]
    return xp.eye(n, k=offset, dtype=values.dtype) * values[..., :, None]
