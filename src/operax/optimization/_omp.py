r"""Orthogonal matching pursuit and matching pursuit.

Greedy sparse models: each iteration adds the column that correlates best with the residual, and fits all chosen columns
anew [1]_, or only the new one (matching pursuit [2]_). Chosen columns are marked by a mask, so that shapes do not
change from iteration to iteration and the whole pursuit compiles.

.. [1] Y. C. Pati, R. Rezaiifar and P. S. Krishnaprasad, Orthogonal matching pursuit, Asilomar 1993.
.. [2] S. Mallat and Z. Zhang, Matching pursuits with time-frequency dictionaries, IEEE Trans. Signal
   Process. 41 (1993), 3397-3415.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._cg import CGMachine
from operax.optimization._cgls import CGLSMachine
from operax.optimization._loop import run_traced
from operax.optimization._machine import Machine, Problem, status_of
from operax.optimization._regularized import run_inner
from operax.optimization._space import (
    Map,
    adjoint,
    cast_like,
    flat,
    forward,
    inner,
    namespace_of,
    norm,
    norm2,
    ratio,
    times,
    total,
)


class OMPState(NamedTuple):
    """Model, its data residual, and the mask of the chosen columns."""

    x: Array
    r: Array
    mask: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class OMPMachine(Machine):
    """`extra` of the problem holds `sigma` and, where columns are to be normalised, their `norms`."""

    niter_inner: int = 40
    optimal: bool = False

    def init(self, p: Problem) -> OMPState:
        xp = namespace_of(p.y)
        x = xp.zeros_like(adjoint(p.op, p.y))
        cost = norm(p.y, self.batch)
        return OMPState(x, p.y, xp.zeros_like(xp.abs(x)), cost, status_of(cost <= p.extra["sigma"], cost))

    def step(self, p: Problem, s: OMPState) -> OMPState:
        xp = namespace_of(s.x)
        norms = p.extra["norms"]
        correlation = adjoint(p.op, s.r)
        size = xp.abs(correlation) if norms is None else xp.abs(correlation) / norms
        row = flat(size, self.batch)
        best = xp.argmax(row, axis=-1)
        new = xp.arange(row.shape[-1]) == (xp.expand_dims(best, axis=-1) if self.batch else best)
        new = cast_like(xp.reshape(xp.astype(new, s.mask.dtype), s.mask.shape), s.mask)
        mask = xp.maximum(s.mask, new)
        if self.niter_inner:
            op = Map(lambda q: forward(p.op, mask * q), lambda v: mask * adjoint(p.op, v))
            tiny = 10 * float(xp.finfo(s.mask.dtype).eps)
            q = run_inner(CGLSMachine(self.niter_inner, self.batch), Problem(op, p.y, tol=tiny), s.x)
            x = mask * q
            r = p.y - forward(p.op, x)
        else:
            column = forward(p.op, cast_like(new, s.x) + xp.zeros_like(s.x))
            if self.optimal:
                a = ratio(inner(column, s.r, self.batch), norm2(column, self.batch))
                step = times(a, new)
            else:
                step = correlation * new if norms is None else correlation * new / norms**2
                a = total(step, self.batch)
            x = s.x + step
            r = s.r - times(a, column)
        cost = norm(r, self.batch)
        return OMPState(x, r, mask, cost, status_of(cost <= p.extra["sigma"], cost))

    def report(self, p: Problem, s: OMPState) -> dict[str, Array]:
        return {"x": s.x, "mask": s.mask}

    def _restricted(self, p: Problem, x: Array, v: Array) -> Array:
        xp = namespace_of(x)
        chosen = x != 0
        image = adjoint(p.op, forward(p.op, xp.where(chosen, v, xp.zeros_like(v))))
        return xp.where(chosen, image, v)

    def residual(self, p: Problem, x: Array) -> Array:
        """The normal equations on the chosen columns; what is chosen does not change with small changes."""
        xp = namespace_of(x)
        return xp.where(x != 0, adjoint(p.op, p.y - forward(p.op, x)), -x)

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._implicit import hermitian_solve

        def solve(matvec: Any, b: Array) -> Array:
            machine = CGMachine(max(4 * self.niter, 40), self.batch, guarded=True)
            eps = float(namespace_of(b).finfo(b.dtype).eps)
            return run_traced(machine, Problem(Map(matvec), b, tol=10 * eps)).report["x"].astype(b.dtype)

        return hermitian_solve(lambda v: self._restricted(p, x, v), g, solve)


def column_norms(op: Any, like: Array) -> Array:
    """The norms of all columns of `op`, in the shape of a model: as many applications as there are columns."""
    xp = namespace_of(like)
    size = op.shape[1]
    identity = xp.reshape(xp.eye(size, dtype=like.dtype), (size, *op.dims))
    columns = forward(op, identity)
    return xp.reshape(xp.sqrt(norm2(columns, 1)), op.dims)
