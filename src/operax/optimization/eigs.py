"""Extreme eigenvalues by repeated application."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from operax._arrays.dtypes import as_dtype, dtype_of
from operax._arrays.namespace import Array, as_library
from operax._core.backend import has_tracers
from operax.optimization._face import Task
from operax.optimization._machine import Machine, Problem, status_of
from operax.optimization._power import random_like
from operax.optimization._prepare import Layout, check_count, check_operator, moved
from operax.optimization._result import Result
from operax.optimization._space import inner, namespace_of, norm, ratio, real, square, times

__all__ = ["power_iteration"]


class PowerState(NamedTuple):
    """Normalised vector and eigenvalue."""

    x: Array
    value: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class PowerMachine(Machine):
    """The power iteration."""

    def init(self, p: Problem) -> PowerState:
        xp = namespace_of(p.y)
        size = norm(p.y)
        x = times(ratio(xp.ones_like(size), size), p.y)
        return PowerState(x, xp.zeros_like(inner(x, x)), xp.ones_like(size), status_of(size < 0, size))

    def step(self, p: Problem, s: PowerState) -> PowerState:
        xp = namespace_of(s.x)
        image = square(p.op, s.x)
        value = inner(s.x, image)
        size = norm(image)
        x = times(ratio(xp.ones_like(size), size), image)
        change = ratio(xp.abs(value - s.value), xp.abs(value))
        # the change of the value is the cost, except that a zero operator is done at once
        return PowerState(x, value, change, status_of((change <= p.tol) | (size == 0), change))

    def report(self, p: Problem, s: PowerState) -> dict[str, Array]:
        return {"x": s.x, "value": s.value}

    def residual(self, p: Problem, x: Array) -> Array:
        """The eigenvector equation, of which only the part across the vector is free."""
        image = square(p.op, x)
        return image - times(inner(x, image), x)

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._fixedpoint import fixed_point_tangent

        return fixed_point_tangent(self, p, x, g)


def power_iteration(
    Op: Any, niter: int = 10, tol: Any = 1e-5, dtype: Any = "float32", backend: str = "numpy", *, seed: int = 0
) -> Result:
    r"""The eigenvalue of largest modulus, and its eigenvector.

    Parameters
    ----------
    Op : LinearOperator
        Square operator.
    niter : int, optional
        Greatest number of iterations.
    tol : float, optional
        Stop when the eigenvalue changes by less than `tol` times itself.
    dtype : dtype-like, optional
        Of the starting vector.
    backend : {"numpy", "cupy", "jax"}, optional
        Array library. JAX is chosen by itself inside ``jax.jit`` with respect to the operator.
    seed : int, optional
        Of the random starting vector.

    Returns
    -------
    maxeig : float
        Eigenvalue.
    b_k : array
        Normalised eigenvector, of shape `dims`.
    iiter : int
        Number of iterations.

    Raises
    ------
    ValueError
        If the operator is not square.

    Notes
    -----
    The convergence rate is the ratio of the two largest moduli. The derivative of the eigenvalue is that of the
    Rayleigh quotient: right for Hermitian operators.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.eigs import power_iteration
    >>> value, vector, niter = power_iteration(operax.MatrixMult(np.diag([1.0, 5.0])), niter=50, dtype="float64")
    >>> round(value, 6)
    5.0
    """
    op = check_operator(Op)
    if op.shape[0] != op.shape[1]:
        raise ValueError(f"power_iteration takes square operators, {op._label()} has shape {op.shape}")
    library = "jax" if has_tracers(op) else backend
    if library not in ("numpy", "cupy", "jax", "strict"):
        raise ValueError(f"backend={backend!r} is not known; it is one of numpy, cupy, jax")
    op = moved(op, library)
    kind = as_dtype(dtype)
    start = as_library(np.zeros(op.dims, kind), library)
    machine = PowerMachine(check_count(niter, "niter"))
    problem = Problem(op, random_like(start, seed), tol=tol)
    result = Task(machine, problem, Layout(op.dims, op.dimsd, 0), library, ("value", "x", "iterations")).solve()
    if library == "jax":
        # the Rayleigh quotient of a converged vector carries the derivative of the eigenvalue
        import jax

        x = jax.lax.stop_gradient(result.extra["x"])
        if has_tracers(op):
            value = inner(x, square(op, x)) / inner(x, x)
            if dtype_of(result.value).kind != "c":
                value = real(value)
            return Result(("value", "x", "iterations"), (value, x, result.iterations), {**result.extra, "value": value})
    return result
