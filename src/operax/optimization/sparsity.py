"""Sparsity-promoting solvers as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operax._arrays.namespace import Array, is_tracer
from operax.optimization import _tasks
from operax.optimization._face import run_shown
from operax.optimization._face_irls import irls
from operax.optimization._face_omp import omp
from operax.optimization._face_spgl1 import spgl1
from operax.optimization._face_splitbregman import splitbregman
from operax.optimization._result import Result
from operax.optimization._status import INCREASING

__all__ = ["fista", "irls", "ista", "omp", "spgl1", "splitbregman"]


def _proximal(fast: bool, Op: Any, y: Array, shown: tuple[Any, ...], **options: Any) -> Result:
    from operax.optimization.cls_sparsity import FISTA, ISTA, increased

    show, itershow, progress, callback = shown
    kind = FISTA if fast else ISTA
    if show or progress or callback is not None:
        return run_shown(kind(Op), y, options, show, itershow, progress, callback)
    result = _tasks.proximal_task(Op, y, fast=fast, **options).solve()
    if options["monitorres"] and not is_tracer(result.status) and np.any(np.asarray(result.status) == INCREASING):
        raise ValueError(increased(kind.__name__, int(np.max(np.asarray(result.iterations)))))
    return result


def ista(
    Op: Any,
    y: Array,
    x0: Any = None,
    niter: int = 10,
    SOp: Any = None,
    eps: Any = 0.1,
    alpha: Any = None,
    eigsdict: dict[str, Any] | None = None,
    tol: Any = 1e-10,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    threshkind: str = "soft",
    perc: Any = None,
    decay: Any = None,
    monitorres: bool = False,
    show: bool = False,
    itershow: tuple[int, int, int] = (10, 10, 10),
    callback: Callable[[Array], Any] | None = None,
    preallocate: bool = False,
    *,
    atol: Any = 0.0,
    progress: bool = False,
) -> Result:
    r"""Iterative shrinkage and thresholding: minimise :math:`\tfrac12\|y - A x\|^2 + \tfrac{\epsilon}{2} \|x\|_p^p`.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`, real or complex.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Zero by default. It
        has no derivative: the solution does not depend on where the iteration starts.
    niter : int, optional
        Greatest number of iterations.
    SOp : LinearOperator, optional
        Orthogonal transform from coefficients to models: its coefficients are sparse, instead of the model.
    eps : float, optional
        Weight of the sparsity.
    alpha : float, optional
        Step, at most :math:`1/\lambda_{max}(A^H A)`. By default estimated by the Lanczos recursion.
    eigsdict : dict, optional
        ``niter``: applications of the operator for that estimate (30).
    tol : float, optional
        Stop when the change of the model is below `tol` times its norm.
    rtol, rtol1 : float, optional
        Stop when the cost falls below `rtol` times that of the starting guess, or below `rtol1` times the norm of `y`.
    threshkind : str, optional
        "hard", "soft" or "half" (:math:`p = 0, 1, 1/2`), or one of them with "-percentile": the threshold is then
        chosen in each iteration so that `perc` percent of the values stay.
    perc : float, optional
        Percentage of values to keep.
    decay : array, optional
        Factors of the threshold, one for each iteration (percentages do not decay).
    monitorres : bool, optional
        Stop with an error when the residual increases.
    show : bool, optional
        Print a table; `itershow` are the numbers of first and last rows and the distance between rows in the middle.
    callback : callable, optional
        ``callback(x)`` is called after every iteration; returning True stops the solver.
    preallocate : bool, optional
        Accepted for compatibility and without effect.
    atol : float, optional
        Stop when the change of the model is below `atol`.
    progress : bool, optional
        Show a progress bar.

    Returns
    -------
    x : array
        The model, of shape `dims`.
    niter : int
        Number of iterations.
    cost : array
        What is minimised, after each iteration: :math:`\tfrac12 \|y - A x\|^2 + \tfrac{\epsilon}{2} P(x)` with
        :math:`P` the sum of absolute values (soft thresholds), half the sum of their roots (half) or the number of
        values (hard), of the coefficients where there is `SOp`.

    The returned `Result` unpacks as this tuple and has also `reason`, `converged`, `status` and `plot()`.

    Raises
    ------
    ValueError
        For an unknown `threshkind`, a missing `perc`, shapes that do not fit, or an increasing residual that is
        monitored.

    Notes
    -----
    Each iteration is :math:`x \leftarrow T_{\epsilon \alpha / 2}(x + \alpha A^H (y - A x))`. On JAX the whole solve is
    one compiled loop. Derivatives are those of the fixed point, in data, `eps` and every array of the operators. They
    assume convergence: after an early stop they are those of an equation that the model does not satisfy yet, and about
    as far off as the model is. Lower `tol` and raise `niter` where gradients matter; `result.converged` and
    `result.update`, the length of the last step, tell.

    References
    ----------
    I. Daubechies, M. Defrise and C. De Mol, An iterative thresholding algorithm for linear inverse problems with a
    sparsity constraint, Comm. Pure Appl. Math. 57 (2004), 1413-1457.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.sparsity import ista
    >>> ista(operax.Identity(3), np.array([3.0, 0.1, -2.0]), niter=50, eps=1.0, alpha=1.0).x
    array([ 2.5,  0. , -1.5])
    """
    return _proximal(
        False, Op, y, (show, itershow, progress, callback), x0=x0, niter=niter, SOp=SOp, eps=eps, alpha=alpha,
        eigsdict=eigsdict, tol=tol, rtol=rtol, rtol1=rtol1, threshkind=threshkind, perc=perc, decay=decay,
        monitorres=monitorres, atol=atol,
    )  # fmt: skip


def fista(
    Op: Any,
    y: Array,
    x0: Any = None,
    niter: int = 10,
    SOp: Any = None,
    eps: Any = 0.1,
    alpha: Any = None,
    eigsdict: dict[str, Any] | None = None,
    tol: Any = 1e-10,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    threshkind: str = "soft",
    perc: Any = None,
    decay: Any = None,
    monitorres: bool = False,
    show: bool = False,
    itershow: tuple[int, int, int] = (10, 10, 10),
    callback: Callable[[Array], Any] | None = None,
    preallocate: bool = False,
    *,
    atol: Any = 0.0,
    restart: bool = False,
    progress: bool = False,
) -> Result:
    r"""Fast iterative shrinkage and thresholding: `ista` with momentum.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`, real or complex.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Zero by default. It
        has no derivative: the solution does not depend on where the iteration starts.
    niter : int, optional
        Greatest number of iterations.
    SOp, eps, alpha, eigsdict, tol, rtol, rtol1, threshkind, perc, decay, monitorres
        As in `ista`.
    show, itershow, callback, preallocate, atol, progress
        As in `ista`.
    restart : bool, optional
        Drop the momentum where it points uphill [2]_: linear convergence on problems that allow it.

    Returns
    -------
    x : array
        The model, of shape `dims`.
    niter : int
        Number of iterations.
    cost : array
        What is minimised, after each iteration; see `ista`.

    The returned `Result` unpacks as this tuple and has also `reason`, `converged`, `status` and `plot()`.

    Raises
    ------
    ValueError
        As `ista`.

    Notes
    -----
    The cost falls as :math:`O(1/k^2)`. One forward and one adjoint an iteration: the data of the extrapolated point
    follow by linearity from those of the models.

    References
    ----------
    .. [1] A. Beck and M. Teboulle, A fast iterative shrinkage-thresholding algorithm for linear inverse problems, SIAM
       J. Imaging Sci. 2 (2009), 183-202.
    .. [2] B. O'Donoghue and E. Candès, Adaptive restart for accelerated gradient schemes, Found. Comput. Math. 15
       (2015), 715-732.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.sparsity import fista
    >>> x, niter, cost = fista(operax.Identity(3), np.array([3.0, 0.1, -2.0]), niter=50, eps=1.0)
    >>> np.round(x, 6)
    array([ 2.5,  0. , -1.5])
    """
    return _proximal(
        True, Op, y, (show, itershow, progress, callback), x0=x0, niter=niter, SOp=SOp, eps=eps, alpha=alpha,
        eigsdict=eigsdict, tol=tol, rtol=rtol, rtol1=rtol1, threshkind=threshkind, perc=perc, decay=decay,
        monitorres=monitorres, atol=atol, restart=restart,
    )  # fmt: skip
