"""Further Krylov solvers: LSMR for least squares; MINRES, GMRES and BiCGStab for square systems."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax.optimization._bicgstab import BiCGStabMachine, SquareMachine
from operax.optimization._face import Task
from operax.optimization._gmres import GMRESMachine
from operax.optimization._lsmr import LSMRMachine
from operax.optimization._machine import Problem
from operax.optimization._minres import MINRESMachine
from operax.optimization._prepare import check_count, is_wide, is_zero, preconditioner, prepare, scalar, start
from operax.optimization._result import Result
from operax.optimization._space import namespace_of

__all__ = ["bicgstab", "gmres", "lsmr", "minres"]

NAMES = ("x", "iterations", "cost")


def _square(
    kind: type[SquareMachine],
    Op: Any,
    y: Array,
    x0: Any,
    niter: int,
    damp: Any,
    tol: Any,
    atol: Any,
    M: Any,
    **more: Any,
) -> Result:
    op, y, layout, library = prepare(Op, y, x0, damp, M, square=True)
    if op.dims != op.dimsd:
        y = namespace_of(y).reshape(y, (*y.shape[: layout.batch], *op.dims))
    problem = Problem(
        op, y, start(x0, layout, op, y, library), scalar(damp, y), scalar(tol, y), scalar(atol, y),
        M=preconditioner(M, op, library),
    )  # fmt: skip
    machine = kind(check_count(niter, "niter"), layout.batch, damped=not is_zero(damp), **more)
    return Task(machine, problem, layout, library, NAMES).solve()


def minres(
    Op: Any, y: Array, x0: Any = None, niter: int = 100, damp: Any = 0.0, tol: Any = 1e-6, *, atol: Any = 0.0
) -> Result:
    r"""Solve :math:`(A + d I) x = y` for a Hermitian operator, definite or not.

    Parameters
    ----------
    Op : LinearOperator
        Hermitian operator.
    y : array
        Data of shape `dimsd` or ``(N,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Its derivative is zero
        where the solution is unique.
    niter : int, optional
        Greatest number of iterations.
    damp : float, optional
        Added to the diagonal.
    tol, atol : float, optional
        Stop when the residual norm is below `tol` times the norm of `y`, or below `atol`.

    Returns
    -------
    x, iterations, cost
        Solution, number of iterations, residual norms; a `Result` that also says why it stopped.

    References
    ----------
    C. C. Paige and M. A. Saunders, Solution of sparse indefinite systems of linear equations, SIAM J. Numer. Anal. 12
    (1975), 617-629.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.krylov import minres
    >>> np.round(minres(operax.MatrixMult(np.diag([1.0, -2.0])), np.array([1.0, 4.0])).x, 6)
    array([ 1., -2.])
    """
    return _square(MINRESMachine, Op, y, x0, niter, damp, tol, atol, None)


def gmres(
    Op: Any,
    y: Array,
    x0: Any = None,
    niter: int = 10,
    damp: Any = 0.0,
    tol: Any = 1e-6,
    *,
    restart: int = 20,
    atol: Any = 0.0,
    M: Any = None,
) -> Result:
    r"""Solve :math:`(A + d I) x = y` for any square operator by restarted GMRES.

    Parameters
    ----------
    Op : LinearOperator
        Square operator.
    y : array
        Data of shape `dimsd` or ``(N,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Its derivative is zero
        where the solution is unique.
    niter : int, optional
        Greatest number of cycles, each of `restart` applications of the operator.
    damp : float, optional
        Added to the diagonal.
    tol, atol : float, optional
        Stop when the residual norm is below `tol` times the norm of `y`, or below `atol`.
    restart : int, optional
        Applications of the operator in a cycle: so many vectors are kept.
    M : LinearOperator or array, optional
        Preconditioner that approximates the inverse, applied from the right; an array is its diagonal.

    Returns
    -------
    x, iterations, cost
        Solution, number of cycles (not of applications), residual norm at the start and after each of them; a `Result`
        that also says why it stopped.

    References
    ----------
    Y. Saad and M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems,
    SIAM J. Sci. Stat. Comput. 7 (1986), 856-869.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.krylov import gmres
    >>> np.round(gmres(operax.MatrixMult(np.array([[0.0, 1.0], [-1.0, 0.0]])), np.array([1.0, 2.0])).x, 6)
    array([-2.,  1.])
    """
    size = int(Op.shape[1]) if hasattr(Op, "shape") else restart
    restart = max(1, min(check_count(restart, "restart"), size))
    return _square(GMRESMachine, Op, y, x0, niter, damp, tol, atol, M, restart=restart)


def bicgstab(
    Op: Any,
    y: Array,
    x0: Any = None,
    niter: int = 100,
    damp: Any = 0.0,
    tol: Any = 1e-6,
    *,
    atol: Any = 0.0,
    M: Any = None,
) -> Result:
    r"""Solve :math:`(A + d I) x = y` for any square operator by BiCGStab.

    Parameters
    ----------
    Op : LinearOperator
        Square operator.
    y : array
        Data of shape `dimsd` or ``(N,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess, or an operator that makes it from the data. Its derivative is zero
        where the solution is unique.
    niter : int, optional
        Greatest number of iterations, of two applications each.
    damp : float, optional
        Added to the diagonal.
    tol, atol : float, optional
        Stop when the residual norm is below `tol` times the norm of `y`, or below `atol`.
    M : LinearOperator or array, optional
        Preconditioner that approximates the inverse, applied from the right; an array is its diagonal.

    Returns
    -------
    x, iterations, cost
        Solution, number of iterations, residual norms; a `Result` that also says why it stopped.

    References
    ----------
    H. A. van der Vorst, Bi-CGSTAB, SIAM J. Sci. Stat. Comput. 13 (1992), 631-644.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.krylov import bicgstab
    >>> np.round(bicgstab(operax.MatrixMult(np.array([[3.0, 1.0], [-1.0, 2.0]])), np.array([4.0, 1.0])).x, 6)
    array([1., 1.])
    """
    return _square(BiCGStabMachine, Op, y, x0, niter, damp, tol, atol, M)


def lsmr(
    Op: Any, y: Array, x0: Any = None, niter: int = 100, damp: Any = 0.0, tol: Any = 1e-6, *, atol: Any = 0.0
) -> Result:
    r"""Minimise :math:`\|y - A x\|^2 + d^2 \|x\|^2` by LSMR: :math:`\|A^H r\|` falls in every iteration.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    x0 : array or LinearOperator, optional
        Starting guess; damping then acts on the difference from it.
    niter : int, optional
        Greatest number of iterations.
    damp : float, optional
        Damping :math:`d`.
    tol, atol : float, optional
        Stop when the norm of the residual of the normal equations is below `tol` times :math:`\|A^H y\|`, or `atol`.

    Returns
    -------
    x, iterations, cost
        Solution, number of iterations, norms of the residual of the normal equations; a `Result` with `r1norm`,
        `r2norm`, and why it stopped.

    References
    ----------
    D. C.-L. Fong and M. A. Saunders, LSMR: an iterative algorithm for sparse least-squares problems, SIAM J. Sci.
    Comput. 33 (2011), 2950-2971.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.krylov import lsmr
    >>> Op = operax.MatrixMult(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]))
    >>> np.round(lsmr(Op, np.array([1.0, 3.0, 5.0])).x, 6)
    array([1., 2.])
    """
    op, y, layout, library = prepare(Op, y, x0, damp)
    damped = not is_zero(damp)
    machine = LSMRMachine(check_count(niter, "niter"), layout.batch, damped, is_wide(op, damped))
    problem = Problem(
        op, y, start(x0, layout, op, y, library), scalar(damp, y), scalar(tol, y), scalar(atol, y)
    )  # fmt: skip
    return Task(machine, problem, layout, library, NAMES).solve()
