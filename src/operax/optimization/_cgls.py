r"""Conjugate gradients on least-squares problems: :math:`\min_x \|y - A x\|^2 + d^2 \|x\|^2`.

The residual :math:`s = A^H (y - A x) - d^2 x` of the normal equations is formed from the residual in the data space,
which loses less to rounding than a recursion for :math:`s` itself [1]_. A preconditioner :math:`M` approximates
:math:`(A^H A + d^2 I)^{-1}`.

.. [1] Å. Björck, Numerical Methods for Least Squares Problems, SIAM, 1996, section 7.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._cg import CGMachine
from operax.optimization._loop import run_traced
from operax.optimization._machine import Machine, Problem, status_of
from operax.optimization._space import (
    Map,
    adjoint,
    expand,
    forward,
    namespace_of,
    norm,
    norm2,
    ratio,
    real_inner,
    square,
    times,
)
from operax.optimization._status import BREAKDOWN, ROUNDING


class CGLSState(NamedTuple):
    """Model, data residual, direction; `kold` is the squared norm of the residual of the normal equations."""

    x: Array
    r: Array
    c: Array
    kold: Array
    bound: Array
    cost: Array
    arnorm: Array
    status: Array


@dataclass(frozen=True)
class LeastSquaresMachine(Machine):
    """What all solvers of damped least-squares problems share: the normal equations and their derivative."""

    damped: bool = False
    wide: bool = False

    from_start: ClassVar[bool] = False
    """Whether damping acts on the difference from the starting guess, as bidiagonalisations have it."""

    @property
    def explicit_derivative(self) -> bool:  # type: ignore[override]
        """An underdetermined problem has many solutions: the one found is told by `solution`."""
        return self.wide

    def solution(self, p: Problem) -> Array:
        """The solution of a consistent underdetermined system that is nearest to the starting guess."""
        from operax.optimization._implicit import hermitian_solve

        def solve(matvec: Any, b: Array) -> Array:
            inner = CGMachine(self.niter, self.batch, guarded=True)
            return run_traced(inner, Problem(Map(matvec), b, tol=self.tangent_tolerance(p))).report["x"].astype(b.dtype)

        b = p.y if p.x0 is None else p.y - forward(p.op, p.x0)
        image = forward(p.op, adjoint(p.op, b))
        w = hermitian_solve(lambda w: forward(p.op, adjoint(p.op, w)), b.astype(image.dtype), solve)
        x = adjoint(p.op, w)
        return x if p.x0 is None else p.x0 + x

    def _normal(self, p: Problem, x: Array) -> Array:
        """``(A^H A + d^2) x``."""
        y = adjoint(p.op, forward(p.op, x))
        return y + p.damp**2 * x if self.damped else y

    def damped_part(self, p: Problem, x: Array) -> Array:
        """The part of the model `x` that damping acts on."""
        return x - p.x0 if self.from_start and p.x0 is not None else x

    def _gradient(self, p: Problem, r: Array, x: Array) -> Array:
        """``A^H r - d^2 x``: half the negative gradient."""
        s = adjoint(p.op, r)
        return s - p.damp**2 * self.damped_part(p, x) if self.damped else s

    def residual(self, p: Problem, x: Array) -> Array:
        return self._gradient(p, p.y - forward(p.op, x), x)

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._implicit import guess_of, hermitian_solve

        def solve(matvec: Any, b: Array) -> Array:
            inner = CGMachine(self.niter, self.batch, guarded=True)
            problem = Problem(Map(matvec), b, guess_of(p, b), tol=self.tangent_tolerance(p), M=p.M)
            return run_traced(inner, problem).report["x"].astype(b.dtype)

        return hermitian_solve(lambda v: self._normal(p, v), g, solve)

    def tangent_tolerance(self, p: Problem) -> Array:
        """Relative tolerance of the solve for the derivative."""
        return p.tol


@dataclass(frozen=True)
class CGLSMachine(LeastSquaresMachine):
    """CGLS."""

    def init(self, p: Problem) -> CGLSState:
        xp = namespace_of(p.y)
        if p.x0 is None:
            r = p.y
            s = adjoint(p.op, r)
            x = xp.zeros_like(s)
        else:
            x = p.x0
            r = p.y - forward(p.op, x)
            s = self._gradient(p, r, x)
        z = s if p.M is None else square(p.M, s)
        kold = real_inner(s, z, self.batch)
        arnorm = xp.sqrt(kold if p.M is None else norm2(s, self.batch))
        scale = arnorm if p.x0 is None else norm(adjoint(p.op, p.y), self.batch)
        bound = xp.maximum(p.tol * scale, xp.asarray(p.atol, dtype=arnorm.dtype))
        cost = norm(r, self.batch)
        return CGLSState(x, r, z, kold, bound, cost, arnorm, status_of(arnorm <= bound, cost))

    def step(self, p: Problem, s: CGLSState) -> CGLSState:
        xp = namespace_of(s.x)
        q = forward(p.op, s.c)
        curvature = norm2(q, self.batch)
        if self.damped:
            curvature = curvature + p.damp**2 * norm2(s.c, self.batch)
        a = ratio(s.kold, curvature)
        x = s.x + times(a, s.c)
        r = s.r - times(a, q)
        g = self._gradient(p, r, x)
        z = g if p.M is None else square(p.M, g)
        k = real_inner(g, z, self.batch)
        c = z + times(ratio(k, s.kold), s.c)
        cost = norm(r, self.batch)
        arnorm = xp.sqrt(k if p.M is None else norm2(g, self.batch))
        watched = xp.where(xp.isfinite(arnorm), cost, arnorm)
        broken = ((curvature == 0) | (k == 0)) & (arnorm > s.bound)
        # The misfit decreases in exact arithmetic. Once it grows, the directions are rounding errors, and going on
        # would make the solution worse without a bound: the iterate before is the best there is.
        misfit, before = self._misfit(p, cost, x), self._misfit(p, s.cost, s.x)
        worse = misfit > before * (1 + 32 * xp.finfo(cost.dtype).eps)
        x = xp.where(expand(worse, x), s.x, x)
        status = status_of(arnorm <= s.bound, watched, (broken, BREAKDOWN), (worse & (arnorm > s.bound), ROUNDING))
        return CGLSState(x, r, c, k, s.bound, xp.where(worse, s.cost, cost), arnorm, status)

    def _misfit(self, p: Problem, cost: Array, x: Array) -> Array:
        """The norm that decreases: that of the residual, with the damping term."""
        return (cost**2 + p.damp**2 * norm2(x, self.batch)) ** 0.5 if self.damped else cost

    def report(self, p: Problem, s: CGLSState) -> dict[str, Array]:
        xp = namespace_of(s.x)
        r2 = s.cost**2
        if self.damped:
            r2 = r2 + p.damp**2 * norm2(s.x, self.batch)
        compatible = s.cost <= xp.maximum(p.tol * self.data_scale(p), xp.asarray(p.atol, dtype=s.cost.dtype))
        istop = xp.astype(xp.where(compatible, 1, 2), xp.int32)
        return {"x": s.x, "istop": istop, "r1norm": s.cost, "r2norm": xp.sqrt(r2), "arnorm": s.arnorm}
