"""What a solver is: a state machine over arrays of any library.

A machine is static (its options are part of what is compiled); everything with values, the operator included, stands
in a `Problem`. The loop, not the machine, counts iterations and keeps the history, so a machine is three functions:
the first state, the step, and what to report of the last state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from operax._arrays.namespace import Array
from operax.optimization._space import namespace_of
from operax.optimization._status import CONVERGED, NONFINITE, REASONS, RUNNING


class Problem(NamedTuple):
    """Everything with values that a solve depends on: a pytree.

    `extra` holds what single solvers need besides: a dictionary of arrays and operators. `adjoint_x0` is the starting
    guess of the solve that a derivative makes.
    """

    op: Any
    y: Array
    x0: Array | None = None
    damp: Any = 0.0
    tol: Any = 0.0
    atol: Any = 0.0
    rtol: Any = 0.0
    rtol1: Any = 0.0
    M: Any = None
    extra: Any = None
    adjoint_x0: Array | None = None


@dataclass(frozen=True)
class Machine:
    """Base of all solvers; `batch` is the number of leading axes that count independent systems."""

    niter: int
    batch: int = 0

    @property
    def first_cost(self) -> bool:
        """Whether the cost history of the result starts before the first iteration."""
        return True

    def init(self, p: Problem) -> Any:
        """The state before the first iteration: a named tuple with at least `x`, `cost` and `status`."""
        raise TypeError(f"{type(self).__name__} defines no init")

    def step(self, p: Problem, s: Any) -> Any:
        """The state after one more iteration."""
        raise TypeError(f"{type(self).__name__} defines no step")

    def report(self, p: Problem, s: Any) -> dict[str, Array]:
        """What of the last state goes into the result; `x` is the solution and the only differentiable entry."""
        return {"x": s.x}

    def data_scale(self, p: Problem) -> Array:
        """What `rtol1` is relative to."""
        from operax.optimization._space import norm

        return norm(p.y, self.batch)

    explicit_derivative = False
    """Whether the derivative is that of `solution` instead of `residual` and `tangent`."""

    def solution(self, p: Problem) -> Array:
        """The solution as an expression that JAX can differentiate."""
        raise TypeError(f"{type(self).__name__} has no explicit derivative")

    def residual(self, p: Problem, x: Array) -> Array:
        """The equations whose root the solution is; differentiated with respect to `p`, at fixed `x`."""
        raise TypeError(f"{type(self).__name__} has no implicit derivative")

    def tangent(self, p: Problem, x: Array, g: Array) -> Array:
        """The change of the solution for a change `g` of the residual: linear in `g`, and transposable by JAX."""
        raise TypeError(f"{type(self).__name__} has no implicit derivative")


NO_MACHINE = Machine(0)
"""In the place of an inner machine that is not given."""


_CODES = [np.int32(code) for code in range(max(REASONS) + 1)]


def status_of(converged: Array, cost: Array, *failures: tuple[Array, int]) -> Array:
    """The code of a state: not finite before failures, failures before convergence."""
    if isinstance(cost, np.generic):  # one system on NumPy: no arrays are needed to decide
        code = CONVERGED if converged else RUNNING
        for condition, failure in failures:
            if condition:
                code = failure
        return _CODES[code if math.isfinite(cost) else NONFINITE]
    xp = namespace_of(cost)
    status = xp.where(converged, CONVERGED, RUNNING)
    for condition, code in failures:
        status = xp.where(condition, code, status)
    return xp.astype(xp.where(xp.isfinite(cost), status, NONFINITE), xp.int32)
