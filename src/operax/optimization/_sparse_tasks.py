"""From the arguments of the sparsity-promoting solvers to tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import is_tracer
from operax._core.compose import with_shapes
from operax.basicoperators import VStack
from operax.optimization import _irls
from operax.optimization._face import Task
from operax.optimization._implicit import with_derivative_of
from operax.optimization._irls import IRLSMachine
from operax.optimization._machine import Problem
from operax.optimization._omp import OMPMachine, column_norms
from operax.optimization._power import normal_norm
from operax.optimization._prepare import check_count, check_operator, is_zero, moved, prepare, scalar, start
from operax.optimization._primaldual import PrimalDualMachine
from operax.optimization._regularized import as_list, check_data, check_terms, inner_options, scaled, stacked_data
from operax.optimization._space import adjoint, forward, namespace_of, unpack
from operax.optimization._spgl1 import SPGL1Machine, coefficients_of
from operax.optimization._splitbregman import SplitMachine

NAMES = ("x", "iterations", "cost")


def irls_task(
    op: Any,
    y: Any,
    x0: Any,
    nouter: int,
    threshR: bool,
    epsR: Any,
    epsI: Any,
    tolIRLS: Any,
    warm: bool,
    kind: str,
    engine: str,
    given: dict[str, Any],
) -> Task:
    """Iteratively reweighted least squares."""
    if kind not in _irls.KINDS:
        raise ValueError(f"kind={kind!r} is not known; it is one of {', '.join(_irls.KINDS)}")
    op, y, layout, library = prepare(op, y, x0, epsR, epsI)
    inner = inner_options(engine, op, y, layout.batch, {**given, "damp": scalar(epsI, y)})
    extra = {"epsR": scalar(epsR, y), "epsI": scalar(epsI, y), "inner": inner.values}
    problem = Problem(op, y, start(x0, layout, op, y, library), tol=scalar(tolIRLS, y), extra=extra)
    machine = IRLSMachine(check_count(nouter, "nouter"), layout.batch, kind, bool(threshR), bool(warm), inner.machine)
    return Task(machine, problem, layout, library, ("x", "iterations"))


def omp_task(
    op: Any,
    y: Any,
    niter_outer: int,
    niter_inner: int,
    sigma: Any,
    normalizecols: bool,
    Opbasis: Any,
    optimal_coeff: bool,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
) -> Task:
    """Orthogonal matching pursuit."""
    op, y, layout, library = prepare(op, y, sigma)
    norms = None
    if normalizecols:
        basis = op if Opbasis is None else moved(check_operator(Opbasis, "Opbasis"), library)
        if basis.shape[1] != op.shape[1]:
            raise ValueError(f"Opbasis must act on models of {op.shape[1]} values, it has shape {basis.shape}")
        norms = namespace_of(y).reshape(column_norms(basis, y), op.dims)
    extra = {"sigma": scalar(sigma, y), "norms": norms}
    problem = Problem(op, y, rtol=scalar(rtol, y), rtol1=scalar(rtol1, y), extra=extra)
    outer, inner = check_count(niter_outer, "niter_outer"), check_count(niter_inner, "niter_inner")
    machine = OMPMachine(outer, layout.batch, inner, bool(optimal_coeff))
    return Task(machine, problem, layout, library, NAMES)


def split_task(
    op: Any,
    y: Any,
    RegsL1: Any,
    x0: Any,
    niter_outer: int,
    niter_inner: int,
    RegsL2: Any,
    dataregsL2: Any,
    mu: Any,
    epsRL1s: Any,
    epsRL2s: Any,
    tol: Any,
    tau: Any,
    restart: bool,
    engine: str,
    given: dict[str, Any],
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    rho: Any = None,
) -> Task:
    """Split Bregman; ADMM with penalty `rho` where that is given.

    Without `rho`, penalty and threshold are both the weight, as scripts for split Bregman expect.
    """
    op = check_operator(op)
    regs1, regs2 = check_terms(RegsL1, op, "RegsL1"), check_terms(RegsL2, op, "RegsL2")
    if not regs1:
        raise ValueError("RegsL1 must hold at least one operator; without l1 terms use regularized_inversion")
    eps1, eps2 = as_list(epsRL1s, len(regs1), "epsRL1s"), as_list(epsRL2s, len(regs2), "epsRL2s")
    op, y, layout, library = prepare(op, y, x0, mu, tau, *regs1, *regs2, *eps1, *eps2, *(dataregsL2 or ()))
    xp, batch = namespace_of(y), tuple(y.shape[: layout.batch])
    data2 = check_data(dataregsL2, regs2, y, library, layout.batch, "dataregsL2")
    mu, tau = scalar(mu, y), scalar(tau, y)
    eps1, eps2 = [scalar(e, y) for e in eps1], [scalar(e, y) for e in eps2]
    rho = scalar(rho, y)
    root1 = [((e if rho is None else rho) / mu) ** 0.5 for e in eps1]
    root2 = [(e / mu) ** 0.5 for e in eps2]
    levels, weights = ([e / rho for e in eps1], eps1) if rho is not None else (eps1, [e**2 for e in eps1])
    roots = [*root2, *root1]
    stack = moved(VStack([op, *(scaled(e, r) for e, r in zip(roots, [*regs2, *regs1]))]), library)
    known = [y, *(None if d is None else e * d for d, e in zip(data2, root2)), *([None] * len(regs1))]
    y = stacked_data(known, [op, *regs2, *regs1], batch, y)
    real = namespace_of(y).abs(y[..., :1]).dtype

    def spread(values: list[Any]) -> Any:
        return xp.concat([xp.ones((r.shape[0],), dtype=real) * e for e, r in zip(values, regs1)])

    if engine == "pylops":
        # Inner solves start at the last model. With a tolerance relative to the data they would soon end there without
        # a step, and the outer iteration would take that for convergence.
        given = {"tol": 0.0, **given}
    inner = inner_options(engine, stack, y, layout.batch, given)
    extra = {
        "R": moved(VStack(regs1), library), "scale": spread(root1), "level": spread(levels),
        "weight": spread(weights), "mu": mu, "tau": tau, "inner": inner.values,
    }  # fmt: skip
    guess = start(x0, layout, op, y, library)
    if guess is not None and stack.dims != op.dims:
        guess = xp.reshape(guess, (*batch, *stack.dims))
    problem = Problem(stack, y, guess, tol=scalar(tol, y), rtol=scalar(rtol, y), rtol1=scalar(rtol1, y), extra=extra)
    machine = SplitMachine(
        check_count(niter_outer, "niter_outer"), layout.batch, max(1, check_count(niter_inner, "niter_inner")),
        bool(restart), inner.machine,
    )  # fmt: skip

    def finish(report: dict[str, Any]) -> Any:
        v = report["x"]
        # where derivatives may be asked for, the model is an expression of the fixed point that carries them
        x = report["model"]
        if is_tracer(v):
            x = with_derivative_of(x, machine.model(problem, v).astype(x.dtype))
        return xp.reshape(x, (*batch, *layout.dims))

    def view(x: Any) -> Any:
        return xp.reshape(x, (*batch, *layout.dims))

    return Task(machine, problem, layout, library, NAMES, finish=view, from_report=finish)


def spgl1_task(op: Any, y: Any, x0: Any, SOp: Any, tau: Any, sigma: Any, niter: int, tol: Any) -> Task:
    """SPGL1."""
    op = check_operator(op)
    if SOp is not None and check_operator(SOp, "SOp").shape[0] == op.shape[1]:
        SOp = with_shapes(SOp, dimsd=op.dims)
    chain = op if SOp is None else op @ SOp
    chain, y, layout, library = prepare(chain, y, x0, tau, sigma)
    lasso = not is_zero(tau)
    transform = None if SOp is None else moved(SOp, library)
    extra = {"tau": scalar(tau, y), "sigma": scalar(sigma, y)}
    problem = Problem(chain, y, start(x0, layout, chain, y, library), tol=scalar(tol, y), extra=extra)
    machine = SPGL1Machine(check_count(niter, "niter"), layout.batch, lasso)

    def finish(report: dict[str, Any]) -> Any:
        coefficients = coefficients_of(report["x"], layout.dims)
        report["coefficients"] = layout.model(coefficients)
        return view(coefficients)

    def view(coefficients: Any) -> Any:
        if transform is None:
            return coefficients
        x = forward(transform, coefficients)
        return namespace_of(x).reshape(x, (*x.shape[: layout.batch], *op.dims))

    return Task(machine, problem, layout, library, NAMES, finish=view, from_report=finish)


def primaldual_task(
    op: Any,
    y: Any,
    RegsL1: Any,
    x0: Any,
    niter: int,
    epsRL1s: Any,
    nonnegative: bool,
    tol: Any,
    step_ratio: float,
) -> Task:
    """Chambolle and Pock."""
    op = check_operator(op)
    regs = check_terms(RegsL1, op, "RegsL1")
    eps = as_list(epsRL1s, len(regs), "epsRL1s")
    op, y, layout, library = prepare(op, y, x0, *regs, *eps)
    batch = tuple(y.shape[: layout.batch])
    eps = [scalar(e, y) for e in eps]
    stack = moved(VStack([op, *regs]), library)
    y = stacked_data([y, *([None] * len(regs))], [op, *regs], batch, y)
    xp = namespace_of(y)
    real = xp.abs(y[..., :1]).dtype
    levels = [xp.ones((r.shape[0],), dtype=real) * e for e, r in zip(eps, regs)]
    level = xp.concat(levels) if levels else xp.zeros((0,), dtype=real)
    model = adjoint(stack, y)
    norm = normal_norm(stack, model, batch=layout.batch) ** 0.5
    extra = {"level": level, "primal": step_ratio / norm, "dual": 1.0 / (step_ratio * norm)}
    guess = start(x0, layout, op, y, library)
    if guess is not None:
        guess = xp.reshape(guess, (*batch, *stack.dims))
    problem = Problem(stack, y, guess, tol=scalar(tol, y), extra=extra)
    machine = PrimalDualMachine(check_count(niter, "niter"), layout.batch, bool(nonnegative))

    def finish(report: dict[str, Any]) -> Any:
        packed = report["x"]
        return unpack(packed, [layout.dims, (packed.shape[-1] - int(np.prod(layout.dims)),)])[0]

    def view(x: Any) -> Any:
        return xp.reshape(x, (*batch, *layout.dims))

    return Task(machine, problem, layout, library, NAMES, finish=view, from_report=finish)
