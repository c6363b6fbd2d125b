r"""Spectral projected gradients for sparse models: LASSO, basis pursuit and its denoising [1]_.

.. math:: \min \|x\|_1 \ \text{subject to} \ \|y - A x\| \le \sigma
   \qquad \text{or} \qquad \min \|y - A x\| \ \text{subject to} \ \|x\|_1 \le \tau

The first follows from the second by Newton's method on the Pareto curve :math:`\|r\|(\tau) = \sigma`. Steps along a
feasible direction are exact, the objective being quadratic: one forward and one adjoint an iteration.

.. [1] E. van den Berg and M. P. Friedlander, Probing the Pareto frontier for basis pursuit solutions, SIAM J. Sci.
   Comput. 31 (2008), 890-912.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._machine import Machine, Problem, status_of
from operax.optimization._space import (
    adjoint,
    cast_like,
    expand,
    flat,
    forward,
    largest,
    namespace_of,
    norm,
    norm1,
    norm2,
    pack,
    ratio,
    real_inner,
    times,
    unpack,
)
from operax.optimization._thresholds import soft


class SPGState(NamedTuple):
    """Model, residual, negative gradient, radius and length of the next step."""

    x: Array
    r: Array
    g: Array
    tau: Array
    length: Array
    gap: Array
    cost: Array
    status: Array


def project(x: Array, tau: Array, batch: int) -> Array:
    """The nearest point of the :math:`l_1` ball of radius `tau`: soft thresholding at the level that reaches it."""
    xp = namespace_of(x)
    size = flat(xp.abs(x), batch)
    ordered = xp.flip(xp.sort(size, axis=-1), axis=-1)
    counts = xp.astype(xp.arange(1, size.shape[-1] + 1), size.dtype)
    levels = (xp.cumulative_sum(ordered, axis=-1) - expand(tau, size)) / counts
    active = xp.sum(xp.astype(ordered > levels, size.dtype), axis=-1)
    pick = xp.astype(counts == expand(xp.maximum(active, xp.ones_like(active)), size), size.dtype)
    level = xp.maximum(xp.sum(levels * pick, axis=-1), xp.zeros_like(tau))
    return soft(x, expand(level, x))


@dataclass(frozen=True)
class SPGL1Machine(Machine):
    """`extra` of the problem holds `sigma` and `tau`; `lasso` keeps the radius fixed."""

    lasso: bool = False

    def init(self, p: Problem) -> SPGState:
        xp = namespace_of(p.y)
        scale = norm(p.y, self.batch)
        start = adjoint(p.op, p.y)
        tau = xp.zeros_like(scale) + p.extra["tau"]
        x = xp.zeros_like(start) if p.x0 is None else project(p.x0 + xp.zeros_like(start), tau, self.batch)
        r = p.y - forward(p.op, x)
        g = adjoint(p.op, r)
        cost = norm(r, self.batch)
        length = ratio(xp.ones_like(scale), largest(xp.abs(g), self.batch), 1.0)
        fitted = (cost <= p.extra["sigma"]) if not self.lasso else cost < 0
        return SPGState(x, r, g, tau, length, xp.ones_like(cost), cost, status_of(fitted | (scale == 0), cost))

    def step(self, p: Problem, s: SPGState) -> SPGState:
        xp, n = namespace_of(s.x), self.batch
        tau, x, r, g = s.tau, s.x, s.r, s.g
        if not self.lasso:
            # Newton on the Pareto curve where the current subproblem is solved well enough for its error
            error = s.cost - p.extra["sigma"]
            top = largest(xp.abs(g), n)
            ready = s.gap <= xp.maximum(0.1 * xp.abs(error) * s.cost, xp.asarray(0.0, dtype=s.cost.dtype))
            ready = ready | (tau == 0)
            grown = xp.maximum(tau + ratio(s.cost * error, top), xp.zeros_like(tau))
            tau = xp.where(ready, grown, tau)
        target = project(x + times(s.length, g), tau, n)
        d = target - x
        q = forward(p.op, d)
        slope = real_inner(r, q, n)
        # the direction descends where x is feasible; where x is not (by rounding, or because the radius has shrunk),
        # the full step makes it so
        exact = xp.clip(ratio(slope, norm2(q, n), 1.0), 0.0, 1.0)
        outside = norm1(x, n) > tau * (1 + 1e-12)
        t = xp.where(outside | (exact <= 0), xp.ones_like(exact), exact)
        x = x + times(t, d)
        r = r - times(t, q)
        new = adjoint(p.op, r)
        # Barzilai-Borwein: the inverse of the curvature along the last step
        length = ratio(norm2(d, n), norm2(q, n))
        length = xp.where(length > 0, length, s.length)
        cost = norm(r, n)
        top = largest(xp.abs(new), n)
        gap = xp.abs(real_inner(r, r - p.y, n) + tau * top)
        scale = norm(p.y, n)
        solved = gap <= p.tol * xp.maximum(cost * scale, p.tol * scale**2)
        if self.lasso:
            converged = solved
        else:
            fitted = xp.abs(cost - p.extra["sigma"]) <= p.tol * scale
            converged = (solved & fitted) | (cost <= p.tol * scale)
        return SPGState(x, r, new, tau, length, gap, cost, status_of(converged, cost))

    def report(self, p: Problem, s: SPGState) -> dict[str, Array]:
        """The coefficients and the radius together: both change with the data."""
        xp = namespace_of(s.x)
        packed = pack([s.x, cast_like(xp.expand_dims(s.tau, axis=-1), xp.abs(s.x))], self.batch)
        found = {"x": packed, "rnorm": s.cost, "tau": s.tau, "rgap": s.gap}
        found["lasso"] = xp.ones_like(s.tau) if self.lasso else xp.zeros_like(s.tau)
        found["gnorm"] = largest(xp.abs(s.g), self.batch)
        return found

    def residual(self, p: Problem, x: Array) -> Array:
        """A projected gradient step stands still, and the residual norm is `sigma`."""
        import jax

        xp = namespace_of(x)
        dims = adjoint(p.op, p.y).shape[self.batch :]
        coefficients, tau = unpack(x, [tuple(dims), (1,)])
        tau = xp.real(tau[..., 0])
        r = p.y - forward(p.op, coefficients)
        g = adjoint(p.op, r)
        step = jax.lax.stop_gradient(ratio(norm2(g, self.batch), norm2(forward(p.op, g), self.batch), 1.0))
        moved = project(coefficients + times(step, g), tau, self.batch) - coefficients
        if self.lasso:
            second = p.extra["tau"] - tau
        else:
            second = norm(r, self.batch) - p.extra["sigma"]
        return pack([moved, xp.expand_dims(second, axis=-1)], self.batch)

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._fixedpoint import fixed_point_tangent

        return fixed_point_tangent(self, p, x, g)


def coefficients_of(packed: Array, dims: tuple[int, ...]) -> Any:
    """The coefficients of a packed solution."""
    return unpack(packed, [dims, (1,)])[0]
