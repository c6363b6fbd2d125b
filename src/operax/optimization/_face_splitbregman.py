"""Split Bregman and ADMM: the class and the functions."""

# mypy: disable-error-code="override"
# each solver has arguments of its own in the methods that all have

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from operax._arrays.namespace import Array
from operax.optimization._face import CAPACITY, MachineSolver, Task, run_shown
from operax.optimization._result import Result
from operax.optimization._sparse_tasks import split_task


class SplitBregman(MachineSolver):
    r"""Split Bregman for problems with several :math:`\ell_1` and :math:`\ell_2` terms.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.sparsity.splitbregman : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_sparsity import SplitBregman
    >>> solver, D = SplitBregman(operax.Identity(4)), operax.FirstDerivative(4, kind="forward")
    >>> x, niter, cost = solver.solve(np.array([0.0, 0.0, 1.0, 1.0]), [D], niter_outer=100, epsRL1s=[0.5], tol=1e-8)
    >>> np.round(x, 3)
    array([0.125, 0.125, 0.875, 0.875])
    """

    columns: tuple[str, ...] = ("x[0]", "cost", "xupdate")

    def _task(self, y: Array, niter: int | None = None, RegsL1: Any = None, **options: Any) -> Task:
        if RegsL1 is None:
            from operax.basicoperators import Identity

            RegsL1 = [Identity(self.Op.dims)]
        options = {
            "x0": None, "niter_inner": 5, "RegsL2": None, "dataregsL2": None, "mu": 1.0, "epsRL1s": None,
            "epsRL2s": None, "tol": 1e-10, "tau": 1.0, "restart": False, "engine": "scipy", "given": {}, **options,
        }  # fmt: skip
        niter = CAPACITY if niter is None else niter
        return split_task(self.Op, y, RegsL1, niter_outer=niter, **options)

    def setup(
        self,
        y: Array,
        RegsL1: Any,
        x0: Any = None,
        niter_outer: int = 3,
        niter_inner: int = 5,
        RegsL2: Any = None,
        dataregsL2: Any = None,
        mu: Any = 1.0,
        epsRL1s: Any = None,
        epsRL2s: Any = None,
        tol: Any = 1e-10,
        tau: Any = 1.0,
        restart: bool = False,
        preallocate: bool = False,
        show: bool = False,
        engine: str = "scipy",
        rtol: Any = 0.0,
        rtol1: Any = 0.0,
        **kwargs_lsqr: Any,
    ) -> Array:
        """Take data and options (of the inner solver, too); gives the starting model."""
        self.mu, self.tau, self.tol = mu, tau, tol
        self._given_options = dict(
            RegsL1=RegsL1, x0=x0, niter_inner=niter_inner, RegsL2=RegsL2, dataregsL2=dataregsL2, mu=mu,
            epsRL1s=epsRL1s, epsRL2s=epsRL2s, tol=tol, tau=tau, restart=restart, engine=engine, given=kwargs_lsqr,
            rtol=rtol, rtol1=rtol1,
        )  # fmt: skip
        task = self._task(y, niter_outer, **self._given_options)
        return self._start(task, y, niter_outer, show)

    def solve(
        self,
        y: Array,
        RegsL1: Any,
        x0: Any = None,
        niter_outer: int = 3,
        niter_inner: int = 5,
        RegsL2: Any = None,
        dataregsL2: Any = None,
        mu: Any = 1.0,
        epsRL1s: Any = None,
        epsRL2s: Any = None,
        tol: Any = 1e-10,
        tau: Any = 1.0,
        restart: bool = False,
        engine: str = "scipy",
        preallocate: bool = False,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        show_inner: bool = False,
        progress: bool = False,
        **kwargs_lsqr: Any,
    ) -> Result:
        """Set-up, run and finish; gives ``(x, niter_outer, cost)``."""
        x = self.setup(
            y, RegsL1, x0, niter_outer, niter_inner, RegsL2, dataregsL2, mu, epsRL1s, epsRL2s, tol, tau, restart,
            show=show, engine=engine, **kwargs_lsqr,
        )  # fmt: skip
        self.run(x, niter_outer, show=show, itershow=itershow, progress=progress)
        self.finalize(show=show)
        return self.result_

    def memory_usage(self, nopRegsL1: Any = None, nopRegsL2: Any = None, show: bool = False, unit: str = "B") -> float:
        """Memory for the vectors of the solver; the first two are the numbers of rows of the terms."""
        return self._with_terms([*(nopRegsL1 or ()), *(nopRegsL2 or ())], show, unit)

    def step(
        self, x: Array, engine: str | None = None, show: bool = False, show_inner: bool = False, **kwargs_solver: Any
    ) -> Any:
        """One outer iteration; another `engine` or options of the inner solver than in `setup` hold from here on."""
        self._change(engine, kwargs_solver)
        return super().step(x, show=show)

    def run(
        self,
        x: Array,
        niter: int | None = None,
        engine: str | None = None,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        show_inner: bool = False,
        progress: bool = False,
        **kwargs_lsqr: Any,
    ) -> Array:
        """Iterate as often as `setup` was told (or `niter` times); options of the inner solver as in `step`."""
        self._change(engine, kwargs_lsqr)
        return super().run(x, niter, show=show, itershow=itershow, progress=progress)

    def _header(self) -> str:
        return f"mu = {self.mu:.2e}\ttau = {self.tau:.2e}\ttol = {self.tol:.2e}\tniter_outer = {self.niter}"

    def _row(self) -> tuple[Any, ...]:
        return self.carry.state.cost, self.carry.state.update


