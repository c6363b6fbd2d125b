r"""Split Bregman, that is ADMM: least squares with several :math:`\ell_1` and :math:`\ell_2` terms [1]_ [2]_.

The iteration works on :math:`v = R x + b`; at the solution of the problem it is a fixed point, from which the
derivatives come.

.. [1] T. Goldstein and S. Osher, The split Bregman method for L1-regularized problems, SIAM J. Imaging Sci. 2 (2009).
.. [2] S. Boyd, N. Parikh, E. Chu, B. Peleato and J. Eckstein, Distributed optimization and statistical learning via the
   alternating direction method of multipliers, Found. Trends Mach. Learn. 3 (2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._cg import CGMachine
from operax.optimization._loop import run_traced
from operax.optimization._machine import NO_MACHINE, Machine, Problem, status_of
from operax.optimization._power import repeat
from operax.optimization._regularized import inner_problem, run_inner
from operax.optimization._space import Map, adjoint, flat, forward, namespace_of, norm, norm1, norm2
from operax.optimization._thresholds import soft


class SplitState(NamedTuple):
    """Model, shrunk variables and Bregman variables (of all terms behind each other)."""

    x: Array
    d: Array
    b: Array
    update: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class SplitMachine(Machine):
    """`op` of the problem is the whole stack, `y` its data with zeros for the :math:`\\ell_1` terms.

    `extra` holds the stack `R` of these terms, their scales `scale` in the stack, thresholds `level` and weights
    `weight` in the cost, `mu`, `tau` and the options `inner` of the linear solver.
    """

    niter_inner: int = 5
    restart: bool = False
    inner: Machine = NO_MACHINE

    @property
    def first_cost(self) -> bool:
        return False

    def _data(self, p: Problem, target: Array) -> Array:
        """The data of the stack for given values of the split variables."""
        xp = namespace_of(p.y)
        known = p.y[..., : p.y.shape[-1] - target.shape[-1]]
        return xp.concat([known, p.extra["scale"] * target], axis=-1)

    def _split(self, p: Problem, x: Array) -> Array:
        return flat(forward(p.extra["R"], x), self.batch)

    def _cost(self, p: Problem, x: Array, z: Array) -> Array:
        n = z.shape[-1]
        misfit = (p.y - forward(p.op, x))[..., : p.y.shape[-1] - n]
        return 0.5 * p.extra["mu"] * norm2(misfit, self.batch) + norm1(p.extra["weight"] * z, self.batch)

    def init(self, p: Problem) -> SplitState:
        xp = namespace_of(p.y)
        x = xp.zeros_like(adjoint(p.op, p.y))
        x = x if p.x0 is None else x + p.x0  # a real guess for a complex model
        z = self._split(p, x)
        zero = xp.zeros_like(z)
        cost = self._cost(p, x, z)
        return SplitState(x, zero, zero, xp.zeros_like(cost), cost, status_of(cost < 0, cost))

    def step(self, p: Problem, s: SplitState) -> SplitState:
        xp = namespace_of(s.x)

        def alternate(_: Any, state: Any) -> Any:
            x, d, _ = state
            guess = p.x0 if self.restart else x
            x = run_inner(self.inner, inner_problem(p.extra["inner"], p.op, self._data(p, d - s.b), guess), s.x)
            z = self._split(p, x)
            return x, soft(z + s.b, p.extra["level"]), z

        # a loop on JAX, too: written out, each round would be compiled anew
        x, d, z = repeat(s.x, self.niter_inner, alternate, (s.x, s.d, s.d))
        b = s.b + p.extra["tau"] * (z - d)
        update, cost = norm(x - s.x, self.batch), self._cost(p, x, z)
        converged = update <= xp.maximum(p.tol * norm(x, self.batch), xp.asarray(p.atol, dtype=update.dtype))
        return SplitState(x, d, b, update, cost, status_of(converged, cost))

    def report(self, p: Problem, s: SplitState) -> dict[str, Array]:
        """The fixed point is the solution for derivatives; the model comes beside it."""
        return {"x": self._split(p, s.x) + s.b, "model": s.x}

    def model(self, p: Problem, v: Array) -> Array:
        """The model of a fixed point, as an expression that JAX can differentiate."""
        from operax.optimization._implicit import hermitian_solve

        def solve(matvec: Any, b: Array) -> Array:
            eps = float(namespace_of(b).finfo(b.dtype).eps)
            machine = CGMachine(max(200, 4 * self.inner.niter), self.batch, guarded=True)
            return run_traced(machine, Problem(Map(matvec), b, tol=10 * eps)).report["x"].astype(b.dtype)

        b = adjoint(p.op, self._data(p, 2 * soft(v, p.extra["level"]) - v))
        return hermitian_solve(lambda x: adjoint(p.op, forward(p.op, x)), b, solve)

    def residual(self, p: Problem, x: Array) -> Array:
        return self._split(p, self.model(p, x)) - soft(x, p.extra["level"])

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._fixedpoint import fixed_point_tangent

        return fixed_point_tangent(self, p, x, g)
