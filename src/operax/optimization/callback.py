"""Callbacks: what happens before and after the stages of a solver, and criteria to stop it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from operax._arrays.namespace import Array, as_numpy

if TYPE_CHECKING:
    from operax.optimization.basesolver import Solver

__all__ = ["Callbacks", "CostNanInfCallback", "CostToDataCallback", "CostToInitialCallback", "MetricsCallback"]


class Callbacks:
    """Base of all callbacks: hooks that do nothing, to be overwritten.

    Each hook gets the solver and its current model. Set ``self.stop = True`` in a hook to stop the solver after the
    current step.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.callback import Callbacks
    >>> from operax.optimization.cls_basic import CGLS
    >>> class Models(Callbacks):
    ...     def __init__(self):
    ...         self.models = []
    ...     def on_step_end(self, solver, x):
    ...         self.models.append(x)
    ...         self.stop = len(self.models) == 2
    >>> seen = Models()
    >>> solver = CGLS(operax.MatrixMult(np.diag([1.0, 2.0, 3.0])), callbacks=[seen])
    >>> solver.solve(np.ones(3), niter=10).iterations
    2
    """

    stop: bool = False

    def on_setup_begin(self, solver: Solver, x0: Array) -> None:
        """Before the set-up, with the starting guess (or None)."""

    def on_setup_end(self, solver: Solver, x: Array) -> None:
        """After the set-up, with the starting model."""

    def on_step_begin(self, solver: Solver, x: Array) -> None:
        """Before each step."""

    def on_step_end(self, solver: Solver, x: Array) -> None:
        """After each step."""

    def on_run_begin(self, solver: Solver, x: Array) -> None:
        """Before the first step."""

    def on_run_end(self, solver: Solver, x: Array) -> None:
        """After the last step."""


def stop_asked(callbacks: Iterable[Callbacks]) -> bool:
    """Whether some callback wants the solver to stop."""
    return any(getattr(callback, "stop", False) for callback in callbacks)


class CostToDataCallback(Callbacks):
    """Stop when the cost falls below a fraction of the norm of the data.

    Parameters
    ----------
    rtol : float
        The fraction.

    Notes
    -----
    What the cost is depends on the solver: the residual norm of the linear solvers, the whole cost function of the
    sparsity-promoting ones.
    """

    def __init__(self, rtol: float) -> None:
        self.rtol = rtol
        self.stop = False
        self.ynorm = 0.0

    def on_setup_end(self, solver: Solver, x: Array) -> None:
        """Take the norm of the data."""
        self.stop = False
        self.ynorm = float(np.linalg.norm(as_numpy(solver.y).ravel()))  # type: ignore[attr-defined]

    def on_step_end(self, solver: Solver, x: Array) -> None:
        """Compare."""
        self.stop = bool(solver.cost[-1] <= self.rtol * self.ynorm)  # type: ignore[attr-defined]


class CostToInitialCallback(Callbacks):
    """Stop when the cost falls below a fraction of the first one.

    Parameters
    ----------
    rtol : float
        The fraction.
    """

    def __init__(self, rtol: float) -> None:
        self.rtol = rtol
        self.stop = False

    def on_step_end(self, solver: Solver, x: Array) -> None:
        """Compare."""
        cost = solver.cost  # type: ignore[attr-defined]
        self.stop = bool(cost[-1] <= self.rtol * cost[0])


class CostNanInfCallback(Callbacks):
    """Stop when the cost is NaN or infinite (operax solvers do so by themselves and say it in `reason`)."""

    def __init__(self) -> None:
        self.stop = False

    def on_step_end(self, solver: Solver, x: Array) -> None:
        """Look at the last cost."""
        self.stop = not np.isfinite(solver.cost[-1])  # type: ignore[attr-defined]


class MetricsCallback(Callbacks):
    """Compare the model with a known one after each step.

    Parameters
    ----------
    xtrue : array
        The known model.
    Op : LinearOperator, optional
        Applied to the model before the comparison.
    which : sequence of str, optional
        Any of "mae", "mse", "snr" and "psnr" (`operax.utils.metrics`).

    Attributes
    ----------
    metrics : dict
        For each name the list of values, one a step.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.callback import MetricsCallback
    >>> from operax.optimization.cls_basic import CGLS
    >>> truth = np.array([1.0, 2.0, 3.0])
    >>> Op = operax.MatrixMult(np.diag([1.0, 2.0, 3.0]))
    >>> watch = MetricsCallback(truth, which=("mse",))
    >>> _ = CGLS(Op, callbacks=[watch]).solve(Op @ truth, niter=3)
    >>> len(watch.metrics["mse"])
    3
    """

    def __init__(self, xtrue: Array, Op: Any = None, which: Sequence[str] = ("mae", "mse", "snr", "psnr")) -> None:
        known = ("mae", "mse", "snr", "psnr")
        unknown = [name for name in which if name not in known]
        if unknown:
            raise ValueError(f"which={tuple(which)!r} has unknown metrics {unknown}; known are {known}")
        self.xtrue = as_numpy(xtrue)
        self.Op = Op
        self.which = tuple(which)
        self.metrics: dict[str, list[float]] = {name: [] for name in self.which}
        self.stop = False

    def on_step_end(self, solver: Solver, x: Array) -> None:
        """Compute and keep the metrics."""
        from operax.utils import metrics

        model = as_numpy(x if self.Op is None else self.Op @ x).reshape(self.xtrue.shape)
        for name in self.which:
            self.metrics[name].append(float(getattr(metrics, name)(self.xtrue, model)))
