"""The basic solvers as classes: CG, CGLS and LSQR, step by step or whole."""

# mypy: disable-error-code="override"
# each solver has arguments of its own in the methods that all have

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax.optimization import _tasks
from operax.optimization._face import CAPACITY, MachineSolver, Task
from operax.optimization._result import Result

__all__ = ["CG", "CGLS", "LSQR"]


class CG(MachineSolver):
    r"""Conjugate gradients for a square, Hermitian positive definite operator.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`N \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.basic.cg : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_basic import CG
    >>> x, iterations, cost = CG(operax.MatrixMult(np.diag([1.0, 2.0]))).solve(np.array([1.0, 4.0]))
    >>> x
    array([1., 2.])
    """

    columns: tuple[str, ...] = ("x[0]", "r2norm")

    def _task(
        self, y: Array, x0: Any = None, niter: int | None = None, damp: Any = 0.0, tol: Any = 1e-4, **more: Any
    ) -> Task:
        return _tasks.cg_task(self.Op, y, x0, CAPACITY if niter is None else niter, damp, tol, **more)

    def setup(
        self,
        y: Array,
        x0: Any = None,
        niter: int | None = None,
        damp: Any = 0.0,
        tol: Any = 1e-4,
        preallocate: bool = False,
        show: bool = False,
        **more: Any,
    ) -> Array:
        """Take data and options; gives the starting model. See `operax.optimization.basic.cg` for the arguments."""
        self.damp, self.tol = damp, tol
        return self._start(self._task(y, x0, niter, damp, tol, **more), y, niter, show)

    def solve(
        self,
        y: Array,
        x0: Any = None,
        niter: int = 10,
        damp: Any = 0.0,
        tol: Any = 1e-4,
        preallocate: bool = False,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
        **more: Any,
    ) -> Result:
        """Set-up, run and finish; gives ``(x, iterations, cost)``."""
        x = self.setup(y, x0=x0, niter=niter, damp=damp, tol=tol, show=show, **more)
        self.run(x, niter, show=show, itershow=itershow, progress=progress)
        self.finalize(show=show)
        return self.result_

    def _header(self) -> str:
        return f"damp = {self.damp:10e}\ttol = {self.tol:10e}\tniter = {self.niter}"


class CGLS(CG):
    r"""Conjugate gradients for least-squares problems.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.basic.cgls : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_basic import CGLS
    >>> solver = CGLS(operax.MatrixMult(np.array([[1.0], [1.0]])))
    >>> solver.solve(np.array([1.0, 3.0]))[0]
    array([2.])
    """

    columns = ("x[0]", "r1norm", "r2norm")

    def _task(
        self, y: Array, x0: Any = None, niter: int | None = None, damp: Any = 0.0, tol: Any = 1e-4, **more: Any
    ) -> Task:
        return _tasks.cgls_task(self.Op, y, x0, CAPACITY if niter is None else niter, damp, tol, **more)

    def _row(self) -> tuple[Any, ...]:
        report = self.task.machine.report(self.task.problem, self.carry.state)
        return report["r1norm"], report["r2norm"]


class LSQR(MachineSolver):
    r"""LSQR: least squares by bidiagonalisation.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.basic.lsqr : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_basic import LSQR
    >>> LSQR(operax.MatrixMult(np.array([[1.0], [1.0]]))).solve(np.array([1.0, 3.0])).x
    array([2.])
    """

    columns = ("x[0]", "r1norm", "r2norm", "Norm A", "Cond A")

    def _task(
        self,
        y: Array,
        x0: Any = None,
        damp: Any = 0.0,
        atol: Any = 1e-8,
        btol: Any = 1e-8,
        conlim: Any = 1e8,
        niter: int | None = 10,
        calc_var: bool = True,
    ) -> Task:
        niter = CAPACITY if niter is None else niter
        return _tasks.lsqr_task(self.Op, y, x0, damp, atol, btol, conlim, niter, calc_var)

    def setup(
        self,
        y: Array,
        x0: Any = None,
        damp: Any = 0.0,
        atol: Any = 1e-8,
        btol: Any = 1e-8,
        conlim: Any = 1e8,
        niter: int | None = 10,
        calc_var: bool = True,
        preallocate: bool = False,
        show: bool = False,
    ) -> Array:
        """Take data and options; gives the starting model. See `operax.optimization.basic.lsqr` for the arguments."""
        self.damp, self.atol, self.btol, self.conlim = damp, atol, btol, conlim
        return self._start(self._task(y, x0, damp, atol, btol, conlim, niter, calc_var), y, niter, show)

    def solve(
        self,
        y: Array,
        x0: Any = None,
        damp: Any = 0.0,
        atol: Any = 1e-8,
        btol: Any = 1e-8,
        conlim: Any = 1e8,
        niter: int = 10,
        calc_var: bool = True,
        preallocate: bool = False,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
    ) -> Result:
        """Set-up, run and finish; gives the tuple of `operax.optimization.basic.lsqr`."""
        x = self.setup(y, x0, damp, atol, btol, conlim, niter, calc_var, show=show)
        self.run(x, niter, show=show, itershow=itershow, progress=progress)
        self.finalize(show=show)
        return self.result_

    def _header(self) -> str:
        return (
            f"damp = {self.damp:10e}\tatol = {self.atol:.2e}\tbtol = {self.btol:.2e}\t"
            f"conlim = {self.conlim:.2e}\tniter = {self.niter}"
        )

    def _row(self) -> tuple[Any, ...]:
        s = self.carry.state
        return s.r1norm, s.r2norm, s.anorm, s.acond
