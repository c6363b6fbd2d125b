"""Vectors as solvers see them: arrays of shape ``(*batch, *dims)`` whose inner products leave the batch axes alone.

A scalar of a solver has shape ``batch``: one value for each system that is solved at once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from operax._arrays import namespace
from operax._arrays.dtypes import astype, dtype_of
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, is_array
from operax._core.apply import apply_nd
from operax.optimization._host import host_namespace


def namespace_of(*values: Any) -> Any:
    """The array namespace of `values`; that of NumPy where they are all numbers (NumPy's sums are)."""
    if type(values[0]) in _NUMPY_TYPES and (len(values) == 1 or type(values[1]) in _NUMPY_TYPES):
        return host_namespace  # the common case on the host, at a tenth of the cost
    arrays = [v for v in values if is_array(v)]
    return namespace.namespace_of(*arrays) if arrays else host_namespace


_NUMPY_TYPES = frozenset({np.ndarray, np.float32, np.float64, np.complex64, np.complex128, np.bool_})


class Map:
    """A pair of functions in the place of an operator: given by JAX, or known for the whole of a loop."""

    def __init__(self, forward: Any, adjoint: Any = None) -> None:
        self.forward, self.adjoint = forward, adjoint


def forward(op: Any, x: Array) -> Array:
    """`op` applied to `x`."""
    return op.forward(x) if type(op) is Map else apply_nd(op, x)


def adjoint(op: Any, y: Array) -> Array:
    """The adjoint of `op` applied to `y`."""
    return op.adjoint(y) if type(op) is Map else apply_nd(op.H, y)


def square(op: Any, x: Array) -> Array:
    """A square `op` applied to `x`, in the shape of `x`."""
    y = forward(op, x)
    return y if y.shape == x.shape else namespace_of(y).reshape(y, x.shape)


@Kernel
def total(u: Array, batch: int = 0) -> Array:
    """The sum over all but the first `batch` axes."""
    return namespace_of(u).sum(u, axis=tuple(range(batch, u.ndim)))


@total.on("jax")
def _(u: Any, batch: int = 0) -> Any:
    n = u.shape[-1] if u.ndim == batch + 1 else 0
    if not 32 < n <= 128:
        return u.sum(axis=tuple(range(batch, u.ndim)))
    # XLA on CPUs sums an axis of more than 32 values in three steps, each a call and a pass over memory: a tenth of the
    # time of an iteration with a small matrix. Sums of parts are one step; for longer axes it no longer matters.
    parts = -(-n // 32)
    width = n // parts
    first = sum((u[..., i * width : (i + 1) * width] for i in range(1, parts)), u[..., :width])
    rest = u[..., parts * width :]
    return first.sum(axis=-1) + rest.sum(axis=-1) if rest.shape[-1] else first.sum(axis=-1)


@Kernel
def inner(u: Array, v: Array, batch: int = 0) -> Array:
    """``sum(conj(u) * v)`` over all but the first `batch` axes."""
    xp = namespace_of(u, v)
    return total((xp.conj(u) if dtype_of(u).kind == "c" else u) * v, batch)


@inner.on("numpy")
def _(u: Any, v: Any, batch: int = 0) -> Any:
    if not batch:
        return np.vdot(u, v)
    return total(u.conj() * v, batch)


def real_inner(u: Array, v: Array, batch: int = 0) -> Array:
    """The real part of the inner product."""
    if not batch and type(u) is np.ndarray:  # as below: a dispatch would cost more than the product
        return np.vdot(u, v).real
    return real(inner(u, v, batch))


def real(x: Array) -> Array:
    """The real part; real values pass untouched."""
    return namespace_of(x).real(x) if dtype_of(x).kind == "c" else x


def norm2(u: Array, batch: int = 0) -> Array:
    """The squared Euclidean norm."""
    if not batch and type(u) is np.ndarray:
        return np.vdot(u, u).real
    return real(inner(u, u, batch))


def norm(u: Array, batch: int = 0) -> Array:
    """The Euclidean norm."""
    return namespace_of(u).sqrt(norm2(u, batch))


def norm1(u: Array, batch: int = 0) -> Array:
    """The sum of absolute values."""
    return total(namespace_of(u).abs(u), batch)


def times(a: Any, v: Array) -> Array:
    """Scalars of shape ``batch`` times vectors of shape ``(*batch, *dims)``."""
    return a * v if isinstance(a, np.generic) else expand(a, v) * v


def expand(a: Any, v: Array) -> Array:
    """Scalars of shape ``batch`` with the axes that let them broadcast against `v`."""
    ndim = getattr(a, "ndim", 0)
    if ndim == 0 or ndim == v.ndim:
        return a
    return namespace_of(v).reshape(a, (*a.shape, *([1] * (v.ndim - ndim))))


def ratio(a: Array, b: Array, otherwise: float = 0.0) -> Array:
    """``a / b``, and `otherwise` where `b` is zero."""
    if isinstance(b, np.generic):  # NumPy's sums are scalars
        return a / b if b != 0 else b.dtype.type(otherwise)
    xp = namespace_of(a, b)
    zero = b == 0
    return xp.where(zero, xp.asarray(otherwise, dtype=a.dtype), a / xp.where(zero, xp.ones_like(b), b))


def cast_like(x: Array, like: Array) -> Array:
    """`x` in the dtype of `like`; a complex `x` stays complex."""
    want = dtype_of(like)
    if dtype_of(x).kind == "c" and want.kind != "c":
        return x
    return astype(x, want)


def put(history: Array, k: Any, value: Array) -> Array:
    """`history` with its row `k` replaced by `value`."""
    if type(history) is np.ndarray:
        history[k] = value  # the loop owns its history
        return history
    return _put(history, k, value)


@Kernel
def _put(history: Array, k: Any, value: Array) -> Array:
    xp = namespace_of(history)
    rows = xp.reshape(xp.arange(history.shape[0]), (-1, *([1] * (history.ndim - 1))))
    return xp.where(rows == k, value, history)


@_put.on("cupy")
def _(history: Any, k: Any, value: Any) -> Any:
    history[k] = value
    return history


@_put.on("jax")
def _(history: Any, k: Any, value: Any) -> Any:
    import jax

    return jax.lax.dynamic_update_index_in_dim(history, value.astype(history.dtype), k, 0)


def flat(x: Array, batch: int) -> Array:
    """`x` with all but the first `batch` axes as one, also where the batch has no members."""
    return namespace_of(x).reshape(x, (*x.shape[:batch], math.prod(x.shape[batch:])))


def pack(parts: list[Array], batch: int) -> Array:
    """Arrays of shapes ``(*batch, *dims_i)`` as one of shape ``(*batch, n)``."""
    xp = namespace_of(*parts)
    return xp.concat([flat(v, batch) for v in parts], axis=-1)


def unpack(packed: Array, shapes: list[tuple[int, ...]]) -> list[Array]:
    """The reverse of `pack` for parts of the given shapes (without batch axes)."""
    xp, batch = namespace_of(packed), tuple(packed.shape[:-1])
    found, at = [], 0
    for shape in shapes:
        size = math.prod(shape)
        found.append(xp.reshape(packed[..., at : at + size], (*batch, *shape)))
        at += size
    return found


def largest(u: Array, batch: int = 0) -> Array:
    """The largest value over all but the first `batch` axes."""
    return namespace_of(u).max(u, axis=tuple(range(batch, u.ndim)))