def splitbregman(
    Op: Any,
    y: Array,
    RegsL1: Any,
    x0: Any = None,
    niter_outer: int = 3,
    niter_inner: int = 5,
    RegsL2: Any = None,
    dataregsL2: Any = None,
    mu: Any = 1.0,
    epsRL1s: Any = None,
    epsRL2s: Any = None,
    tol: Any = 1e-10,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    tau: Any = 1.0,
    restart: bool = False,
    engine: str = "scipy",
    show: bool = False,
    itershow: tuple[int, int, int] = (10, 10, 10),
    show_inner: bool = False,
    callback: Callable[[Array], Any] | None = None,
    preallocate: bool = False,
    *,
    progress: bool = False,
    **kwargs_lsqr: Any,
) -> Result:
    r"""Split Bregman: least squares with several :math:`\ell_1` and :math:`\ell_2` terms, such as total variation.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    RegsL1 : list of LinearOperator
        Operators :math:`R_i` of the :math:`\ell_1` terms.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. It has no derivative.
    niter_outer : int, optional
        Greatest number of outer iterations.
    niter_inner : int, optional
        Solves and shrinkages between updates of the Bregman variables; 1 gives ADMM.
    RegsL2 : list of LinearOperator, optional
        Operators :math:`Q_j` of the :math:`\ell_2` terms.
    dataregsL2 : list of array, optional
        Their data :math:`d_j` (zero by default).
    mu : float, optional
        Weight of the data misfit.
    epsRL1s, epsRL2s : list of float, optional
        Weights of the terms (1 by default).
    tol : float, optional
        Stop when the change of the model is below `tol` times its norm.
    rtol, rtol1 : float, optional
        Stop when the cost falls below `rtol` times that of the starting guess, or below `rtol1` times the norm of the
        data.
    tau : float, optional
        Factor of the Bregman update, close to 1.
    restart : bool, optional
        Start each inner solve from `x0` instead of the last model.
    engine : {"scipy", "pylops"}, optional
        Names and defaults of the options of the inner solver: LSQR, or CGLS with ten iterations without a tolerance.
    show : bool, optional
        Print a table; `itershow` are the numbers of first and last rows and the distance between rows in the middle.
    show_inner : bool, optional
        Accepted for compatibility: inner solves are part of the compiled step and print nothing.
    callback : callable, optional
        ``callback(x)`` is called after every outer iteration; returning True stops the solver.
    preallocate : bool, optional
        Accepted for compatibility and without effect.
    progress : bool, optional
        Show a progress bar.
    **kwargs_lsqr
        Options of the inner solver, e.g. ``iter_lim``, ``atol`` and ``btol`` of LSQR.

    Returns
    -------
    x : array
        The model, of shape `dims`.
    itn_out : int
        Number of outer iterations.
    cost : array
        The objective below (without the :math:`\ell_2` terms of parts that have no data), after each outer iteration.

    The returned `Result` unpacks as this tuple and has also `reason`, `converged`, `status` and `plot()`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or an argument is of the wrong kind.

    Notes
    -----
    .. math::
        \min_x \tfrac{\mu}{2} \|y - A x\|^2 + \sum_j \tfrac{\epsilon_j}{2} \|d_j - Q_j x\|^2
        + \sum_i \epsilon_i^2 \|R_i x\|_1

    The weight :math:`\epsilon_i` is both the penalty of the splitting and the threshold, as in the field's
    implementations, which makes it count as its square; `operax.optimization.proximal.admm` has one for each.
    Derivatives are those of the fixed point; they assume convergence.

    References
    ----------
    T. Goldstein and S. Osher, The split Bregman method for L1-regularized problems, SIAM J. Imaging Sci. 2 (2009).

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.sparsity import splitbregman
    >>> D = operax.FirstDerivative(4, kind="forward")
    >>> x = splitbregman(operax.Identity(4), np.array([0.0, 0, 1, 1]), [D], niter_outer=100, epsRL1s=[0.5], tol=1e-8)[0]
    >>> np.round(x, 3)
    array([0.125, 0.125, 0.875, 0.875])
    """
    options = dict(
        RegsL1=RegsL1, x0=x0, niter_outer=niter_outer, niter_inner=niter_inner, RegsL2=RegsL2, dataregsL2=dataregsL2,
        mu=mu, epsRL1s=epsRL1s, epsRL2s=epsRL2s, tol=tol, rtol=rtol, rtol1=rtol1, tau=tau, restart=restart,
        engine=engine,
    )  # fmt: skip
    if show or progress or callback is not None:
        return run_shown(SplitBregman(Op), y, {**options, **kwargs_lsqr}, show, itershow, progress, callback)
    return split_task(Op, y, given=kwargs_lsqr, **options).solve()
