"""Regularised and preconditioned least squares as functions."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from operax._arrays.namespace import Array, is_tracer
from operax.optimization import _leastsquares
from operax.optimization._result import Result
from operax.optimization._status import CONVERGED, MAXITER

__all__ = ["normal_equations_inversion", "preconditioned_inversion", "regularized_inversion"]


def normal_equations_inversion(
    Op: Any,
    y: Array,
    Regs: Any,
    x0: Any = None,
    Weight: Any = None,
    dataregs: Any = None,
    epsI: Any = 0.0,
    epsRs: Any = None,
    NRegs: Any = None,
    epsNRs: Any = None,
    engine: str = "scipy",
    show: bool = False,
    **kwargs_solver: Any,
) -> Result:
    r"""Solve the regularised normal equations by conjugate gradients.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    Regs : list of LinearOperator or None
        Regularization operators :math:`R_i`.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Its derivative is zero
        where the solution is unique.
    Weight : LinearOperator, optional
        Weight :math:`W` of the data.
    dataregs : list of array, optional
        Data :math:`d_i` of the regularization terms (zero by default).
    epsI : float, optional
        Tikhonov damping :math:`\epsilon_I`.
    epsRs : list of float, optional
        Weights :math:`\epsilon_i` of the terms (1 by default).
    NRegs : list of LinearOperator, optional
        Operators :math:`N_j` that stand for :math:`R_j^H R_j` of terms.
    epsNRs : list of float, optional
        Weights of those.
    engine : {"scipy", "pylops"}, optional
        Names and defaults of the options: 1e-5 and ten times the size of the model, or 1e-4 and 10 iterations.
        The same solver runs in every array library.
    show : bool, optional
        Print why the solver stopped.
    **kwargs_solver
        ``niter`` (or ``maxiter``), ``tol`` (or ``rtol``) and ``atol``.

    Returns
    -------
    x : array
        The model, of shape `dims`.
    istop : int
        0 where the tolerance is met, the number of iterations where it is not, negative where the solver broke down.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or an argument is of the wrong kind.

    Notes
    -----
    .. math::
        (A^H W A + \sum_i \epsilon_i^2 R_i^H R_i + \sum_j \epsilon_j^2 N_j + \epsilon_I^2 I) x =
        A^H W y + \sum_i \epsilon_i^2 R_i^H d_i

    The condition number is the square of that of `regularized_inversion`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.leastsquares import normal_equations_inversion
    >>> Op = operax.Restriction(3, [0, 2])
    >>> R = operax.SecondDerivative(3)
    >>> x, istop = normal_equations_inversion(Op, np.array([1.0, 3.0]), [R], epsRs=[1e-3], rtol=1e-12)
    >>> np.round(x, 4)
    array([1., 2., 3.])
    """
    task = _leastsquares.normal_task(
        Op, y, Regs, x0, Weight, dataregs, epsI, epsRs, NRegs, epsNRs, engine, kwargs_solver
    )  # fmt: skip
    return _shown(_with_istop(task.solve()), "NormalEquationsInversion", show)


def _with_istop(result: Result) -> Result:
    status, iterations = result.status, result.iterations
    xp: Any = jax.numpy if is_tracer(status) else np
    istop: Any = xp.where(status == CONVERGED, 0, xp.where(status == MAXITER, iterations, -status))
    if not is_tracer(status) and np.ndim(istop) == 0:
        istop = int(istop)
    return Result(("x", "istop"), (result[0], istop), {**result.extra, "istop": istop})


def regularized_inversion(
    Op: Any,
    y: Array,
    Regs: Any,
    x0: Any = None,
    Weight: Any = None,
    dataregs: Any = None,
    epsRs: Any = None,
    engine: str = "scipy",
    show: bool = False,
    **kwargs_solver: Any,
) -> Result:
    r"""Solve a regularised least-squares problem.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    Regs : list of LinearOperator or None
        Regularization operators :math:`R_i`.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Its derivative is zero
        where the solution is unique.
    Weight : LinearOperator, optional
        Weight :math:`W^{1/2}` applied to operator and data.
    dataregs : list of array, optional
        Data :math:`d_i` of the regularization terms (zero by default).
    epsRs : list of float, optional
        Weights :math:`\epsilon_i` of the terms (1 by default).
    engine : {"scipy", "pylops"}, optional
        ``"scipy"``: LSQR with ``atol``, ``btol`` (1e-6), ``conlim`` and ``iter_lim`` (twice the size of the model).
        ``"pylops"``: CGLS with ``niter`` (10), ``tol`` (1e-4), ``atol`` and ``damp``. Both run in every array library.
    show : bool, optional
        Print why the solver stopped.
    **kwargs_solver
        Options of the solver.

    Returns
    -------
    x : array
        The model, of shape `dims`.
    istop, itn, r1norm, r2norm
        As given by `operax.optimization.basic.lsqr` or `operax.optimization.basic.cgls` for the stacked system.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or an argument is of the wrong kind.

    Notes
    -----
    .. math:: \min_x \|W^{1/2} (y - A x)\|^2 + \sum_i \epsilon_i^2 \|d_i - R_i x\|^2

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.leastsquares import regularized_inversion
    >>> Op = operax.Restriction(3, [0, 2])
    >>> x = regularized_inversion(Op, np.array([1.0, 3.0]), [operax.SecondDerivative(3)], epsRs=[1e-3])[0]
    >>> np.round(x, 4)
    array([1., 2., 3.])
    """
    task = _leastsquares.regularized_task(Op, y, Regs, x0, Weight, dataregs, epsRs, engine, kwargs_solver)
    return _shown(task.solve(), "RegularizedInversion", show)


def preconditioned_inversion(
    Op: Any, y: Array, P: Any, x0: Any = None, engine: str = "scipy", show: bool = False, **kwargs_solver: Any
) -> Result:
    r"""Solve a least-squares problem for a preconditioned model.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    P : LinearOperator
        Preconditioner: models are :math:`x = P p`.
    x0 : array or LinearOperator, optional
        Starting guess of the preconditioned model :math:`p`.
    engine : {"scipy", "pylops"}, optional
        As in `regularized_inversion`.
    show : bool, optional
        Print why the solver stopped.
    **kwargs_solver
        Options of the solver.

    Returns
    -------
    x : array
        The model, of shape `dims`.
    istop, itn, r1norm, r2norm
        As given by `operax.optimization.basic.lsqr` or `operax.optimization.basic.cgls` for :math:`A P`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or an argument is of the wrong kind.

    Notes
    -----
    .. math:: \min_p \|y - A P p\|^2, \qquad x = P p

    The solution can be differentiated in the arrays of `P`, too.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.leastsquares import preconditioned_inversion
    >>> P = operax.MatrixMult(np.array([[1.0], [2.0], [3.0]]))
    >>> np.round(preconditioned_inversion(operax.Restriction(3, [0, 2]), np.array([1.0, 3.0]), P)[0], 6)
    array([1., 2., 3.])
    """
    task = _leastsquares.preconditioned_task(Op, y, P, x0, engine, kwargs_solver)
    return _shown(task.solve(), "PreconditionedInversion", show)


def _shown(result: Result, name: str, show: bool) -> Result:
    if show and not is_tracer(result.status):
        print(f"{name}: {result.iterations} iterations, {result.reason}")
    return result
