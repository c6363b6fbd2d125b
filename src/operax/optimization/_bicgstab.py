r"""BiCGStab: square systems without symmetry, short recurrences, two applications an iteration [1]_.

.. [1] H. A. van der Vorst, Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of nonsymmetric
   linear systems, SIAM J. Sci. Stat. Comput. 13 (1992), 631-644.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._machine import Machine, Problem, status_of
from operax.optimization._space import Map, inner, namespace_of, norm, norm2, ratio, square, times
from operax.optimization._status import BREAKDOWN


class BiCGStabState(NamedTuple):
    """Model, residual, shadow residual, direction and its image."""

    x: Array
    r: Array
    shadow: Array
    c: Array
    q: Array
    rho: Array
    bound: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class SquareMachine(Machine):
    """What solvers of square systems without symmetry share: the residual and its derivative."""

    damped: bool = False

    def _apply(self, p: Problem, x: Array) -> Array:
        y = square(p.op, x)
        return y + p.damp * x if self.damped else y

    def residual(self, p: Problem, x: Array) -> Array:
        return p.y - self._apply(p, x)

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        import jax

        from operax.optimization._loop import run_traced

        def solve(matvec: Any, b: Array, M: Any = p.M) -> Array:
            return run_traced(self, Problem(Map(matvec), b, tol=p.tol, M=M)).report["x"].astype(b.dtype)

        def transposed(matvec: Any, b: Array) -> Array:
            return solve(matvec, b, None if p.M is None else p.M.T)

        return jax.lax.custom_linear_solve(lambda v: self._apply(p, v), g, solve, transposed)


@dataclass(frozen=True)
class BiCGStabMachine(SquareMachine):
    """BiCGStab; a preconditioner is applied from the right."""

    def init(self, p: Problem) -> BiCGStabState:
        xp = namespace_of(p.y)
        x = xp.zeros_like(p.y) if p.x0 is None else p.x0
        r = p.y if p.x0 is None else p.y - self._apply(p, x)
        cost = norm(r, self.batch)
        bound = xp.maximum(p.tol * norm(p.y, self.batch), xp.asarray(p.atol, dtype=cost.dtype))
        return BiCGStabState(
            x, r, r, r, xp.zeros_like(r), inner(r, r, self.batch), bound, cost, status_of(cost <= bound, cost)
        )

    def step(self, p: Problem, s: BiCGStabState) -> BiCGStabState:
        precondition = (lambda v: v) if p.M is None else (lambda v: square(p.M, v))
        c = precondition(s.c)
        q = self._apply(p, c)
        a = ratio(s.rho, inner(s.shadow, q, self.batch))
        half = s.r - times(a, q)
        h = precondition(half)
        t = self._apply(p, h)
        w = ratio(inner(t, half, self.batch), norm2(t, self.batch) + 0 * a)
        x = s.x + times(a, c) + times(w, h)
        r = half - times(w, t)
        rho = inner(s.shadow, r, self.batch)
        b = ratio(rho, s.rho) * ratio(a, w)
        direction = r + times(b, s.c - times(w, q))
        cost = norm(r, self.batch)
        broken = ((rho == 0) | (w == 0)) & (cost > s.bound)
        return BiCGStabState(
            x, r, s.shadow, direction, q, rho, s.bound, cost, status_of(cost <= s.bound, cost, (broken, BREAKDOWN))
        )
