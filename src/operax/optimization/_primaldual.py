r"""The primal-dual method of Chambolle and Pock [1]_ for
:math:`\tfrac{1}{2} \|y - A x\|^2 + \sum_i \epsilon_i \|R_i x\|_1`, also with :math:`x \ge 0`.

No linear system is solved: an iteration applies each operator and its adjoint once.

.. [1] A. Chambolle and T. Pock, A first-order primal-dual algorithm for convex problems with applications to imaging,
   J. Math. Imaging Vis. 40 (2011), 120-145.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from operax._arrays.dtypes import dtype_of
from operax._arrays.namespace import Array
from operax.optimization._machine import Machine, Problem, status_of
from operax.optimization._space import adjoint, forward, namespace_of, norm, norm1, norm2, pack, unpack


class PrimalDualState(NamedTuple):
    """Model and dual variable (of data and terms behind each other), with the data of the model."""

    x: Array
    u: Array
    kx: Array
    update: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class PrimalDualMachine(Machine):
    """`op` of the problem is the stack of operator and terms, `y` the data with zeros behind them.

    `extra` holds the thresholds `level` of the terms and the steps `primal` and `dual`.
    """

    nonnegative: bool = False

    @property
    def first_cost(self) -> bool:
        return False

    def _shrink_dual(self, p: Problem, u: Array) -> Array:
        """The proximal map of the conjugate function, for data and terms."""
        xp, level, sigma = namespace_of(u), p.extra["level"], p.extra["dual"]
        n = u.shape[-1] - level.shape[-1]
        data = (u[..., :n] - sigma * p.y[..., :n]) / (1 + sigma)
        terms = u[..., n:]
        size = xp.abs(terms)
        over = size > level
        terms = xp.where(over, terms * (level / xp.where(over, size, xp.ones_like(size))), terms)
        return xp.concat([data, terms], axis=-1)

    def _constrain(self, x: Array) -> Array:
        xp = namespace_of(x)
        if not self.nonnegative:
            return x
        real = xp.real(x) if dtype_of(x).kind == "c" else x
        return xp.astype(xp.maximum(real, xp.zeros_like(real)), x.dtype)

    def _cost(self, p: Problem, kx: Array) -> Array:
        level = p.extra["level"]
        n = kx.shape[-1] - level.shape[-1]
        return 0.5 * norm2((p.y - kx)[..., :n], self.batch) + norm1(level * kx[..., n:], self.batch)

    def init(self, p: Problem) -> PrimalDualState:
        xp = namespace_of(p.y)
        x = xp.zeros_like(adjoint(p.op, p.y))
        x = x if p.x0 is None else x + p.x0  # a real guess for a complex model
        kx = forward(p.op, x)
        cost = self._cost(p, kx)
        return PrimalDualState(x, xp.zeros_like(kx), kx, xp.zeros_like(cost), cost, status_of(cost < 0, cost))

    def _next(self, p: Problem, x: Array, u: Array, kx: Array) -> tuple[Array, Array, Array]:
        new = self._constrain(x - p.extra["primal"] * adjoint(p.op, u))
        knew = forward(p.op, new)
        return new, self._shrink_dual(p, u + p.extra["dual"] * (2 * knew - kx)), knew

    def step(self, p: Problem, s: PrimalDualState) -> PrimalDualState:
        xp = namespace_of(s.x)
        x, u, kx = self._next(p, s.x, s.u, s.kx)
        cost = self._cost(p, kx)
        update = norm(x - s.x, self.batch)
        small = xp.maximum(p.tol * norm(x, self.batch), xp.asarray(p.atol, dtype=update.dtype))
        change = norm(u - s.u, self.batch)
        steady = change <= xp.maximum(p.tol * norm(u, self.batch), xp.asarray(p.atol, dtype=update.dtype))
        return PrimalDualState(x, u, kx, update, cost, status_of((update <= small) & steady, cost))

    def report(self, p: Problem, s: PrimalDualState) -> dict[str, Array]:
        return {"x": pack([s.x, s.u], self.batch)}

    def residual(self, p: Problem, x: Array) -> Array:
        import jax

        p = p._replace(extra={**p.extra, **{k: jax.lax.stop_gradient(p.extra[k]) for k in ("primal", "dual")}})
        model, u = unpack(x, [p.op.dims, (x.shape[-1] - p.op.shape[1],)])
        new, dual, _ = self._next(p, model, u, forward(p.op, model))
        return pack([new - model, dual - u], self.batch)

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._fixedpoint import fixed_point_tangent

        return fixed_point_tangent(self, p, x, g, saddle=True)
