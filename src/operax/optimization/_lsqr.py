r"""LSQR: least squares by Golub-Kahan bidiagonalisation.

Equivalent to CGLS in exact arithmetic, steadier on ill-conditioned systems, with estimates of norms, condition number
and variances [1]_.

.. [1] C. C. Paige and M. A. Saunders, LSQR: an algorithm for sparse linear equations and sparse least squares,
   ACM TOMS 8 (1982), 43-71.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._cgls import LeastSquaresMachine
from operax.optimization._machine import Problem
from operax.optimization._space import adjoint, forward, namespace_of, norm, norm2, ratio, times
from operax.optimization._status import CONVERGED, LIMIT, NONFINITE, RUNNING


class LSQRState(NamedTuple):
    """Model, the two Lanczos vectors, the direction, and the scalars of the method under their published names."""

    x: Array
    u: Array
    v: Array
    w: Array
    var: Any
    alpha: Array
    rhobar: Array
    phibar: Array
    ddnorm: Array
    res2: Array
    cs2: Array
    sn2: Array
    z: Array
    xxnorm: Array
    bnorm: Array
    anorm: Array
    acond: Array
    arnorm: Array
    xnorm: Array
    r1norm: Array
    r2norm: Array
    istop: Array
    cost: Array
    status: Array


def hypot(a: Array, b: Array) -> Array:
    """``sqrt(a^2 + b^2)`` without overflow."""
    xp = namespace_of(a, b)
    big, small = xp.maximum(xp.abs(a), xp.abs(b)), xp.minimum(xp.abs(a), xp.abs(b))
    return big * xp.sqrt(1.0 + ratio(small, big) ** 2)


@dataclass(frozen=True)
class LSQRMachine(LeastSquaresMachine):
    """LSQR; `extra` of the problem holds `atol`, `btol` and `conlim`."""

    variances: bool = True
    from_start: ClassVar[bool] = True

    def tangent_tolerance(self, p: Problem) -> Array:
        return p.extra["atol"]

    def init(self, p: Problem) -> LSQRState:
        xp = namespace_of(p.y)
        u = p.y if p.x0 is None else p.y - forward(p.op, p.x0)
        beta = norm(u, self.batch)
        u = times(ratio(xp.ones_like(beta), beta), u)
        v = adjoint(p.op, u)
        alpha = norm(v, self.batch)
        v = times(ratio(xp.ones_like(alpha), alpha), v)
        x = xp.zeros_like(v) if p.x0 is None else p.x0
        bnorm = beta if p.x0 is None else norm(p.y, self.batch)
        zero = xp.zeros_like(alpha)
        var = xp.zeros_like(xp.abs(v)) if self.variances else None
        arnorm = alpha * beta
        status = xp.where(arnorm == 0, CONVERGED, RUNNING)
        status = xp.astype(xp.where(xp.isfinite(arnorm), status, NONFINITE), xp.int32)
        istop = xp.zeros_like(status)
        return LSQRState(
            x, u, v, v, var, alpha, alpha, beta, zero, zero, zero - 1, zero, zero, zero, bnorm,
            zero, zero, arnorm, zero, beta, beta, istop, beta, status,
        )  # fmt: skip

    def step(self, p: Problem, s: LSQRState) -> LSQRState:
        xp = namespace_of(s.x)
        u = forward(p.op, s.v) - times(s.alpha, s.u)
        beta = norm(u, self.batch)
        u = times(ratio(xp.ones_like(beta), beta), u)
        damp2 = p.damp**2 if self.damped else 0.0
        anorm = xp.sqrt(s.anorm**2 + s.alpha**2 + beta**2 + damp2)
        v = adjoint(p.op, u) - times(beta, s.v)
        alpha = norm(v, self.batch)
        # in exact arithmetic the recursion ends where beta vanishes
        alpha = xp.where(beta == 0, xp.zeros_like(alpha), alpha)
        v = times(ratio(xp.ones_like(alpha), alpha), v)

        phibar, rhobar1, psi = s.phibar, s.rhobar, xp.zeros_like(s.phibar)
        if self.damped:  # a rotation takes the damping out of the lower bidiagonal matrix
            rhobar1 = xp.sqrt(s.rhobar**2 + damp2)
            psi = ratio(p.damp * phibar, rhobar1)
            phibar = ratio(s.rhobar, rhobar1) * phibar
        rho = hypot(rhobar1, beta)  # a rotation makes it upper bidiagonal
        cs, sn = ratio(rhobar1, rho), ratio(beta, rho)
        theta, rhobar = sn * alpha, -cs * alpha
        phi, phibar = cs * phibar, sn * phibar
        tau = sn * phi

        x = s.x + times(ratio(phi, rho), s.w)
        dk2 = ratio(xp.ones_like(rho), rho) ** 2
        w = v - times(ratio(theta, rho), s.w)
        ddnorm = s.ddnorm + dk2 * norm2(s.w, self.batch)
        var = s.var + times(dk2, xp.abs(s.w) ** 2) if self.variances else None

        delta, gambar = s.sn2 * rho, -s.cs2 * rho  # a rotation from the right estimates the norm of x
        rhs = phi - delta * s.z
        xnorm = xp.sqrt(s.xxnorm + ratio(rhs, gambar) ** 2)
        gamma = hypot(gambar, theta)
        cs2, sn2, z = ratio(gambar, gamma), ratio(theta, gamma), ratio(rhs, gamma)
        xxnorm = s.xxnorm + z**2

        acond = anorm * xp.sqrt(ddnorm)
        res2 = s.res2 + psi**2
        r2norm = xp.sqrt(phibar**2 + res2)
        arnorm = alpha * xp.abs(tau)
        r1sq = r2norm**2 - damp2 * xxnorm
        r1norm = xp.sign(r1sq) * xp.sqrt(xp.abs(r1sq)) if self.damped else r2norm
        istop = self._istop(p, s.bnorm, r2norm, arnorm, anorm, acond, xnorm)
        limited = (istop == 3) | (istop == 6)
        status = xp.where(istop == 0, RUNNING, xp.where(limited, LIMIT, CONVERGED))
        status = xp.astype(xp.where(xp.isfinite(arnorm + r2norm), status, NONFINITE), xp.int32)
        return LSQRState(
            x, u, v, w, var, alpha, rhobar, phibar, ddnorm, res2, cs2, sn2, z, xxnorm, s.bnorm,
            anorm, acond, arnorm, xnorm, r1norm, r2norm, istop, r1norm, status,
        )  # fmt: skip

    def _istop(
        self, p: Problem, bnorm: Array, rnorm: Array, arnorm: Array, anorm: Array, acond: Array, xnorm: Array
    ) -> Array:
        """The tests of the paper, the most informative last."""
        xp = namespace_of(rnorm)
        atol, btol, conlim = p.extra["atol"], p.extra["btol"], p.extra["conlim"]
        eps = float(xp.finfo(rnorm.dtype).eps)
        relative = ratio(anorm * xnorm, bnorm)
        test1, test2 = ratio(rnorm, bnorm), ratio(arnorm, anorm * rnorm)
        test3 = ratio(xp.ones_like(acond), acond)
        istop = xp.where(test3 <= eps, 6, 0)
        istop = xp.where(test2 <= eps, 5, istop)
        istop = xp.where(test1 / (1 + relative) <= eps, 4, istop)
        istop = xp.where((test3 * conlim <= 1) & (conlim > 0), 3, istop)
        istop = xp.where(test2 <= atol, 2, istop)
        istop = xp.where(test1 <= btol + atol * relative, 1, istop)
        return xp.astype(istop, xp.int32)

    def report(self, p: Problem, s: LSQRState) -> dict[str, Array]:
        names = ("istop", "r1norm", "r2norm", "anorm", "acond", "arnorm", "xnorm")
        found = {"x": s.x, **{name: getattr(s, name) for name in names}}
        if self.variances:
            found["var"] = s.var
        return found
