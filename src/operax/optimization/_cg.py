r"""Conjugate gradients for :math:`(A + d I) x = y`, `A` Hermitian positive definite.

With a preconditioner :math:`M \approx A^{-1}`, itself Hermitian positive definite, the iteration is the one of
[1]_, section 9.2.

.. [1] Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, SIAM, 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._loop import run_traced
from operax.optimization._machine import Machine, Problem, status_of
from operax.optimization._space import Map, namespace_of, norm2, ratio, real_inner, square, times
from operax.optimization._status import BREAKDOWN, INDEFINITE


class CGState(NamedTuple):
    """Model, residual, direction; `kold` is the squared residual norm, `sign` that of the curvature."""

    x: Array
    r: Array
    c: Array
    kold: Array
    sign: Array
    largest: Array
    bound: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class CGMachine(Machine):
    """Conjugate gradients; `damped` says whether the damping is there at all.

    `guarded` stops at directions in which the operator vanishes to rounding: right-hand sides of derivatives may have
    parts outside the range of a singular operator, along which the iteration would run away.
    """

    damped: bool = False
    guarded: bool = False

    def _apply(self, p: Problem, x: Array) -> Array:
        y = square(p.op, x)
        return y + p.damp * x if self.damped else y

    def init(self, p: Problem) -> CGState:
        xp = namespace_of(p.y)
        if p.x0 is None:
            r, x = p.y, xp.zeros_like(p.y)
        else:
            x = p.x0
            r = p.y - self._apply(p, x)
        z = r if p.M is None else square(p.M, r)
        kold = real_inner(r, z, self.batch)
        cost = xp.sqrt(kold if p.M is None else norm2(r, self.batch))
        scale = cost if p.x0 is None else xp.sqrt(norm2(p.y, self.batch))
        bound = xp.maximum(p.tol * scale, xp.asarray(p.atol, dtype=cost.dtype))
        zero, status = xp.zeros_like(kold), status_of(cost <= bound, cost)
        return CGState(x, r, z, kold, zero, zero, bound, cost, status)

    def step(self, p: Problem, s: CGState) -> CGState:
        xp = namespace_of(s.x)
        q = self._apply(p, s.c)
        curvature = real_inner(s.c, q, self.batch)
        sign = xp.where(s.sign == 0, xp.sign(curvature), s.sign)
        fine, largest = curvature * sign > 0, s.largest
        if self.guarded:
            size = norm2(s.c, self.batch)
            largest = xp.maximum(largest, xp.abs(ratio(curvature, size)))
            fine = fine & (xp.abs(curvature) > 100 * float(xp.finfo(size.dtype).eps) * largest * size)
        a = xp.where(fine, ratio(s.kold, curvature), xp.zeros_like(curvature))
        x = s.x + times(a, s.c)
        r = s.r - times(a, q)
        z = r if p.M is None else square(p.M, r)
        k = real_inner(r, z, self.batch)
        c = z + times(ratio(k, s.kold), s.c)
        cost = xp.sqrt(k if p.M is None else norm2(r, self.batch))
        # a NaN of the operator shows in the curvature: the step is then zero and must not look like a breakdown
        watched = xp.where(xp.isfinite(curvature), cost, curvature)
        singular = (curvature == 0) | (k == 0)
        status = status_of(
            cost <= s.bound, watched, (~fine & (curvature != 0), INDEFINITE), (singular & (cost > s.bound), BREAKDOWN)
        )
        return CGState(x, r, c, k, sign, largest, s.bound, cost, status)

    def residual(self, p: Problem, x: Array) -> Array:
        return p.y - self._apply(p, x)

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._implicit import guess_of, hermitian_solve

        def solve(matvec: Any, b: Array) -> Array:
            inner = CGMachine(self.niter, self.batch, guarded=True)
            problem = Problem(Map(matvec), b, guess_of(p, b), tol=p.tol, M=p.M)
            return run_traced(inner, problem).report["x"].astype(b.dtype)

        return hermitian_solve(lambda v: self._apply(p, v), g, solve)
