r"""Iteratively reweighted least squares, for data with outliers and for sparse models [1]_.

.. [1] R. Chartrand and W. Yin, Iteratively reweighted algorithms for compressive sensing, ICASSP 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._machine import NO_MACHINE, Machine, Problem, status_of
from operax.optimization._regularized import inner_problem, run_inner
from operax.optimization._space import Map, adjoint, expand, forward, largest, namespace_of, norm, ratio

KINDS = ("data", "model", "datamodel")


class IRLSState(NamedTuple):
    """Model, its data residual, and the outer iterations made."""

    x: Array
    r: Array
    k: Array
    update: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class IRLSMachine(Machine):
    """`extra` of the problem holds `epsR`, `epsI` and the options `inner` of the linear solver."""

    kind: str = "data"
    clipped: bool = False
    warm: bool = False
    inner: Machine = NO_MACHINE

    def _weights(self, p: Problem, x: Array, r: Array) -> tuple[Any, Any]:
        """Squares of the weights of data and of model, the largest being one."""
        xp, epsR = namespace_of(x), p.extra["epsR"]
        data = model = None
        if self.kind != "model":
            size = xp.abs(r)
            floor = xp.maximum(size, xp.asarray(epsR, dtype=size.dtype)) if self.clipped else size + epsR
            data = 1.0 / floor
            data = data / expand(largest(data, self.batch), data)
        if self.kind != "data":
            model = xp.abs(x)
            top = largest(model, self.batch)
            model = model * expand(ratio(xp.ones_like(top), top), model)
        return data, model

    def init(self, p: Problem) -> IRLSState:
        xp = namespace_of(p.y)
        x = xp.zeros_like(adjoint(p.op, p.y))
        x = x if p.x0 is None else x + p.x0  # a real guess for a complex model
        r = p.y - forward(p.op, x)
        cost = norm(r, self.batch)
        status = status_of(cost < 0, cost)
        return IRLSState(x, r, xp.zeros_like(status), xp.zeros_like(cost), cost, status)

    def step(self, p: Problem, s: IRLSState) -> IRLSState:
        xp = namespace_of(s.x)
        data, model = self._weights(p, s.x, s.r)
        if p.x0 is None:  # without a guess, the first solve is not weighted
            first = s.k == 0
            data = None if data is None else xp.where(expand(first, data), xp.ones_like(data), data)
            model = None if model is None else xp.where(expand(first, model), xp.ones_like(model), model)
        w = None if data is None else xp.sqrt(data)
        m = None if model is None else xp.sqrt(model)

        def weigh(a: Any, v: Array) -> Array:
            return v if a is None else a * v

        op = Map(
            lambda q: weigh(w, forward(p.op, weigh(m, q))),
            lambda v: weigh(m, adjoint(p.op, weigh(w, v))),
        )
        values = {**p.extra["inner"], "damp": p.extra["epsI"]}
        guess = s.x if self.warm and m is None else None
        q = run_inner(self.inner, inner_problem(values, op, weigh(w, p.y), guess), s.x)
        x = weigh(m, q)
        r = p.y - forward(p.op, x)
        update, cost = norm(x - s.x, self.batch), norm(r, self.batch)
        converged = update <= xp.maximum(p.tol * norm(x, self.batch), xp.asarray(p.atol, dtype=cost.dtype))
        return IRLSState(x, r, s.k + 1, update, cost, status_of(converged, cost))

    def residual(self, p: Problem, x: Array) -> Array:
        """The normal equations of the weighted problem, with the weights of its own solution."""
        r = p.y - forward(p.op, x)
        data, model = self._weights(p, x, r)
        g = adjoint(p.op, r if data is None else data * r)
        return (g if model is None else model * g) - p.extra["epsI"] ** 2 * x

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._fixedpoint import fixed_point_tangent

        return fixed_point_tangent(self, p, x, g)
