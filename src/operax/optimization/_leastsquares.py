"""From the arguments of the regularised least-squares solvers to tasks."""

from __future__ import annotations

from typing import Any

from operax.basicoperators import VStack
from operax.optimization._cg import CGMachine
from operax.optimization._face import Task
from operax.optimization._machine import Problem
from operax.optimization._prepare import check_count, check_operator, is_zero, moved, prepare, scalar, start
from operax.optimization._regularized import (
    as_list,
    check_data,
    check_engine,
    check_terms,
    inner_options,
    scaled,
    stacked_data,
    weighted,
)
from operax.optimization._space import adjoint, forward, namespace_of

NORMAL_NAMES = ("x", "iterations")
LSTSQ_NAMES = ("x", "istop", "iterations", "r1norm", "r2norm")


def regularized_operator(op: Any, regs: list[Any], eps: list[Any]) -> Any:
    """The operator above its scaled regularization terms."""
    return VStack([op, *(scaled(e, r) for e, r in zip(eps, regs))])


def normal_task(
    op: Any,
    y: Any,
    Regs: Any,
    x0: Any,
    Weight: Any,
    dataregs: Any,
    epsI: Any,
    epsRs: Any,
    NRegs: Any,
    epsNRs: Any,
    engine: str,
    given: dict[str, Any],
) -> Task:
    """Conjugate gradients on the regularised normal equations."""
    check_engine(engine)
    op = check_operator(op)
    regs, nregs = check_terms(Regs, op, "Regs"), check_terms(NRegs, op, "NRegs")
    eps, neps = as_list(epsRs, len(regs), "epsRs"), as_list(epsNRs, len(nregs), "epsNRs")
    op, y, layout, library = prepare(op, y, x0, Weight, epsI, *regs, *nregs, *eps, *neps, *(dataregs or ()))
    data = check_data(dataregs, regs, y, library, layout.batch, "dataregs")
    eps, neps = [scalar(e, y) for e in eps], [scalar(e, y) for e in neps]
    left = op.H if Weight is None else op.H @ check_operator(Weight, "Weight")
    normal = left @ op
    rhs = adjoint(op, y if Weight is None else _as_data(weighted(Weight, y, library, layout.batch), op, layout.batch))
    for r, e, d in zip(regs, eps, data):
        normal = normal + scaled(e, r).H @ scaled(e, r)
        if d is not None:
            term = e**2 * adjoint(moved(r, library), d)
            rhs = rhs + namespace_of(rhs).reshape(term, rhs.shape)
    for r, e in zip(nregs, neps):
        normal = normal + scaled(e, scaled(e, r))
    options = dict(given)
    for name in ("show", "preallocate", "itershow", "callback", "M"):
        options.pop(name, None)
    limit, tolerance = (min(10 * op.shape[1], 10_000), 1e-5) if engine == "scipy" else (10, 1e-4)
    niter = options.pop("niter", None)
    niter = options.pop("maxiter", niter)
    tol = options.pop("tol", tolerance)
    tol = scalar(options.pop("rtol", tol), y)
    atol = options.pop("atol", 0.0)
    atol = scalar(0.0 if isinstance(atol, str) or atol is None else atol, y)
    if options:
        raise TypeError(f"unknown options {', '.join(options)}; the solver has niter (or maxiter), tol (or rtol), atol")
    damp = scalar(epsI, y) ** 2
    machine = CGMachine(check_count(limit if niter is None else niter, "niter"), layout.batch, damped=not is_zero(damp))
    problem = Problem(moved(normal, library), rhs, start(x0, layout, op, y, library), damp, tol, atol)
    return Task(machine, problem, layout, library, NORMAL_NAMES)


def _as_data(y: Any, op: Any, batch: int) -> Any:
    return namespace_of(y).reshape(y, (*y.shape[:batch], *op.dimsd))


def regularized_task(
    op: Any,
    y: Any,
    Regs: Any,
    x0: Any,
    Weight: Any,
    dataregs: Any,
    epsRs: Any,
    engine: str,
    given: dict[str, Any],
) -> Task:
    """LSQR or CGLS on the operator above its regularization terms."""
    op = check_operator(op)
    regs = check_terms(Regs, op, "Regs")
    eps = as_list(epsRs, len(regs), "epsRs")
    op, y, layout, library = prepare(op, y, x0, Weight, *regs, *eps, *(dataregs or ()))
    data = check_data(dataregs, regs, y, library, layout.batch, "dataregs")
    eps = [scalar(e, y) for e in eps]
    guess = start(x0, layout, op, y, library)
    first, batch = op, tuple(y.shape[: layout.batch])
    if Weight is not None:
        first, y = check_operator(Weight, "Weight") @ op, weighted(Weight, y, library, layout.batch)
    y = stacked_data([y, *(None if d is None else e * d for d, e in zip(data, eps))], [first, *regs], batch, y)
    stack = moved(regularized_operator(first, regs, eps), library)
    if guess is not None and stack.dims != op.dims:
        guess = namespace_of(guess).reshape(guess, (*batch, *stack.dims))
    inner = inner_options(engine, stack, y, layout.batch, given)
    problem, reshape = inner.problem(stack, y, guess), _to(layout.dims, layout.batch)
    return Task(inner.machine, problem, layout, library, LSTSQ_NAMES, reshape)


def preconditioned_task(op: Any, y: Any, P: Any, x0: Any, engine: str, given: dict[str, Any]) -> Task:
    """LSQR or CGLS for the preconditioned model."""
    op, P = check_operator(op), check_operator(P, "P")
    if P.shape[0] != op.shape[1]:
        raise ValueError(f"the preconditioner {P._label()} must give models of {op.shape[1]} values")
    op, y, layout, library = prepare(op, y, x0, P)
    chain, P = moved(op @ P, library), moved(P, library)
    guess = None
    if x0 is not None:
        import dataclasses

        guess = start(x0, dataclasses.replace(layout, dims=chain.dims), chain, y, library)
    inner = inner_options(engine, chain, y, layout.batch, given)
    reshape = _to(layout.dims, layout.batch)
    return Task(
        inner.machine, inner.problem(chain, y, guess), layout, library, LSTSQ_NAMES, lambda p: reshape(forward(P, p))
    )


def _to(dims: tuple[int, ...], batch: int) -> Any:
    def reshape(x: Any) -> Any:
        return namespace_of(x).reshape(x, (*x.shape[:batch], *dims))

    return reshape
