"""Sparsity-promoting solvers as classes, step by step or whole."""

# mypy: disable-error-code="override"
# each solver has arguments of its own in the methods that all have

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax.optimization import _tasks
from operax.optimization._face import CAPACITY, MachineSolver, Task
from operax.optimization._face_irls import IRLS
from operax.optimization._face_omp import OMP
from operax.optimization._face_spgl1 import SPGL1
from operax.optimization._face_splitbregman import SplitBregman
from operax.optimization._result import Result
from operax.optimization._status import INCREASING

__all__ = ["FISTA", "IRLS", "ISTA", "OMP", "SPGL1", "SplitBregman"]


class ISTA(MachineSolver):
    r"""Iterative shrinkage and thresholding.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.sparsity.ista : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_sparsity import ISTA
    >>> x, iterations, cost = ISTA(operax.Identity(3)).solve(np.array([3.0, 0.1, -2.0]), niter=50, eps=1.0, alpha=1.0)
    >>> x
    array([ 2.5,  0. , -1.5])
    """

    columns: tuple[str, ...] = ("x[0]", "r2norm", "r12norm", "xupdate")
    fast = False

    def _task(self, y: Array, x0: Any = None, niter: int | None = None, **options: Any) -> Task:
        niter = CAPACITY if niter is None else niter
        options = {"SOp": None, "eps": 0.1, "alpha": 1.0, "eigsdict": None, "tol": 1e-10, **options}
        return _tasks.proximal_task(self.Op, y, x0, niter, fast=self.fast, **options)

    def setup(
        self,
        y: Array,
        x0: Any = None,
        niter: int | None = None,
        SOp: Any = None,
        eps: Any = 0.1,
        alpha: Any = None,
        eigsdict: dict[str, Any] | None = None,
        tol: Any = 1e-10,
        threshkind: str = "soft",
        perc: Any = None,
        decay: Any = None,
        monitorres: bool = False,
        preallocate: bool = False,
        show: bool = False,
        **more: Any,
    ) -> Any:
        """Take data and options; gives the starting model (see `operax.optimization.sparsity.ista`)."""
        options = dict(
            SOp=SOp, eps=eps, alpha=alpha, eigsdict=eigsdict, tol=tol, threshkind=threshkind, perc=perc, decay=decay,
            monitorres=monitorres, **more,
        )  # fmt: skip
        task = self._task(y, x0, niter, **options)
        self.eps, self.tol, self.threshkind, self.alpha = eps, tol, threshkind, task.problem.extra["alpha"]
        return self._start(task, y, niter, show)

    def step(self, x: Array, show: bool = False) -> Any:
        """One iteration; gives the model and the norm of its change."""
        x = super().step(x, show=show)
        self._check()
        return x, self.carry.state.update

    def _one_step(self, x: Array, show: bool) -> Array:
        return self.step(x, show=show)[0]

    def _check(self) -> None:
        if (self.carry.status == INCREASING).any():
            raise ValueError(increased(type(self).__name__, self.iiter))

    def run(
        self,
        x: Array,
        niter: int | None = None,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
    ) -> Array:
        """Iterate up to `niter` steps (or what `setup` was told); gives the model."""
        x = super().run(x, niter, show=show, itershow=itershow, progress=progress)
        self._check()
        return x

    def solve(
        self,
        y: Array,
        x0: Any = None,
        niter: int | None = None,
        SOp: Any = None,
        eps: Any = 0.1,
        alpha: Any = None,
        eigsdict: dict[str, Any] | None = None,
        tol: Any = 1e-10,
        threshkind: str = "soft",
        perc: Any = None,
        decay: Any = None,
        monitorres: bool = False,
        preallocate: bool = False,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
        **more: Any,
    ) -> Result:
        """Set-up, run and finish; gives ``(x, iterations, cost)``."""
        niter = 10 if niter is None else niter
        x = self.setup(
            y, x0=x0, niter=niter, SOp=SOp, eps=eps, alpha=alpha, eigsdict=eigsdict, tol=tol, threshkind=threshkind,
            perc=perc, decay=decay, monitorres=monitorres, show=show, **more,
        )  # fmt: skip
        self.run(x, niter, show=show, itershow=itershow, progress=progress)
        self.finalize(show=show)
        return self.result_

    def _header(self) -> str:
        return (
            f"thresholding = {self.threshkind}\teps = {self.eps:10e}\ttol = {self.tol:10e}\t"
            f"niter = {self.niter}\nalpha = {float(self.alpha):10e}"
        )

    def _row(self) -> tuple[Any, ...]:
        s = self.carry.state
        return 0.5 * s.misfit, s.cost, s.update


class FISTA(ISTA):
    r"""Fast iterative shrinkage and thresholding.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.sparsity.fista : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_sparsity import FISTA
    >>> FISTA(operax.Identity(3)).solve(np.array([3.0, 0.1, -2.0]), niter=50, eps=1.0, alpha=1.0).x
    array([ 2.5,  0. , -1.5])
    """

    fast = True

    def step(self, x: Array, z: Array, show: bool = False) -> Any:
        """One iteration; gives the model, the extrapolated point and the norm of the change of the model."""
        x, update = super().step(x, show=show)
        return x, self.task.model(self.carry.state.z), update

    def _one_step(self, x: Array, show: bool) -> Array:
        return self.step(x, self.carry.state.z, show=show)[0]


def increased(name: str, iteration: int) -> str:
    """The error text where a monitored residual increases."""
    return (
        f"{name} stopped at iteration {iteration} because the residual increased; "
        "take a smaller alpha (alpha=None estimates a safe one) or a smaller eps"
    )
