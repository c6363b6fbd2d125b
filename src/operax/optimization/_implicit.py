r"""How to differentiate a solve, apart from how to solve.

A solution :math:`x(\theta)` is the root of equations :math:`F(x, \theta) = 0` that its machine states (`residual`).
The implicit function theorem gives its derivative without looking into the iterations,

.. math:: dx = -(\partial_x F)^{-1} \, \partial_\theta F \, d\theta,

where the machine solves the linear system (`tangent`) through `jax.lax.custom_linear_solve`. The rule is one of forward
mode; JAX transposes it for reverse mode (a linear solve transposes into a linear solve) and applies it to itself for
higher orders. Memory does not grow with the number of iterations.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from operax.optimization._loop import Outcome, run_traced
from operax.optimization._machine import Machine, Problem


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def solve_traced(machine: Machine, p: Problem) -> Outcome:
    """A whole solve as JAX operations, with the implicit derivative of the solution."""
    return run_traced(machine, p)


def _rule(machine: Machine, primals: tuple[Problem], tangents: tuple[Problem]) -> tuple[Outcome, Outcome]:
    (p,), (dp,) = primals, tangents
    outcome = solve_traced(machine, p)
    x = outcome.report["x"]
    leaves, treedef = jax.tree.flatten(p)
    changes = jax.tree.leaves(dp, is_leaf=lambda v: isinstance(v, SymbolicZero))
    active = [i for i, d in enumerate(changes) if not _is_zero(d)]

    def of_active(*values: Any) -> Any:
        replaced = list(leaves)
        for i, v in zip(active, values):
            replaced[i] = v
        problem = jax.tree.unflatten(treedef, replaced)
        if machine.explicit_derivative:
            return machine.solution(problem)
        g = machine.residual(problem, x)
        if problem.adjoint_x0 is not None:
            # The guess changes nothing, so its place in the gradient is free for what the next backward solve can start
            # from: the solution of this one, which is the derivative in a term added to the right-hand side.
            g = g + (problem.adjoint_x0 - jax.lax.stop_gradient(problem.adjoint_x0)).astype(g.dtype)
        return g

    dx: Any = jnp.zeros_like(x)
    if active:
        _, g = jax.jvp(of_active, [leaves[i] for i in active], [changes[i] for i in active])
        dx = (g if machine.explicit_derivative else machine.tangent(p, x, g)).astype(x.dtype)
    zeros = jax.tree.map(_no_change, outcome)
    return outcome, zeros._replace(report={**zeros.report, "x": dx})


solve_traced.defjvp(_rule, symbolic_zeros=True)


def _is_zero(change: Any) -> bool:
    return isinstance(change, SymbolicZero) or change.dtype == jax.dtypes.float0


def _no_change(value: Any) -> Any:
    if jnp.issubdtype(value.dtype, jnp.inexact):
        return jnp.zeros_like(value)
    return np.zeros(value.shape, jax.dtypes.float0)


@functools.partial(jax.jit, static_argnums=0)
def solve_compiled(machine: Machine, p: Problem) -> Outcome:
    """`solve_traced`, compiled once for each machine and structure of the problem.

    Several systems are lanes of `jax.vmap`: XLA then compiles a third of the work of explicit batch axes.
    """
    if not machine.batch:
        return solve_traced(machine, p)
    alone = _unbatched(machine)

    lanes = (p.y, p.x0, p.adjoint_x0)

    def lane(y: Any, x0: Any, adjoint_x0: Any) -> Outcome:
        return solve_traced(alone, p._replace(y=y, x0=x0, adjoint_x0=adjoint_x0))

    axes = Outcome(0, 0, 0, 1)  # type: ignore[arg-type]
    return jax.vmap(lane, in_axes=tuple(None if v is None else 0 for v in lanes), out_axes=axes)(*lanes)


def _unbatched(machine: Machine) -> Machine:
    inner = getattr(machine, "inner", None)
    changes: dict[str, Any] = {} if inner is None else {"inner": _unbatched(inner)}
    return dataclasses.replace(machine, batch=0, **changes)


def guess_of(p: Problem, b: Any) -> Any:
    """The starting guess of a derivative's solve with right-hand side `b`, or None."""
    return None if p.adjoint_x0 is None else jnp.conj(p.adjoint_x0).astype(b.dtype)


def hermitian_solve(matvec: Any, g: Any, solve: Any) -> Any:
    """``matvec^{-1} g`` for a Hermitian map, differentiable in all that `matvec` closes over.

    JAX transposes bilinearly: the transpose of a Hermitian map is its complex conjugate.
    """

    def transposed(_: Any, ct: Any) -> Any:
        return jnp.conj(solve(matvec, jnp.conj(ct)))

    return jax.lax.custom_linear_solve(matvec, g, solve, transposed, symmetric=not jnp.iscomplexobj(g))


@jax.custom_jvp
def with_derivative_of(value: Any, expression: Any) -> Any:
    """`value`, differentiated as `expression`: for results that a loop gives and a formula explains."""
    return value


@with_derivative_of.defjvp
def _derivative_of_expression(primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
    return with_derivative_of(*primals), tangents[1]
