r"""Proximal gradient methods for :math:`\tfrac12 \|y - A x\|^2 + \tfrac{\epsilon}{2} P(x)`: ISTA [1]_ and FISTA [2]_.

One forward and one adjoint an iteration: the data of the extrapolated point follow by linearity from those of the
models, so the cost at each model costs nothing.

.. [1] I. Daubechies, M. Defrise and C. De Mol, An iterative thresholding algorithm for linear inverse problems with a
   sparsity constraint, Comm. Pure Appl. Math. 57 (2004), 1413-1457.
.. [2] A. Beck and M. Teboulle, A fast iterative shrinkage-thresholding algorithm for linear inverse problems, SIAM J.
   Imaging Sci. 2 (2009), 183-202.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from operax._arrays.namespace import Array
from operax.optimization._machine import Machine, Problem, status_of
from operax.optimization._space import adjoint, forward, namespace_of, norm, norm2, real_inner, times
from operax.optimization._status import INCREASING
from operax.optimization._thresholds import penalty, threshold


class ProximalState(NamedTuple):
    """Model and extrapolated point, each with its data; `k` counts for the decay of the threshold."""

    x: Array
    data: Array
    z: Any
    zdata: Any
    t: Any
    k: Array
    update: Array
    misfit: Array
    cost: Array
    status: Array


@dataclass(frozen=True)
class ProximalMachine(Machine):
    """Both methods; `extra` of the problem holds `eps`, `alpha` and, where used, `SOp`, `perc` and `decay`."""

    kind: str = "soft"
    fast: bool = False
    monitor: bool = False
    restart: bool = False

    @property
    def first_cost(self) -> bool:
        return False

    def _prox(self, p: Problem, u: Array, k: Any) -> tuple[Array, Array]:
        """The thresholded model and the l1 norm of its coefficients."""
        extra = p.extra
        transform = extra.get("SOp")
        if transform is not None:
            u = adjoint(transform, u)
        if self.kind.endswith("percentile"):
            level = extra["perc"]  # a percentage does not decay
        else:
            level = 0.5 * extra["eps"] * extra["alpha"]
            if extra.get("decay") is not None:
                level = level * extra["decay"][k]
        c = threshold(u, level, self.kind, self.batch)
        return (c if transform is None else forward(transform, c)), penalty(c, self.kind, self.batch)

    def init(self, p: Problem) -> ProximalState:
        xp = namespace_of(p.y)
        if p.x0 is None:
            x = xp.zeros_like(adjoint(p.op, p.y))
            data = xp.zeros_like(p.y)
        else:
            x = p.x0
            data = forward(p.op, x)
        misfit = norm2(p.y - data, self.batch)
        transform = p.extra.get("SOp")
        size = penalty(x if transform is None else adjoint(transform, x), self.kind, self.batch)
        cost = 0.5 * (misfit + p.extra["eps"] * size)
        status = status_of(cost < 0, cost)
        z, zdata, t = (x, data, xp.ones_like(cost)) if self.fast else (None, None, None)
        return ProximalState(x, data, z, zdata, t, xp.zeros_like(status), xp.zeros_like(cost), misfit, cost, status)

    def step(self, p: Problem, s: ProximalState) -> ProximalState:
        xp = namespace_of(s.x)
        z, zdata = (s.z, s.zdata) if self.fast else (s.x, s.data)
        u = z + p.extra["alpha"] * adjoint(p.op, p.y - zdata)
        x, size = self._prox(p, u, s.k)
        data = forward(p.op, x)
        misfit = norm2(p.y - data, self.batch)
        cost = 0.5 * (misfit + p.extra["eps"] * size)
        update = norm(x - s.x, self.batch)
        t = None
        if self.fast:
            t = (1 + xp.sqrt(1 + 4 * s.t**2)) / 2
            if self.restart:  # where the momentum points uphill it is dropped
                uphill = real_inner(z - x, x - s.x, self.batch) > 0
                t = xp.where(uphill, xp.ones_like(t), t)
                momentum = xp.where(uphill, xp.zeros_like(t), (s.t - 1) / t)
            else:
                momentum = (s.t - 1) / t
            z = x + times(momentum, x - s.x)
            zdata = data + times(momentum, data - s.data)
        else:
            z = zdata = None
        converged = update <= xp.maximum(p.tol * norm(x, self.batch), xp.asarray(p.atol, dtype=update.dtype))
        failures = ((misfit > s.misfit, INCREASING),) if self.monitor else ()
        status = status_of(converged, cost, *failures)
        return ProximalState(x, data, z, zdata, t, s.k + 1, update, misfit, cost, status)

    def report(self, p: Problem, s: ProximalState) -> dict[str, Array]:
        return {"x": s.x, "misfit": s.misfit, "update": s.update}

    def residual(self, p: Problem, x: Array) -> Array:
        """The solution is a fixed point of one step without momentum."""
        import jax

        # the fixed point does not depend on the length of the step
        p = p._replace(extra={**p.extra, "alpha": jax.lax.stop_gradient(p.extra["alpha"])})
        last = self.niter - 1
        u = x + p.extra["alpha"] * adjoint(p.op, p.y - forward(p.op, x))
        return self._prox(p, u, last)[0] - x

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        from operax.optimization._fixedpoint import fixed_point_tangent

        return fixed_point_tangent(self, p, x, g)
