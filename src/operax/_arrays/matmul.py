"""Products with a matrix held as an array, without copies of its transpose."""

from __future__ import annotations

from typing import Any

from operax._arrays.dtypes import is_complex
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of


def apply_matrix(x: Array, A: Array) -> Array:
    """``A x`` along the last axis of `x`."""
    xp = namespace_of(x)
    if x.ndim == 1:
        return xp.matmul(A, x)
    return xp.matmul(x, xp.matrix_transpose(A))


def apply_adjoint(y: Array, A: Array) -> Array:
    """``A.H y`` along the last axis of `y`: as ``y A``, because a transposed matrix times a vector costs XLA a copy."""
    xp = namespace_of(y)
    if is_complex(A):
        return xp.conj(xp.matmul(xp.conj(y) if is_complex(y) else y, A))
    return xp.matmul(y, A)


def apply_matrix_columns(x: Array, A: Array) -> Array:
    """``A X`` for `x` of shape ``(*batch, n, k)``."""
    return namespace_of(x).matmul(A, x)


@Kernel
def apply_adjoint_columns(y: Array, A: Array) -> Array:
    """``A.H Y`` for `y` of shape ``(*batch, m, k)``."""
    xp = namespace_of(y)
    A = xp.conj(A) if is_complex(A) else A
    return xp.matmul(xp.matrix_transpose(A), y)


@apply_adjoint_columns.on("jax")
def _(y: Any, A: Any) -> Any:
    import jax.numpy as jnp

    if is_complex(A):
        return jnp.conj(jnp.einsum("mn,...mk->...nk", A, jnp.conj(y)))
    return jnp.einsum("mn,...mk->...nk", A, y)
