"""From the arguments of the basic solvers to tasks."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import namespace_of
from operax.optimization._cg import CGMachine
from operax.optimization._cgls import CGLSMachine
from operax.optimization._face import Task
from operax.optimization._lsqr import LSQRMachine
from operax.optimization._machine import Problem
from operax.optimization._prepare import check_count, is_zero, preconditioner, prepare, start

CG_NAMES = ("x", "iterations", "cost")
CGLS_NAMES = ("x", "istop", "iterations", "r1norm", "r2norm", "cost")
LSQR_NAMES = ("x", "istop", "iterations", "r1norm", "r2norm", "anorm", "acond", "arnorm", "xnorm", "var", "cost")


def cg_task(
    op: Any,
    y: Any,
    x0: Any,
    niter: int,
    damp: Any,
    tol: Any,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    atol: Any = 0.0,
    M: Any = None,
) -> Task:
    """Conjugate gradients."""
    niter = check_count(niter, "niter")
    op, y, layout, library = prepare(op, y, x0, damp, M, square=True)
    if op.dims != op.dimsd:
        y = namespace_of(y).reshape(y, (*y.shape[: layout.batch], *op.dims))
    problem = Problem(
        op, y, start(x0, layout, op, y, library), damp, tol, atol, rtol, rtol1, preconditioner(M, op, library)
    )
    return Task(CGMachine(niter, layout.batch, damped=not is_zero(damp)), problem, layout, library, CG_NAMES)


def cgls_task(
    op: Any,
    y: Any,
    x0: Any,
    niter: int,
    damp: Any,
    tol: Any,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    atol: Any = 0.0,
    M: Any = None,
) -> Task:
    """Conjugate gradients on the normal equations."""
    niter = check_count(niter, "niter")
    op, y, layout, library = prepare(op, y, x0, damp, M)
    problem = Problem(
        op, y, start(x0, layout, op, y, library), damp, tol, atol, rtol, rtol1, preconditioner(M, op, library)
    )
    return Task(CGLSMachine(niter, layout.batch, damped=not is_zero(damp)), problem, layout, library, CGLS_NAMES)


def lsqr_task(
    op: Any, y: Any, x0: Any, damp: Any, atol: Any, btol: Any, conlim: Any, niter: int, calc_var: bool = True
) -> Task:
    """LSQR."""
    niter = check_count(niter, "niter")
    op, y, layout, library = prepare(op, y, x0, damp)
    extra = {"atol": atol, "btol": btol, "conlim": conlim}
    problem = Problem(op, y, start(x0, layout, op, y, library), damp, extra=extra)
    machine = LSQRMachine(niter, layout.batch, damped=not is_zero(damp), variances=bool(calc_var))
    return Task(machine, problem, layout, library, LSQR_NAMES)
