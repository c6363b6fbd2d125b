r"""The largest eigenvalue of a Hermitian operator or of :math:`A^H A`, by the Lanczos recursion.

Thirty applications give it to three or four digits where the power iteration needs hundreds, and the residual of the
Ritz pair says how far off it may be: steps of proximal methods must not be longer than its inverse.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from operax._arrays.dtypes import dtype_of, float_dtype
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array
from operax.optimization._space import adjoint, forward, namespace_of, norm, put, ratio, real_inner, times


@Kernel
def random_like(x: Array, seed: int = 0) -> Array:
    """Standard normal values in the shape, dtype and library of `x`."""
    xp = namespace_of(x)
    values = _host_random(tuple(x.shape), dtype_of(x), seed)
    return xp.asarray(values)


@random_like.on("jax")
def _(x: Any, seed: int = 0) -> Any:
    return jax.random.normal(jax.random.key(seed), x.shape, x.dtype)


def _host_random(shape: tuple[int, ...], dtype: np.dtype, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape)
    if dtype.kind == "c":
        values = (values + 1j * rng.normal(size=shape)) / np.sqrt(2)
    return values.astype(float_dtype(dtype))


@Kernel
def repeat(x: Array, times: int, body: Callable[[Any, Any], Any], state: Any) -> Any:
    """``state = body(i, state)`` for `i` below `times`; `x` says in which library."""
    for i in range(times):
        state = body(i, state)
    return state


@repeat.on("jax")
def _(x: Any, times: int, body: Callable[[Any, Any], Any], state: Any) -> Any:
    return jax.lax.fori_loop(0, times, body, state)


def tridiagonal(apply: Callable[[Array], Array], start: Array, niter: int) -> tuple[Array, Array]:
    """Diagonal and off-diagonal of the Lanczos matrix of a Hermitian map (the last off-diagonal is the residual)."""
    xp = namespace_of(start)
    v = times(ratio(xp.ones_like(norm(start)), norm(start)), start)
    real_zeros = xp.zeros((niter,), dtype=xp.abs(v).dtype)

    def body(i: Any, state: Any) -> Any:
        v, old, beta, a, b = state
        w = apply(v) - times(beta, old)
        alpha = real_inner(v, w)
        w = w - times(alpha, v)
        beta = norm(w)
        # where an invariant subspace is found, the rest of the matrix is zero
        beta = xp.where(beta <= 1e-6 * xp.max(xp.abs(a)), xp.zeros_like(beta), beta)
        return times(ratio(xp.ones_like(beta), beta), w), v, beta, put(a, i, alpha), put(b, i, beta)

    state = (v, xp.zeros_like(v), xp.zeros_like(norm(v)), real_zeros, real_zeros + 0)
    *_, a, b = repeat(v, niter, body, state)
    return a, b


def largest(apply: Callable[[Array], Array], start: Array, niter: int = 30) -> Array:
    """The largest eigenvalue of a Hermitian semidefinite map, from above: Ritz value plus its residual."""
    xp = namespace_of(start)
    niter = max(1, min(niter, int(np.prod(start.shape))))
    a, b = tridiagonal(apply, start, niter)
    upper = xp.eye(niter, k=1, dtype=a.dtype) * xp.concat([b[-1:], b[:-1]])
    values, vectors = xp.linalg.eigh(xp.eye(niter, dtype=a.dtype) * a + upper + upper.T)
    return values[-1] + xp.abs(b[-1] * vectors[-1, -1])


def normal_norm(op: Any, x: Array, niter: int = 30, batch: int = 0) -> Array:
    """The largest eigenvalue of ``op.H op``; `x` are any models, for their shape, dtype and library."""
    x = namespace_of(x).sum(x, axis=tuple(range(batch)))  # one model, also of a batch without members
    if isinstance(x, jax.Array):
        return _normal_norm_compiled(op, jnp.zeros_like(x), niter)
    return _normal_norm(op, x, niter)


def _normal_norm(op: Any, x: Array, niter: int) -> Array:
    return largest(lambda v: adjoint(op, forward(op, v)), random_like(x), niter)


_normal_norm_compiled = functools.partial(jax.jit, static_argnums=2)(_normal_norm)
