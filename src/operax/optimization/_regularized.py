"""Building blocks of regularised problems: scaled operators, stacked data, and the options of the inner solvers."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from operax._arrays.namespace import Array, is_array
from operax._core.compose import Scaled, with_shapes
from operax._core.operator import LinearOperator
from operax.optimization._cgls import CGLSMachine
from operax.optimization._lsqr import LSQRMachine
from operax.optimization._machine import Machine, Problem
from operax.optimization._prepare import check_count, check_operator, floating, is_wide, is_zero, moved, scalar
from operax.optimization._space import forward, namespace_of

ENGINES = ("scipy", "pylops")


def check_engine(engine: str) -> None:
    """`engine` is a hint that chooses the solver with the defaults of the named library; all run everywhere."""
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r} is not known; it is one of {', '.join(ENGINES)}")


def scaled(eps: Any, op: LinearOperator) -> LinearOperator:
    """``eps * op`` with `eps` as a leaf: another value compiles nothing anew, and can be differentiated."""
    return Scaled(eps if is_array(eps) else np.asarray(eps), op)


def as_list(value: Any, count: int, name: str, default: float = 1.0) -> list[Any]:
    """One weight for each of `count` terms."""
    if value is None:
        return [default] * count
    sequence = isinstance(value, list | tuple) or getattr(value, "ndim", 0) == 1
    values = list(value) if sequence else [value]
    if len(values) != count:
        raise ValueError(f"{name} must hold one value for each of the {count} regularization terms, got {len(values)}")
    return values


def check_terms(ops: Any, op: LinearOperator, name: str) -> list[LinearOperator]:
    """A list of operators on the models of `op`."""
    if ops is None:
        return []
    terms = [check_operator(r, name) for r in (ops if isinstance(ops, list | tuple) else [ops])]
    for r in terms:
        if r.shape[1] != op.shape[1]:
            raise ValueError(f"{name} holds {r._label()}, but models have {op.shape[1]} values")
    return [with_shapes(r, dims=op.dims) for r in terms]


def check_data(data: Any, ops: list[LinearOperator], y: Array, library: str, batch: int, name: str) -> list[Any]:
    """The data of the terms as ``(*batch, *dimsd)``; None stays None (zeros)."""
    if data is None:
        return [None] * len(ops)
    if len(data) != len(ops):
        raise ValueError(f"{name} must hold one array for each of the {len(ops)} terms, got {len(data)}")
    found: list[Any] = []
    for d, r in zip(data, ops):
        if d is None:
            found.append(None)
            continue
        d = floating(moved(d if is_array(d) else np.asarray(d), library))
        xp = namespace_of(y)
        if batch and tuple(d.shape[:-1]) in (r.dimsd, (r.shape[0],)) and d.shape[-1] == y.shape[0]:
            d = xp.moveaxis(d, -1, 0)
        elif tuple(d.shape) not in (r.dimsd, (r.shape[0],)):
            raise ValueError(f"{name} holds an array of shape {tuple(d.shape)} for {r._label()}")
        elif batch:
            d = xp.broadcast_to(d, (y.shape[0], *d.shape))
        found.append(xp.reshape(d, (*y.shape[:batch], *r.dimsd)))
    return found


def stacked_data(parts: list[Any], ops: list[LinearOperator], batch: tuple[int, ...], like: Array) -> Array:
    """Data of several operators behind each other, flat; None stands for zeros."""
    xp = namespace_of(like)
    flat = [
        xp.zeros((*batch, r.shape[0]), dtype=like.dtype) if d is None else xp.reshape(d, (*batch, r.shape[0]))
        for d, r in zip(parts, ops)
    ]
    return xp.concat(flat, axis=-1)


def weighted(weight: Any, y: Array, library: str, batch: int) -> Array:
    """A weight operator applied to data of shape ``(*batch, *dimsd)``."""
    xp = namespace_of(y)
    return forward(moved(weight, library), xp.reshape(y, (*y.shape[:batch], *weight.dims)))


@dataclasses.dataclass(frozen=True)
class InnerOptions:
    """Which linear solver runs inside another method, with the options a user may give it under any of its names."""

    machine: Machine
    values: dict[str, Any]

    def problem(self, op: Any, y: Array, x0: Array | None = None) -> Problem:
        """The inner problem for an operator and data."""
        return inner_problem(self.values, op, y, x0)


def inner_problem(values: dict[str, Any], op: Any, y: Array, x0: Array | None = None) -> Problem:
    """An inner problem with tolerances and damping as `inner_options` made them."""
    if "btol" in values:
        extra = {name: values[name] for name in ("atol", "btol", "conlim")}
        return Problem(op, y, x0, values["damp"], extra=extra)
    return Problem(op, y, x0, values["damp"], values["tol"], values["atol"])


def inner_options(engine: str, op: Any, y: Array, batch: int, given: dict[str, Any]) -> InnerOptions:
    """LSQR with SciPy's names and defaults, or CGLS with PyLops', from keyword arguments."""
    check_engine(engine)
    size = op.shape[1]
    options = dict(given)
    for name in ("show", "preallocate", "itershow", "callback"):
        options.pop(name, None)
    if engine == "scipy":
        niter = options.pop("iter_lim", None)
        niter = options.pop("niter", niter)
        niter = min(2 * size, 10_000) if niter is None else niter
        values = {"atol": 1e-6, "btol": 1e-6, "conlim": 1e8, "damp": 0.0}
        calc_var = bool(options.pop("calc_var", False))
    else:
        niter = options.pop("niter", 10)
        values = {"tol": 1e-4, "atol": 0.0, "damp": 0.0}
        calc_var = False
    for name in list(options):
        if name not in values:
            known = ", ".join(["niter", *values, *(["iter_lim", "calc_var"] if engine == "scipy" else [])])
            raise TypeError(f"the solver of engine={engine!r} has no option {name!r}; it has {known}")
        values[name] = scalar(options.pop(name), y)
    niter, damped = check_count(niter, "niter"), not is_zero(values["damp"])
    machine: Machine
    if engine == "scipy":
        machine = LSQRMachine(niter, batch, damped, is_wide(op, damped), variances=calc_var)
    else:
        machine = CGLSMachine(niter, batch, damped, is_wide(op, damped))
    return InnerOptions(machine, values)


def run_inner(machine: Machine, p: Problem, like: Array) -> Array:
    """The solution of an inner problem: part of the trace on JAX, a loop on the host elsewhere."""
    from operax._arrays.dtypes import astype, dtype_of
    from operax._arrays.namespace import library_of
    from operax.optimization._loop import run_host, run_traced

    if library_of(p.y) == "jax":
        return astype(run_traced(machine, p).report["x"], dtype_of(like))
    return run_host(machine, p).report["x"]
