r"""MINRES: Hermitian systems, definite or not [1]_.

.. [1] C. C. Paige and M. A. Saunders, Solution of sparse indefinite systems of linear equations, SIAM J. Numer. Anal.
   12 (1975), 617-629.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._bicgstab import SquareMachine
from operax.optimization._loop import run_traced
from operax.optimization._lsqr import hypot
from operax.optimization._machine import Problem, status_of
from operax.optimization._space import Map, namespace_of, norm, ratio, real_inner, times


class MINRESState(NamedTuple):
    """Model, Lanczos vectors, directions, and the scalars of the QR factorisation of the tridiagonal matrix."""

    x: Array
    v: Array
    old: Array
    w: Array
    wold: Array
    beta: Array
    cs: Array
    sn: Array
    dbar: Array
    eps: Array
    phibar: Array
    bound: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class MINRESMachine(SquareMachine):
    """MINRES."""

    def init(self, p: Problem) -> MINRESState:
        xp = namespace_of(p.y)
        x = xp.zeros_like(p.y) if p.x0 is None else p.x0
        r = p.y if p.x0 is None else p.y - self._apply(p, x)
        beta = norm(r, self.batch)
        v = times(ratio(xp.ones_like(beta), beta), r)
        bound = xp.maximum(p.tol * norm(p.y, self.batch), xp.asarray(p.atol, dtype=beta.dtype))
        zero, none = xp.zeros_like(beta), xp.zeros_like(v)
        status = status_of(beta <= bound, beta)
        return MINRESState(x, v, none, none, none, zero, zero - 1, zero, zero, zero, beta, bound, beta, status)

    def step(self, p: Problem, s: MINRESState) -> MINRESState:
        xp, n = namespace_of(s.x), self.batch
        q = self._apply(p, s.v) - times(s.beta, s.old)
        alpha = real_inner(s.v, q, n)
        q = q - times(alpha, s.v)
        beta = norm(q, n)
        delta, gbar = s.cs * s.dbar + s.sn * alpha, s.sn * s.dbar - s.cs * alpha
        eps, dbar = s.sn * beta, -s.cs * beta
        gamma = hypot(gbar, beta)
        cs, sn = ratio(gbar, gamma), ratio(beta, gamma)
        phi, phibar = cs * s.phibar, sn * s.phibar
        w = times(ratio(xp.ones_like(gamma), gamma), s.v - times(s.eps, s.wold) - times(delta, s.w))
        x = s.x + times(phi, w)
        v = times(ratio(xp.ones_like(beta), beta), q)
        cost = xp.abs(phibar)
        # where the Krylov space is exhausted nothing more can be gained
        status = status_of((cost <= s.bound) | (beta == 0), cost)
        return MINRESState(x, v, s.v, w, s.w, beta, cs, sn, dbar, eps, phibar, s.bound, cost, status)

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._implicit import hermitian_solve

        def solve(matvec: Any, b: Array) -> Array:
            inner = MINRESMachine(self.niter, self.batch)
            return run_traced(inner, Problem(Map(matvec), b, tol=p.tol)).report["x"].astype(b.dtype)

        return hermitian_solve(lambda v: self._apply(p, v), g, solve)
