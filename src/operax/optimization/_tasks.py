"""From the arguments of the basic solvers to tasks."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax._core.compose import with_shapes
from operax.optimization._cg import CGMachine
from operax.optimization._cgls import CGLSMachine
from operax.optimization._face import Task
from operax.optimization._ista import ProximalMachine
from operax.optimization._lsqr import LSQRMachine
from operax.optimization._machine import Problem
from operax.optimization._power import normal_norm
from operax.optimization._prepare import (
    adjoint_start,
    check_count,
    check_operator,
    is_wide,
    is_zero,
    moved,
    preconditioner,
    prepare,
    scalar,
    start,
)
from operax.optimization._space import adjoint, cast_like, namespace_of
from operax.optimization._thresholds import KINDS

CG_NAMES = ("x", "iterations", "cost")
CGLS_NAMES = ("x", "istop", "iterations", "r1norm", "r2norm", "cost")
LSQR_NAMES = ("x", "istop", "iterations", "r1norm", "r2norm", "anorm", "acond", "arnorm", "xnorm", "var", "cost")


def scalars(y: Array, *values: Any) -> tuple[Any, ...]:
    """Parameters that do not widen the data."""
    return tuple(scalar(v, y) for v in values)


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
    adjoint_x0: Any = None,
) -> Task:
    """Conjugate gradients."""
    niter = check_count(niter, "niter")
    op, y, layout, library = prepare(op, y, x0, damp, M, adjoint_x0, square=True)
    if op.dims != op.dimsd:
        y = namespace_of(y).reshape(y, (*y.shape[: layout.batch], *op.dims))
    damp, tol, atol, rtol, rtol1 = scalars(y, damp, tol, atol, rtol, rtol1)
    M = preconditioner(M, op, library)
    guess = adjoint_start(adjoint_x0, layout, y, library)
    problem = Problem(op, y, start(x0, layout, op, y, library), damp, tol, atol, rtol, rtol1, M, None, guess)
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
    adjoint_x0: Any = None,
) -> Task:
    """Conjugate gradients on the normal equations."""
    niter = check_count(niter, "niter")
    op, y, layout, library = prepare(op, y, x0, damp, M, adjoint_x0)
    damp, tol, atol, rtol, rtol1 = scalars(y, damp, tol, atol, rtol, rtol1)
    M = preconditioner(M, op, library)
    damped = not is_zero(damp)
    wide = M is None and is_wide(op, damped)
    guess = adjoint_start(adjoint_x0, layout, y, library, wide)
    problem = Problem(op, y, start(x0, layout, op, y, library), damp, tol, atol, rtol, rtol1, M, None, guess)
    machine = CGLSMachine(niter, layout.batch, damped, wide)
    return Task(machine, problem, layout, library, CGLS_NAMES)


def lsqr_task(
    op: Any,
    y: Any,
    x0: Any,
    damp: Any,
    atol: Any,
    btol: Any,
    conlim: Any,
    niter: int,
    calc_var: bool = True,
    adjoint_x0: Any = None,
) -> Task:
    """LSQR."""
    niter = check_count(niter, "niter")
    op, y, layout, library = prepare(op, y, x0, damp, adjoint_x0)
    extra = {"atol": scalar(atol, y), "btol": scalar(btol, y), "conlim": scalar(conlim, y)}
    damped = not is_zero(damp)
    wide = is_wide(op, damped)
    guess = adjoint_start(adjoint_x0, layout, y, library, wide)
    problem = Problem(
        op, y, start(x0, layout, op, y, library), scalar(damp, y), extra=extra, adjoint_x0=guess
    )  # fmt: skip
    machine = LSQRMachine(niter, layout.batch, damped, wide, variances=bool(calc_var))
    return Task(machine, problem, layout, library, LSQR_NAMES)


def proximal_task(
    op: Any,
    y: Any,
    x0: Any,
    niter: int,
    SOp: Any,
    eps: Any,
    alpha: Any,
    eigsdict: dict[str, Any] | None,
    tol: Any,
    threshkind: str = "soft",
    perc: Any = None,
    decay: Any = None,
    monitorres: bool = False,
    fast: bool = False,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    atol: Any = 0.0,
    restart: bool = False,
) -> Task:
    """ISTA and FISTA."""
    niter = check_count(niter, "niter")
    if threshkind not in KINDS:
        raise ValueError(f"threshkind={threshkind!r} is not known; it is one of {', '.join(KINDS)}")
    if threshkind.endswith("percentile") and perc is None:
        raise ValueError(f"threshkind={threshkind!r} needs perc, the percentage of values to keep")
    op, y, layout, library = prepare(op, y, x0, SOp, eps, alpha, decay)
    if SOp is not None:
        if check_operator(SOp, "SOp").shape[0] != op.shape[1]:
            raise ValueError(
                f"SOp makes models from coefficients: its data must have {op.shape[1]} values, it has shape {SOp.shape}"
            )
        SOp = moved(with_shapes(SOp, dimsd=op.dims), library)
    x0 = start(x0, layout, op, y, library)
    if alpha is None:
        one = adjoint(op, y)
        alpha = 1.0 / normal_norm(op, one, int((eigsdict or {}).get("niter", 30)), layout.batch)
    if decay is not None:
        decay = cast_like(namespace_of(y).asarray(decay), namespace_of(y).abs(y))
        if decay.ndim != 1 or decay.shape[0] < niter:
            raise ValueError(f"decay must hold one factor for each of the {niter} iterations, got {tuple(decay.shape)}")
    extra = {"eps": scalar(eps, y), "alpha": scalar(alpha, y), "SOp": SOp, "perc": scalar(perc, y), "decay": decay}
    tol, atol, rtol, rtol1 = scalars(y, tol, atol, rtol, rtol1)
    problem = Problem(op, y, x0, 0.0, tol, atol, rtol, rtol1, None, extra)
    machine = ProximalMachine(niter, layout.batch, threshkind, bool(fast), bool(monitorres), bool(restart))
    return Task(machine, problem, layout, library, CG_NAMES)
