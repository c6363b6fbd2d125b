"""The basic solvers as functions: conjugate gradients, and two ways to least squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from operax._arrays.namespace import Array
from operax.optimization import _tasks
from operax.optimization._face import run_shown
from operax.optimization._result import Result

__all__ = ["cg", "cgls", "lsqr"]


def cg(
    Op: Any,
    y: Array,
    x0: Any = None,
    niter: int = 10,
    damp: Any = 0.0,
    tol: Any = 1e-4,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    show: bool = False,
    itershow: tuple[int, int, int] = (10, 10, 10),
    callback: Callable[[Array], Any] | None = None,
    preallocate: bool = False,
    *,
    atol: Any = 0.0,
    M: Any = None,
    adjoint_x0: Any = None,
    progress: bool = False,
) -> Result:
    r"""Conjugate gradients: solve :math:`(A + d I) x = y` for a Hermitian positive definite operator.

    Parameters
    ----------
    Op : LinearOperator
        Square operator of shape :math:`N \times N`.
    y : array
        Data of shape `dimsd` or ``(N,)``; with one more axis at the end for several right-hand sides, which are solved
        together and stop one by one.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Zero by default. The solution does not depend on
        it where it is unique, and its derivative is zero there.
    niter : int, optional
        Greatest number of iterations.
    damp : float, optional
        Damping :math:`d`, added to the diagonal.
    tol : float, optional
        Stop when :math:`\|r\| \le` `tol` :math:`\|y\|`: relative, whatever the units of the data.
    rtol, rtol1 : float, optional
        Stop when the residual norm falls below `rtol` times the first one, or below `rtol1` times the norm of `y`.
    show : bool, optional
        Print a table; `itershow` are the numbers of first and last rows and the distance between rows in the middle.
    callback : callable, optional
        ``callback(x)`` is called after every iteration; returning True stops the solver.
    preallocate : bool, optional
        Accepted for compatibility and without effect: compiled loops reuse their memory.
    atol : float, optional
        Stop when :math:`\|r\| \le` `atol`.
    M : LinearOperator or array, optional
        Preconditioner that approximates the inverse of the operator, Hermitian positive definite; an array is its
        diagonal.
    adjoint_x0 : array, optional
        Starting guess of the solve that a gradient makes, in the shape of the model: see the notes.
    progress : bool, optional
        Show a progress bar. Compiled solves run in chunks of about a tenth of a second between its updates.

    Returns
    -------
    x : array
        The solution, of shape `dims`.
    iit : int
        Number of iterations.
    cost : array
        Residual norms, the first before the first iteration.

    The returned `Result` unpacks as this tuple and has also `reason`, `converged`, `status` and `plot()`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, the operator is not square, or an argument is of the wrong kind.

    Notes
    -----
    The whole solve is one compiled loop on JAX, works inside ``jax.jit`` and under ``jax.vmap``, and has implicit
    derivatives in the data, the damping and every array of the operator: forward, reverse and of higher order.
    They assume a converged solution. Inside ``jax.jit`` the cost has length ``niter + 1``, its end repeated.

    A gradient solves one more system, with the preconditioner `M` and from the starting guess `adjoint_x0`. That guess
    has no influence on the solution; in the place of its gradient ``jax.grad`` gives the solution of the system just
    solved, which is what the next gradient of a loop can start from, as the next solve starts from `x0`.

    References
    ----------
    M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, J. Res. NBS 49 (1952).

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.basic import cg
    >>> Op = operax.MatrixMult(np.array([[4.0, 1.0], [1.0, 3.0]]))
    >>> x, iit, cost = cg(Op, np.array([1.0, 2.0]), tol=1e-10)
    >>> np.round(x, 6), iit
    (array([0.090909, 0.636364]), 2)
    """
    if show or progress or callback is not None:
        from operax.optimization.cls_basic import CG

        options = dict(x0=x0, niter=niter, damp=damp, tol=tol, rtol=rtol, rtol1=rtol1, atol=atol, M=M)
        return run_shown(CG(Op), y, options, show, itershow, progress, callback)
    return _tasks.cg_task(Op, y, x0, niter, damp, tol, rtol, rtol1, atol, M, adjoint_x0).solve()


def cgls(
    Op: Any,
    y: Array,
    x0: Any = None,
    niter: int = 10,
    damp: Any = 0.0,
    tol: Any = 1e-4,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    show: bool = False,
    itershow: tuple[int, int, int] = (10, 10, 10),
    callback: Callable[[Array], Any] | None = None,
    preallocate: bool = False,
    *,
    atol: Any = 0.0,
    M: Any = None,
    adjoint_x0: Any = None,
    progress: bool = False,
) -> Result:
    r"""Conjugate gradients for least squares: minimise :math:`\|y - A x\|^2 + d^2 \|x\|^2`.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides, which are solved
        together and stop one by one.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Zero by default. The solution does not depend on
        it where it is unique, and its derivative is zero there.
    niter : int, optional
        Greatest number of iterations.
    damp : float, optional
        Damping :math:`d`.
    tol : float, optional
        Stop when :math:`\|A^H r - d^2 x\| \le` `tol` :math:`\|A^H y\|`: relative, whatever the units of the data.
    rtol, rtol1 : float, optional
        Stop when the residual norm falls below `rtol` times the first one, or below `rtol1` times the norm of `y`.
    show : bool, optional
        Print a table; `itershow` are the numbers of first and last rows and the distance between rows in the middle.
    callback : callable, optional
        ``callback(x)`` is called after every iteration; returning True stops the solver.
    preallocate : bool, optional
        Accepted for compatibility and without effect: compiled loops reuse their memory.
    atol : float, optional
        Stop when :math:`\|A^H r - d^2 x\| \le` `atol`.
    M : LinearOperator or array, optional
        Preconditioner that approximates :math:`(A^H A + d^2 I)^{-1}`; an array is its diagonal.
    adjoint_x0 : array, optional
        Starting guess of the solve that a gradient makes, in the shape of the model: see the notes.
    progress : bool, optional
        Show a progress bar.

    Returns
    -------
    x : array
        The solution, of shape `dims`.
    istop : int
        1 where the data are fitted to `tol`, 2 otherwise; `reason` says it in words.
    iit : int
        Number of iterations.
    r1norm : float
        :math:`\|y - A x\|`.
    r2norm : float
        :math:`(\|y - A x\|^2 + d^2 \|x\|^2)^{1/2}`.
    cost : array
        Norms of the data residual, the first before the first iteration.

    The returned `Result` unpacks as this tuple and has also `reason`, `converged`, `status` and `plot()`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or an argument is of the wrong kind.

    Notes
    -----
    Inside ``jax.jit``, under ``jax.vmap`` and in derivatives as `cg`.

    References
    ----------
    Å. Björck, Numerical Methods for Least Squares Problems, SIAM, 1996, section 7.4.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.basic import cgls
    >>> Op = operax.MatrixMult(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]))
    >>> x, istop, iit, r1norm, r2norm, cost = cgls(Op, np.array([1.0, 3.0, 5.0]), tol=1e-10)
    >>> np.round(x, 6)
    array([1., 2.])
    """
    if show or progress or callback is not None:
        from operax.optimization.cls_basic import CGLS

        options = dict(x0=x0, niter=niter, damp=damp, tol=tol, rtol=rtol, rtol1=rtol1, atol=atol, M=M)
        return run_shown(CGLS(Op), y, options, show, itershow, progress, callback)
    return _tasks.cgls_task(Op, y, x0, niter, damp, tol, rtol, rtol1, atol, M, adjoint_x0).solve()


def lsqr(
    Op: Any,
    y: Array,
    x0: Any = None,
    damp: Any = 0.0,
    atol: Any = 1e-8,
    btol: Any = 1e-8,
    conlim: Any = 1e8,
    niter: int = 10,
    calc_var: bool = True,
    show: bool = False,
    itershow: tuple[int, int, int] = (10, 10, 10),
    callback: Callable[[Array], Any] | None = None,
    preallocate: bool = False,
    *,
    adjoint_x0: Any = None,
    progress: bool = False,
) -> Result:
    r"""LSQR: minimise :math:`\|y - A x\|^2 + d^2 \|x - x_0\|^2` by bidiagonalisation.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess :math:`x_0`, or an operator that makes it from the data. Zero by default. Damping acts on the
        difference from it, as in SciPy and PyLops (in `cgls` on the model itself). Without damping a unique solution
        does not depend on it.
    damp : float, optional
        Damping :math:`d`.
    atol, btol : float, optional
        Relative errors of the operator and the data that are considered: the solve stops when the solution is exact
        for an operator and data within them.
    conlim : float, optional
        Stop when the estimated condition number exceeds it; 0 for no limit.
    niter : int, optional
        Greatest number of iterations.
    calc_var : bool, optional
        Estimate the diagonal of :math:`(A^H A + d^2 I)^{-1}`.
    show : bool, optional
        Print a table; `itershow` are the numbers of first and last rows and the distance between rows in the middle.
    callback : callable, optional
        ``callback(x)`` is called after every iteration; returning True stops the solver.
    preallocate : bool, optional
        Accepted for compatibility and without effect.
    adjoint_x0 : array, optional
        Starting guess of the solve that a gradient makes, in the shape of the model: see the notes.
    progress : bool, optional
        Show a progress bar.

    Returns
    -------
    x : array
        The solution, of shape `dims`.
    istop : int
        0: the solution is zero; 1: the data are fitted; 2: the least-squares problem is solved; 3: `conlim` exceeded;
        4, 5, 6: as 1, 2, 3 at the precision of the machine; 7: `niter` reached.
    itn : int
        Number of iterations.
    r1norm, r2norm : float
        :math:`\|r\|` and :math:`(\|r\|^2 + d^2 \|x - x_0\|^2)^{1/2}`.
    anorm, acond : float
        Estimates of the Frobenius norm and the condition number of :math:`[A; d I]`.
    arnorm : float
        Estimate of :math:`\|A^H r - d^2 (x - x_0)\|`.
    xnorm : float
        Estimate of :math:`\|x - x_0\|`.
    var : array or None
        Estimated diagonal of :math:`(A^H A + d^2 I)^{-1}`.
    cost : array
        Residual norms, the first before the first iteration.

    The returned `Result` unpacks as this tuple and has also `reason`, `converged`, `status` and `plot()`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or an argument is of the wrong kind.

    Notes
    -----
    Inside ``jax.jit``, under ``jax.vmap`` and in derivatives as `cg`.

    References
    ----------
    C. C. Paige and M. A. Saunders, LSQR: an algorithm for sparse linear equations and sparse least squares, ACM TOMS 8
    (1982), 43-71.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.basic import lsqr
    >>> Op = operax.MatrixMult(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]))
    >>> np.round(lsqr(Op, np.array([1.0, 3.0, 5.0]))[0], 6)
    array([1., 2.])
    """
    if show or progress or callback is not None:
        from operax.optimization.cls_basic import LSQR

        options = dict(x0=x0, damp=damp, atol=atol, btol=btol, conlim=conlim, niter=niter, calc_var=calc_var)
        return run_shown(LSQR(Op), y, options, show, itershow, progress, callback)
    return _tasks.lsqr_task(Op, y, x0, damp, atol, btol, conlim, niter, calc_var, adjoint_x0).solve()
