"""Spectral projected gradients: the class and the function."""

# mypy: disable-error-code="override"
# each solver has arguments of its own in the methods that all have

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from operax._arrays.namespace import Array, is_tracer
from operax.optimization._face import CAPACITY, MachineSolver, Task, run_shown
from operax.optimization._result import Result
from operax.optimization._sparse_tasks import spgl1_task
from operax.optimization._status import CONVERGED


class SPGL1(MachineSolver):
    r"""Spectral projected gradients for sparse models.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.sparsity.spgl1 : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_sparsity import SPGL1
    >>> x, p, info = SPGL1(operax.Identity(2)).solve(np.array([3.0, 1.0]), tau=2.0)
    >>> np.round(x, 4)
    array([2., 0.])
    """

    columns: tuple[str, ...] = ("x[0]", "rnorm", "gap", "tau")

    def _task(self, y: Array, niter: int | None = None, **options: Any) -> Task:
        options = {"x0": None, "SOp": None, "tau": 0.0, "sigma": 0.0, "tol": 1e-6, **options}
        return spgl1_task(self.Op, y, niter=CAPACITY if niter is None else niter, **options)

    def setup(
        self,
        y: Array,
        SOp: Any = None,
        tau: Any = 0,
        sigma: Any = 0,
        show: bool = False,
        x0: Any = None,
        iter_lim: int = 1000,
        opt_tol: Any = 1e-6,
        **kwargs_spgl1: Any,
    ) -> Array:
        """Take data and options; gives the starting model."""
        check_tuning(kwargs_spgl1)
        self.tau, self.sigma = tau, sigma
        task = self._task(y, iter_lim, x0=x0, SOp=SOp, tau=tau, sigma=sigma, tol=opt_tol)
        return self._start(task, y, iter_lim, show)

    def run(
        self,
        x: Array,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
        niter: int | None = None,
        **kwargs_spgl1: Any,
    ) -> Array:
        """Iterate as often as `setup` was told (or `niter` times); gives the model."""
        niter = kwargs_spgl1.pop("iter_lim", niter)
        check_tuning(kwargs_spgl1)
        return super().run(x, niter, show=show, itershow=itershow, progress=progress)

    def finalize(self, *args: Any, show: bool = False, **kwargs: Any) -> None:
        """Take the time, compute what the result needs, print the end of the table with `show`."""
        super().finalize(show=show)
        self.result_ = with_info(self.result_)

    def solve(
        self,
        y: Array,
        x0: Any = None,
        SOp: Any = None,
        tau: Any = 0.0,
        sigma: Any = 0,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
        **kwargs_spgl1: Any,
    ) -> Any:
        """Set-up, run and finish; gives ``(x, coefficients, info)``."""
        x = self.setup(y, SOp, tau, sigma, show=show, x0=x0, **kwargs_spgl1)
        self.run(x, show=show, itershow=itershow, progress=progress)
        self.finalize(show=show)
        return self.result_

    def _header(self) -> str:
        return f"tau = {self.tau:.2e}\tsigma = {self.sigma:.2e}\tniter = {self.niter}"

    def _row(self) -> tuple[Any, ...]:
        s = self.carry.state
        return s.cost, s.gap, s.tau


def spgl1(
    Op: Any,
    y: Array,
    x0: Any = None,
    SOp: Any = None,
    tau: Any = 0.0,
    sigma: Any = 0.0,
    show: bool = False,
    *,
    iter_lim: int = 1000,
    opt_tol: Any = 1e-6,
    itershow: tuple[int, int, int] = (10, 10, 10),
    callback: Callable[[Array], Any] | None = None,
    progress: bool = False,
    **kwargs_spgl1: Any,
) -> Result:
    r"""Spectral projected gradients: basis pursuit, its denoising, or LASSO.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess of the coefficients. It has no derivative.
    SOp : LinearOperator, optional
        Transform from sparse coefficients to models.
    tau : float, optional
        Largest :math:`\|p\|_1`; where it is not zero, the misfit is minimised (LASSO).
    sigma : float, optional
        Largest misfit; where `tau` is zero, :math:`\|p\|_1` is minimised (basis pursuit, denoising for `sigma` > 0).
    show : bool, optional
        Print a table; `itershow` are the numbers of first and last rows and the distance between rows in the middle.
    iter_lim : int, optional
        Greatest number of iterations.
    opt_tol : float, optional
        Tolerance of the duality gap and of the misfit, relative to the data.
    callback : callable, optional
        ``callback(x)`` is called after every iteration; returning True stops the solver.
    progress : bool, optional
        Show a progress bar.
    **kwargs_spgl1
        Tuning options of other implementations (``verbosity``, ``bp_tol``, ``n_prev_vals`` ...), without effect.

    Returns
    -------
    x : array
        The model, of shape `dims` of `Op`.
    p : array
        Its coefficients (`x` itself without `SOp`).
    info : dict
        ``tau``, ``rnorm``, ``rgap``, ``gnorm``, ``niters``, ``stat`` (1: denoised, 3: exact fit, 4: LASSO, 5: too many
        iterations) and ``rnorm2``, the history of misfits.

    The returned `Result` unpacks as this tuple and has also `reason`, `converged`, `status` and `plot()`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or an argument is of the wrong kind.

    Notes
    -----
    No other package is needed. The solution can be differentiated in data, `tau`, `sigma` and the operators' arrays.

    References
    ----------
    E. van den Berg and M. P. Friedlander, Probing the Pareto frontier for basis pursuit solutions, SIAM J. Sci.
    Comput. 31 (2008), 890-912.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.sparsity import spgl1
    >>> x, p, info = spgl1(operax.Identity(2), np.array([3.0, 1.0]), tau=2.0)
    >>> np.round(x, 4)
    array([2., 0.])
    """
    check_tuning(kwargs_spgl1)
    if show or progress or callback is not None:
        options = dict(x0=x0, SOp=SOp, tau=tau, sigma=sigma, iter_lim=iter_lim, opt_tol=opt_tol)
        return run_shown(SPGL1(Op), y, options, show, itershow, progress, callback)
    return with_info(spgl1_task(Op, y, x0, SOp, tau, sigma, iter_lim, opt_tol).solve())


TUNING = (
    "fid", "verbosity", "n_prev_vals", "bp_tol", "ls_tol", "dec_tol", "step_min", "step_max", "active_set_niters",
    "subspace_min", "iscomplex", "max_matvec",
)  # fmt: skip
"""Options of other implementations that this one does not need."""


def check_tuning(given: dict[str, Any]) -> None:
    """Refuse options that change the problem and are not known here."""
    unknown = [name for name in given if name not in TUNING]
    if unknown:
        raise TypeError(f"spgl1 has no option {', '.join(unknown)}; it has iter_lim, opt_tol, and ignores {TUNING}")


def with_info(result: Result) -> Result:
    """The outcome with the dictionary that the field expects."""
    extra = dict(result.extra)
    xp: Any = jax.numpy if is_tracer(result.status) else np
    cost, lasso = extra["cost"], extra.pop("lasso")
    fit = xp.where(extra["rnorm"] <= 1e-6 * cost[0], 3, 1)
    stat = xp.where(result.status == CONVERGED, xp.where(lasso > 0, 4, fit), 5)
    info = {
        "tau": extra["tau"], "rnorm": extra["rnorm"], "rgap": extra["rgap"], "gnorm": extra["gnorm"],
        "niters": extra["iterations"], "stat": stat if is_tracer(stat) or np.ndim(stat) else int(stat), "rnorm2": cost,
    }  # fmt: skip
    return Result(("x", "coefficients", "info"), (result[0], extra["coefficients"], info), extra)
