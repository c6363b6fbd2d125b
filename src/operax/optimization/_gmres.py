r"""GMRES with restarts: square systems without symmetry, the smallest residual over a Krylov space [1]_.

.. [1] Y. Saad and M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear
   systems, SIAM J. Sci. Stat. Comput. 7 (1986), 856-869.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._bicgstab import SquareMachine
from operax.optimization._machine import Problem, status_of
from operax.optimization._power import repeat
from operax.optimization._space import expand, inner, namespace_of, norm, put, ratio, square, times
from operax.optimization._status import BREAKDOWN


class GMRESState(NamedTuple):
    """Model and residual at a restart."""

    x: Array
    r: Array
    bound: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class GMRESMachine(SquareMachine):
    """One step is a whole cycle of `restart` applications; a preconditioner acts from the right."""

    restart: int = 20

    def init(self, p: Problem) -> GMRESState:
        xp = namespace_of(p.y)
        x = xp.zeros_like(p.y) if p.x0 is None else p.x0
        r = p.y if p.x0 is None else p.y - self._apply(p, x)
        cost = norm(r, self.batch)
        bound = xp.maximum(p.tol * norm(p.y, self.batch), xp.asarray(p.atol, dtype=cost.dtype))
        return GMRESState(x, r, bound, cost, status_of(cost <= bound, cost))

    def step(self, p: Problem, s: GMRESState) -> GMRESState:
        xp, m, n = namespace_of(s.x), self.restart, self.batch

        def apply(v: Array) -> Array:
            return self._apply(p, v if p.M is None else square(p.M, v))

        first = times(ratio(xp.ones_like(s.cost), s.cost), s.r)
        image = apply(first)
        basis = xp.zeros((m + 1, *image.shape), dtype=image.dtype)
        basis = put(basis, 0, first)
        batch = tuple(s.cost.shape)
        matrix = xp.zeros((m, m + 1, *batch), dtype=image.dtype)

        def body(j: Any, state: Any) -> Any:
            basis, matrix = state
            w = apply(basis[j])
            size = norm(w, n)
            total = xp.zeros((m + 1, *batch), dtype=image.dtype)
            for _ in range(2):  # Gram-Schmidt once more keeps the basis orthogonal to rounding
                h = inner(basis, w[None, ...], n + 1)
                w = w - xp.sum(expand(h, basis) * basis, axis=0)
                total = total + h
            beta = norm(w, n)
            beta = xp.where(beta <= 10 * float(xp.finfo(beta.dtype).eps) * size, xp.zeros_like(beta), beta)
            basis = put(basis, j + 1, times(ratio(xp.ones_like(beta), beta), w))
            return basis, put(matrix, j, put(total, j + 1, beta))

        basis, matrix = repeat(s.r, m, body, (basis, matrix))
        columns = xp.moveaxis(matrix, (0, 1), (-1, -2))  # (*batch, m + 1, m)
        inverse = xp.linalg.pinv(columns)
        y = xp.moveaxis(inverse[..., :, 0], -1, 0) * s.cost
        change = xp.sum(expand(y, basis) * basis[:-1, ...], axis=0)
        x = s.x + (change if p.M is None else square(p.M, change))
        r = p.y - self._apply(p, x)
        cost = norm(r, n)
        stuck = (cost >= s.cost) & (cost > s.bound)
        return GMRESState(x, r, s.bound, cost, status_of(cost <= s.bound, cost, (stuck, BREAKDOWN)))
