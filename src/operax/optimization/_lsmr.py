r"""LSMR: least squares with a monotone residual of the normal equations [1]_.

.. [1] D. C.-L. Fong and M. A. Saunders, LSMR: an iterative algorithm for sparse least-squares problems, SIAM J. Sci.
   Comput. 33 (2011), 2950-2971.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._cgls import LeastSquaresMachine
from operax.optimization._lsqr import hypot
from operax.optimization._machine import Problem, status_of
from operax.optimization._space import adjoint, forward, namespace_of, norm, norm2, ratio, times


class LSMRState(NamedTuple):
    """Model, Lanczos vectors, directions, and the scalars of the two QR factorisations."""

    x: Array
    u: Array
    v: Array
    h: Array
    hbar: Array
    alpha: Array
    alphabar: Array
    zetabar: Array
    rho: Array
    rhobar: Array
    cbar: Array
    sbar: Array
    bound: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class LSMRMachine(LeastSquaresMachine):
    """LSMR; the cost is the norm of the residual of the normal equations."""

    from_start: ClassVar[bool] = True

    def init(self, p: Problem) -> LSMRState:
        xp, n = namespace_of(p.y), self.batch
        u = p.y if p.x0 is None else p.y - forward(p.op, p.x0)
        beta = norm(u, n)
        u = times(ratio(xp.ones_like(beta), beta), u)
        v = adjoint(p.op, u)
        alpha = norm(v, n)
        v = times(ratio(xp.ones_like(alpha), alpha), v)
        x = xp.zeros_like(v) if p.x0 is None else p.x0
        cost = alpha * beta
        scale = cost if p.x0 is None else norm(adjoint(p.op, p.y), n)
        bound = xp.maximum(p.tol * scale, xp.asarray(p.atol, dtype=cost.dtype))
        one, zero = xp.ones_like(alpha), xp.zeros_like(alpha)
        status = status_of(cost <= bound, cost)
        return LSMRState(
            x, u, v, v, xp.zeros_like(v), alpha, alpha, cost, one, one, one, zero, bound, cost, status
        )  # fmt: skip

    def step(self, p: Problem, s: LSMRState) -> LSMRState:
        xp, n = namespace_of(s.x), self.batch
        u = forward(p.op, s.v) - times(s.alpha, s.u)
        beta = norm(u, n)
        u = times(ratio(xp.ones_like(beta), beta), u)
        v = adjoint(p.op, u) - times(beta, s.v)
        alpha = norm(v, n)
        v = times(ratio(xp.ones_like(alpha), alpha), v)
        # rotations take out the damping, the lower diagonal, and the upper one of the transposed problem
        alphahat = hypot(s.alphabar, xp.zeros_like(alpha) + p.damp) if self.damped else xp.abs(s.alphabar)
        rho = hypot(alphahat, beta)
        c, sn = ratio(alphahat, rho), ratio(beta, rho)
        theta, alphabar = sn * alpha, c * alpha
        thetabar, temp = s.sbar * rho, s.cbar * rho
        rhobar = hypot(temp, theta)
        cbar, sbar = ratio(temp, rhobar), ratio(theta, rhobar)
        zeta, zetabar = cbar * s.zetabar, -sbar * s.zetabar
        hbar = s.h - times(ratio(thetabar * rho, s.rho * s.rhobar), s.hbar)
        x = s.x + times(ratio(zeta, rho * rhobar), hbar)
        h = v - times(ratio(theta, rho), s.h)
        cost = xp.abs(zetabar)
        return LSMRState(
            x, u, v, h, hbar, alpha, alphabar, zetabar, rho, rhobar, cbar, sbar, s.bound, cost,
            status_of(cost <= s.bound, cost),
        )  # fmt: skip

    def report(self, p: Problem, s: LSMRState) -> dict[str, Array]:
        xp = namespace_of(s.x)
        r1 = norm(p.y - forward(p.op, s.x), self.batch)
        r2 = xp.sqrt(r1**2 + p.damp**2 * norm2(self.damped_part(p, s.x), self.batch)) if self.damped else r1
        return {"x": s.x, "r1norm": r1, "r2norm": r2, "arnorm": s.cost}
