"""Proximal splitting methods beyond FISTA: ADMM and the primal-dual method."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax.optimization._result import Result
from operax.optimization._sparse_tasks import primaldual_task, split_task

__all__ = ["admm", "primaldual"]


def admm(
    Op: Any,
    y: Array,
    RegsL1: Any,
    x0: Any = None,
    niter: int = 100,
    epsRL1s: Any = None,
    RegsL2: Any = None,
    dataregsL2: Any = None,
    epsRL2s: Any = None,
    rho: Any = 1.0,
    tol: Any = 1e-6,
    engine: str = "pylops",
    **kwargs_solver: Any,
) -> Result:
    r"""The alternating direction method of multipliers for
    :math:`\tfrac12 \|y - A x\|^2 + \sum_j \tfrac{\epsilon_j}{2} \|d_j - Q_j x\|^2 + \sum_i \epsilon_i \|R_i x\|_1`.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    RegsL1 : list of LinearOperator
        Operators :math:`R_i`, e.g. a gradient for total variation.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. It has no derivative.
    niter : int, optional
        Greatest number of iterations.
    epsRL1s : list of float, optional
        Weights of the :math:`\ell_1` terms (1 by default).
    RegsL2, dataregsL2, epsRL2s : list, optional
        Operators, data and weights of the :math:`\ell_2` terms.
    rho : float, optional
        Penalty of the splitting: it changes the speed, not the solution.
    tol : float, optional
        Stop when the change of the model is below `tol` times its norm.
    engine : {"pylops", "scipy"}, optional
        Inner solver: CGLS or LSQR, warm-started.
    **kwargs_solver
        Its options, e.g. ``niter`` and ``tol``.

    Returns
    -------
    x, iterations, cost
        Model, number of iterations, objective after each; a `Result` that also says why it stopped.

    Notes
    -----
    `operax.optimization.sparsity.splitbregman` with one inner iteration. Derivatives are those of the fixed point.

    References
    ----------
    S. Boyd, N. Parikh, E. Chu, B. Peleato and J. Eckstein, Distributed optimization and statistical learning via the
    alternating direction method of multipliers, Found. Trends Mach. Learn. 3 (2011).

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.proximal import admm
    >>> D = operax.FirstDerivative(4, kind="forward")
    >>> np.round(admm(operax.Identity(4), np.array([0.0, 0.0, 1.0, 1.0]), [D], epsRL1s=[0.1]).x, 3)
    array([0.05, 0.05, 0.95, 0.95])
    """
    return split_task(
        Op, y, RegsL1, x0, niter, 1, RegsL2, dataregsL2, 1.0, epsRL1s, epsRL2s, tol, 1.0, False, engine, kwargs_solver,
        rho=rho,
    ).solve()  # fmt: skip


def primaldual(
    Op: Any,
    y: Array,
    RegsL1: Any = None,
    x0: Any = None,
    niter: int = 500,
    epsRL1s: Any = None,
    nonnegative: bool = False,
    tol: Any = 1e-6,
    step_ratio: float = 1.0,
) -> Result:
    r"""The method of Chambolle and Pock for :math:`\tfrac12 \|y - A x\|^2 + \sum_i \epsilon_i \|R_i x\|_1`.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    RegsL1 : list of LinearOperator, optional
        Operators :math:`R_i`, e.g. a gradient for total variation.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. It has no derivative.
    niter : int, optional
        Greatest number of iterations.
    epsRL1s : list of float, optional
        Weights of the terms (1 by default).
    nonnegative : bool, optional
        Only models without negative values.
    tol : float, optional
        Stop when the changes of model and dual variable are below `tol` times their norms.
    step_ratio : float, optional
        Primal step over the inverse of the norm of the stacked operators; the dual step is its counterpart.

    Returns
    -------
    x, iterations, cost
        Model, number of iterations, objective after each; a `Result` that also says why it stopped.

    Notes
    -----
    No linear system is solved: one forward and one adjoint of each operator an iteration. Derivatives are those of the
    fixed point.

    References
    ----------
    A. Chambolle and T. Pock, A first-order primal-dual algorithm for convex problems with applications to imaging, J.
    Math. Imaging Vis. 40 (2011), 120-145.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.proximal import primaldual
    >>> D = operax.FirstDerivative(4, kind="forward")
    >>> np.round(primaldual(operax.Identity(4), np.array([0.0, 0.0, 1.0, 1.0]), [D], epsRL1s=[0.1]).x, 3)
    array([0.05, 0.05, 0.95, 0.95])
    """
    return primaldual_task(Op, y, RegsL1, x0, niter, epsRL1s, nonnegative, tol, step_ratio).solve()
