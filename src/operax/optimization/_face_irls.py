"""Iteratively reweighted least squares: the class and the function."""

# mypy: disable-error-code="override"
# each solver has arguments of its own in the methods that all have

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from operax._arrays.namespace import Array
from operax.optimization._face import CAPACITY, MachineSolver, Task, run_shown
from operax.optimization._result import Result
from operax.optimization._sparse_tasks import irls_task


class IRLS(MachineSolver):
    r"""Iteratively reweighted least squares.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.sparsity.irls : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_sparsity import IRLS
    >>> Op = operax.MatrixMult(np.ones((5, 1)))
    >>> x, nouter = IRLS(Op).solve(np.array([1.0, 1.0, 1.0, 1.0, 50.0]), nouter=30, epsR=1e-3)
    >>> np.round(x, 2)
    array([1.])
    """

    columns: tuple[str, ...] = ("x[0]", "r2norm", "xupdate")

    def _task(self, y: Array, niter: int | None = None, **options: Any) -> Task:
        options = {
            "x0": None, "threshR": False, "epsR": 1e-10, "epsI": 1e-10, "tolIRLS": 1e-10, "warm": False,
            "kind": "data", "engine": "scipy", "given": {}, **options,
        }  # fmt: skip
        return irls_task(self.Op, y, nouter=CAPACITY if niter is None else niter, **options)

    def setup(
        self,
        y: Array,
        nouter: int | None = None,
        threshR: bool = False,
        epsR: Any = 1e-10,
        epsI: Any = 1e-10,
        tolIRLS: Any = 1e-10,
        warm: bool = False,
        kind: str = "data",
        preallocate: bool = False,
        show: bool = False,
        x0: Any = None,
        engine: str = "scipy",
        **kwargs_solver: Any,
    ) -> Array:
        """Take data and options (of the inner solver, too); gives the starting model."""
        self.kind, self.tolIRLS = kind, tolIRLS
        self._given_options = dict(
            x0=x0, threshR=threshR, epsR=epsR, epsI=epsI, tolIRLS=tolIRLS, warm=warm, kind=kind, engine=engine,
            given=kwargs_solver,
        )  # fmt: skip
        task = self._task(y, nouter, **self._given_options)
        return self._start(task, y, nouter, show)

    def solve(
        self,
        y: Array,
        x0: Any = None,
        nouter: int = 10,
        threshR: bool = False,
        epsR: Any = 1e-10,
        epsI: Any = 1e-10,
        tolIRLS: Any = 1e-10,
        kind: str = "data",
        warm: bool = False,
        engine: str = "scipy",
        preallocate: bool = False,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
        **kwargs_solver: Any,
    ) -> Result:
        """Set-up, run and finish; gives ``(x, nouter)``."""
        x = self.setup(
            y, nouter, threshR, epsR, epsI, tolIRLS, warm, kind, show=show, x0=x0, engine=engine, **kwargs_solver
        )
        self.run(x, nouter, show=show, itershow=itershow, progress=progress)
        self.finalize(show=show)
        return self.result_

    def memory_usage(self, kind: str = "data", show: bool = False, unit: str = "B") -> float:
        """Memory for the vectors of the solver: as much for each `kind`."""
        return super().memory_usage(show=show, unit=unit)

    def step(self, x: Array, engine: str | None = None, show: bool = False, **kwargs_solver: Any) -> Any:
        """One outer iteration; another `engine` or options of the inner solver than in `setup` hold from here on."""
        self._change(engine, kwargs_solver)
        return super().step(x, show=show)

    def run(
        self,
        x: Array,
        nouter: int | None = None,
        engine: str | None = None,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
        **kwargs_solver: Any,
    ) -> Array:
        """Iterate up to `nouter` times; options of the inner solver as in `step`."""
        self._change(engine, kwargs_solver)
        return super().run(x, nouter, show=show, itershow=itershow, progress=progress)

    def _header(self) -> str:
        return f"kind = {self.kind}\ttolIRLS = {self.tolIRLS:10e}\tnouter = {self.niter}"

    def _row(self) -> tuple[Any, ...]:
        return self.carry.state.cost, self.carry.state.update


def irls(
    Op: Any,
    y: Array,
    x0: Any = None,
    nouter: int = 10,
    threshR: bool = False,
    epsR: Any = 1e-10,
    epsI: Any = 1e-10,
    tolIRLS: Any = 1e-10,
    warm: bool = False,
    kind: str = "data",
    engine: str = "scipy",
    show: bool = False,
    itershow: tuple[int, int, int] = (10, 10, 10),
    callback: Callable[[Array], Any] | None = None,
    preallocate: bool = False,
    *,
    progress: bool = False,
    **kwargs_solver: Any,
) -> Result:
    r"""Iteratively reweighted least squares: :math:`\ell_1` misfit, or sparse models.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess; without one the first solve is not weighted. It has no derivative.
    nouter : int, optional
        Greatest number of outer iterations.
    threshR : bool, optional
        Clip residuals at `epsR` from below instead of adding it.
    epsR : float, optional
        Smallest residual, which bounds the weights.
    epsI : float, optional
        Damping of the weighted solves.
    tolIRLS : float, optional
        Stop when the change of the model is below `tolIRLS` times its norm.
    warm : bool, optional
        Start each weighted solve from the last model (``kind="data"``).
    kind : {"data", "model", "datamodel"}, optional
        What is reweighted: the residuals (robust to outliers), the model (sparse), or both.
    engine : {"scipy", "pylops"}, optional
        Names and defaults of the options of the inner solver: LSQR or CGLS.
    show : bool, optional
        Print a table; `itershow` are the numbers of first and last rows and the distance between rows in the middle.
    callback : callable, optional
        ``callback(x)`` is called after every outer iteration; returning True stops the solver.
    preallocate : bool, optional
        Accepted for compatibility and without effect.
    progress : bool, optional
        Show a progress bar.
    **kwargs_solver
        Options of the inner solver, e.g. ``iter_lim``, ``atol`` and ``btol`` of LSQR.

    Returns
    -------
    x : array
        The model, of shape `dims`.
    nouter : int
        Number of outer iterations.

    The returned `Result` unpacks as this tuple and has also `cost` (residual norms), `reason` and `plot()`.

    Raises
    ------
    ValueError, TypeError
        For an unknown `kind` or option, or shapes that do not fit.

    Notes
    -----
    The residual :math:`r_j` gets the weight :math:`1 / (|r_j| + \epsilon_R)`, scaled to at most one; in sparse models
    :math:`x = W^{1/2} q` with :math:`W_{jj} = |x_j|`, scaled to at most one.

    References
    ----------
    R. Chartrand and W. Yin, Iteratively reweighted algorithms for compressive sensing, ICASSP 2008.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.sparsity import irls
    >>> Op = operax.MatrixMult(np.ones((5, 1)))
    >>> np.round(irls(Op, np.array([1.0, 1.0, 1.0, 1.0, 50.0]), nouter=30, epsR=1e-3)[0], 2)
    array([1.])
    """
    options = dict(
        x0=x0, nouter=nouter, threshR=threshR, epsR=epsR, epsI=epsI, tolIRLS=tolIRLS, warm=warm, kind=kind,
        engine=engine,
    )  # fmt: skip
    if show or progress or callback is not None:
        return run_shown(IRLS(Op), y, {**options, **kwargs_solver}, show, itershow, progress, callback)
    return irls_task(Op, y, given=kwargs_solver, **options).solve()
