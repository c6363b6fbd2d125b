"""Loops over a machine: on the host for NumPy and CuPy, compiled for JAX, in chunks where someone looks on.

All three share `begin` and `advance`, so a solve gives the same numbers whichever loop runs it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from operax._arrays.namespace import Array, library_of
from operax._core.backend import form_for, has_tracers
from operax._core.operator import LinearOperator
from operax.optimization._machine import Machine, Problem
from operax.optimization._space import Map, expand, namespace_of, put
from operax.optimization._status import CONVERGED, MAXITER, RUNNING


class Carry(NamedTuple):
    """What a loop hands from one iteration to the next."""

    k: Any
    iterations: Array
    status: Array
    history: Array
    limit: Array
    state: Any


class Outcome(NamedTuple):
    """What a finished solve gives: machine's report, iterations and status a system, history padded with its end."""

    report: dict[str, Array]
    iterations: Array
    status: Array
    history: Array


def begin(machine: Machine, p: Problem) -> Carry:
    """The carry before the first iteration."""
    state = machine.init(p)
    cost = state.cost
    xp = namespace_of(cost) if hasattr(cost, "shape") and not isinstance(cost, np.generic) else np
    cost = xp.asarray(cost)
    limit = xp.maximum(p.rtol * cost, p.rtol1 * machine.data_scale(p))
    history = put(xp.zeros((machine.niter + 1, *cost.shape), dtype=cost.dtype), 0, cost)
    status = xp.asarray(state.status)
    iterations = xp.zeros(cost.shape, dtype=xp.int32)
    return Carry(xp.asarray(0, dtype=xp.int32), iterations, status, history, xp.asarray(limit), state)


def advance(machine: Machine, p: Problem, c: Carry) -> Carry:
    """One iteration; systems that have stopped stay as they are."""
    state = machine.step(p, c.state)
    if isinstance(state.status, np.generic):  # one system on NumPy
        status = np.int32(CONVERGED) if state.status == RUNNING and state.cost <= c.limit else state.status
        return Carry(c.k + 1, c.iterations + 1, status, put(c.history, c.k + 1, state.cost), c.limit, state)
    xp = namespace_of(c.history)
    running = c.status == RUNNING
    if machine.batch:
        state = type(state)(*(_keep(running, new, old) for new, old in zip(state, c.state)))
    cost = xp.asarray(state.cost)
    status = xp.where((state.status == RUNNING) & (cost <= c.limit), CONVERGED, state.status)
    status = xp.astype(xp.where(running, status, c.status), xp.int32)
    k = c.k + 1
    iterations = xp.astype(c.iterations + xp.astype(running, xp.int32), xp.int32)
    return Carry(k, iterations, status, put(c.history, k, cost), c.limit, state)


def _keep(running: Array, new: Any, old: Any) -> Any:
    if new is None:
        return None
    xp = namespace_of(new)
    return xp.where(expand(running, new), new, old)


def finish(machine: Machine, p: Problem, c: Carry) -> Outcome:
    """The outcome of the last carry."""
    xp = namespace_of(c.history)
    status = xp.where((c.status == RUNNING) & (c.k >= machine.niter), MAXITER, c.status)
    # rows after the last iteration repeat it: `history[-1]` is the final cost whatever the number of iterations
    rows = xp.reshape(xp.arange(machine.niter + 1), (-1, *([1] * (c.history.ndim - 1))))
    history = xp.where(rows <= c.k, c.history, xp.asarray(c.state.cost))
    return Outcome(machine.report(p, c.state), c.iterations, xp.astype(status, xp.int32), history)


def host(machine: Machine, p: Problem, c: Carry, until: int, watch: Callable[[Carry], bool] | None = None) -> Carry:
    """Iterate on the host to iteration `until`."""
    p = _bound(p)
    while c.k < until and _some(c.status == RUNNING):
        c = advance(machine, p, c)
        if watch is not None and watch(c):
            break
    return c


def _some(running: Any) -> bool:
    return bool(running) if isinstance(running, np.bool_) else bool(np.any(running))


def _bound(p: Problem) -> Problem:
    """The problem with its operator as the two functions that run on NumPy: looked up once instead of at each step."""
    if isinstance(p.op, LinearOperator) and type(p.y) is np.ndarray and not has_tracers(p.op):
        form = form_for(p.op, "numpy")
        return p._replace(op=Map(form._run, form.H._run))
    return p


def traced(machine: Machine, p: Problem, c: Carry, until: Any) -> Carry:
    """Iterate to iteration `until` in one `lax.while_loop`."""

    def cond(c: Carry) -> Any:
        return (c.k < until) & jnp.any(c.status == RUNNING)

    def body(c: Carry) -> Carry:
        return jax.tree.map(_as_carried, advance(machine, p, c), c)

    return jax.lax.while_loop(cond, body, c)


def _as_carried(new: Any, old: Any) -> Any:
    return new if new.dtype == old.dtype else new.astype(old.dtype)


def begin_traced(machine: Machine, p: Problem) -> Carry:
    """`begin` with the dtypes that the step gives: the carry of a compiled loop must not change its types.

    (A real starting vector becomes complex in the first step of a complex operator, float32 data float64 in that of a
    float64 operator.)
    """
    c = jax.tree.map(jnp.asarray, begin(machine, p))
    for _ in range(3):
        after = jax.eval_shape(functools.partial(advance, machine, p), c)
        dtypes = jax.tree.map(lambda a, b: jnp.promote_types(a.dtype, b.dtype), c, after)
        if all(jax.tree.leaves(jax.tree.map(lambda a, d: a.dtype == d and not a.weak_type, c, dtypes))):
            break
        c = jax.tree.map(lambda a, d: jax.lax.convert_element_type(a, d), c, dtypes)
    return c


def run_traced(machine: Machine, p: Problem) -> Outcome:
    """A whole solve as JAX operations, to be compiled as part of whatever traces it."""
    return finish(machine, p, traced(machine, p, begin_traced(machine, p), machine.niter))


def run_host(machine: Machine, p: Problem) -> Outcome:
    """A whole solve on the host."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return finish(machine, p, host(machine, p, begin(machine, p), machine.niter))


def is_jax(p: Problem) -> bool:
    """Whether the problem lives in JAX."""
    return library_of(p.y) == "jax"


@functools.partial(jax.jit, static_argnums=0)
def begin_compiled(machine: Machine, p: Problem) -> Carry:
    """Compiled `begin`."""
    return begin_traced(machine, p)


@functools.partial(jax.jit, static_argnums=0)
def chunk_compiled(machine: Machine, p: Problem, c: Carry, until: Any) -> Carry:
    """Compiled iterations up to `until`."""
    return traced(machine, p, c, until)


@functools.partial(jax.jit, static_argnums=0)
def finish_compiled(machine: Machine, p: Problem, c: Carry) -> Outcome:
    """Compiled `finish`."""
    return finish(machine, p, c)
