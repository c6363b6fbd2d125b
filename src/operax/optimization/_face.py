"""What all solver functions and classes share: run a machine with or without someone looking on, give the result."""

# mypy: disable-error-code="override"
# each solver has arguments of its own in the methods that all have

from __future__ import annotations

import dataclasses
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from operax._arrays.namespace import Array, as_numpy, is_tracer
from operax.optimization import _loop
from operax.optimization._implicit import solve_compiled
from operax.optimization._loop import Carry, Outcome
from operax.optimization._machine import Machine, Problem
from operax.optimization._prepare import Layout
from operax.optimization._result import Result
from operax.optimization._space import namespace_of
from operax.optimization._status import CALLBACK, FAILURES, REASONS, RUNNING
from operax.optimization.basesolver import Solver

ARRAYS = ("x", "var", "coefficients")
"""Entries of a report that stay in the library of the data."""


@dataclasses.dataclass(frozen=True)
class Task:
    """One solve, ready to run."""

    machine: Machine
    problem: Problem
    layout: Layout
    library: str
    names: tuple[str, ...]
    finish: Callable[[Array], Array] | None = None
    from_report: Callable[[dict[str, Any]], Array] | None = None

    def solve(self) -> Result:
        """The whole solve: one compiled call on JAX, a loop on the host elsewhere."""
        run = solve_compiled if self.library == "jax" else _loop.run_host
        return self.result(run(self.machine, self.problem))

    def result(self, outcome: Outcome, status: Any = None) -> Result:
        """The outcome in the form of the documented tuple; host numbers where nothing is traced."""
        report = dict(outcome.report)
        if self.from_report is not None:
            report["x"] = self.layout.model(self.from_report(report))
        else:
            report["x"] = self.model(report["x"])
        for name in ("model", "mask"):
            report.pop(name, None)
        if "var" in report:
            report["var"] = self.model(report["var"])
        first = 0 if self.machine.first_cost else 1
        cost, iterations, codes = outcome.history, outcome.iterations, outcome.status if status is None else status
        leaves = (cost, iterations, codes, *(v for k, v in report.items() if k not in ARRAYS))
        if any(is_tracer(v) for v in leaves):
            cost = cost[first:]
        else:
            cost = as_numpy(cost)
            iterations, codes = _number(iterations), _number(codes)
            report.update({k: _number(v) for k, v in report.items() if k not in ARRAYS})
            last = iterations if isinstance(iterations, int) else int(np.max(iterations, initial=0))
            cost = cost[first : last + 1]
            self._warn(codes)
        found = {**report, "iterations": iterations, "cost": cost, "status": codes}
        return Result(self.names, tuple(found[name] for name in self.names), found)

    def _warn(self, codes: Any) -> None:
        bad = sorted({int(c) for c in np.ravel(codes)} & set(FAILURES))
        for code in bad:
            name = type(self.machine).__name__.removesuffix("Machine").lower()
            warnings.warn(f"{name} {REASONS[code]}", RuntimeWarning, stacklevel=5)

    def model(self, x: Array) -> Array:
        """A model in the style of the data."""
        if self.finish is not None:
            x = self.finish(x)
        return self.layout.model(x)


def _number(value: Any) -> Any:
    value = as_numpy(value) if hasattr(value, "shape") else np.asarray(value)
    return value.item() if value.ndim == 0 else value


CAPACITY = 100
"""Room in the history where `setup` is not told the number of iterations; it grows."""


class MachineSolver(Solver):
    """A solver class over a machine: `setup` makes a task of its arguments, the rest is common."""

    task: Task
    carry: Carry
    niter: int | None
    columns: tuple[str, ...]
    _given_options: dict[str, Any]

    def _task(self, y: Array, *args: Any, **kwargs: Any) -> Task:
        raise TypeError(f"{type(self).__name__} must make a task")

    def _header(self) -> str:
        return ""

    def _row(self) -> tuple[Any, ...]:
        return (self.carry.state.cost,)

    # ---- the stages

    def _start(self, task: Task, y: Array, niter: int | None, show: bool) -> Array:
        if any(is_tracer(leaf) for leaf in jax.tree.leaves(task.problem)):
            raise TypeError(
                "solver classes, callbacks and tables need concrete values; inside jax.jit, jax.vmap or jax.grad "
                "use the function (e.g. operax.cgls) without show, progress and callback"
            )
        self.task, self.y, self.niter = task, y, niter
        self.tstart = time.time()
        begin = _loop.begin_compiled if task.library == "jax" else _loop.begin
        self.carry = begin(task.machine, task.problem)
        self.iiter = 0
        self._status: Any = None
        if show:
            self._print_header()
        return task.model(self.carry.state.x)

    def _advance(self, until: int) -> None:
        machine = self.task.machine
        if until > machine.niter:
            self._grow(until)
        p, c = self.task.problem, self.carry
        if self.task.library == "jax":
            self.carry = _loop.chunk_compiled(self.task.machine, p, c, until)
        else:
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                self.carry = _loop.host(self.task.machine, p, c, until)
        self.iiter = int(self.carry.k)

    def _grow(self, until: int) -> None:
        """Make room in the history."""
        old = self.task.machine.niter
        new = max(until, 2 * old)
        self.task = dataclasses.replace(self.task, machine=dataclasses.replace(self.task.machine, niter=new))
        history = self.carry.history
        xp = namespace_of(history)
        room = xp.zeros((new - old, *history.shape[1:]), dtype=history.dtype)
        self.carry = self.carry._replace(history=xp.concat([history, room]))

    def _change(self, engine: str | None, given: dict[str, Any]) -> None:
        """Another inner solver from the next step on: the state of the outer one does not depend on it."""
        if engine is None and not given:
            return
        options = self._given_options
        options["engine"] = options["engine"] if engine is None else engine
        options["given"] = {**options["given"], **given} if engine in (None, options["engine"]) else given
        self.task = self._task(self.y, self.task.machine.niter, **options)

    def _replaced(self, x: Array) -> None:
        """Take over a model that the caller has changed between steps."""
        if x is getattr(self, "_given", None) or x is None:
            return
        layout, state = self.task.layout, self.carry.state
        inner = layout.internal_model(x, self.task.problem.y, "x")
        if inner.shape == state.x.shape:
            self.carry = self.carry._replace(state=state._replace(x=namespace_of(state.x).asarray(inner)))

    def _model(self) -> Array:
        self._given = self.task.model(self.carry.state.x)
        return self._given

    def step(self, x: Array, show: bool = False) -> Any:
        """One iteration from the current state; gives the new model."""
        self._replaced(x)
        running = self.carry.status == RUNNING
        if bool(running.any()):
            self._advance(self.iiter + 1)
        x = self._model()
        if show:
            self._print_row()
        return x

    def _one_step(self, x: Array, show: bool) -> Array:
        return self.step(x, show=show)

    def _call_back(self, x: Array) -> Any:
        return self.callback(x)

    def run(
        self,
        x: Array,
        niter: int | None = None,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
    ) -> Array:
        """Iterate up to `niter` steps (or what `setup` was told); gives the model.

        With `progress` a bar is shown, with `show` a table. Where no callback looks on, compiled chunks run between
        its rows.
        """
        niter = self.niter if niter is None else niter
        if niter is None:
            raise ValueError("give niter to run, where setup was not told the number of iterations")
        watched = bool(self.callbacks) or type(self).callback is not Solver.callback or "callback" in vars(self)
        bar = None
        if progress:
            from operax.optimization._progress import Bar

            bar = Bar(type(self).__name__, niter)
        last = self.iiter + niter if self.iiter else niter
        chunk, stopped = 1, False
        try:
            while self.iiter < last and bool((self.carry.status == RUNNING).any()) and not stopped:
                if watched:
                    shown = show and _shown(self.iiter + 1, last, itershow)
                    x = self._one_step(x, shown)
                    stopped = self._stopped_by_callback(self._call_back(x))
                elif show:
                    until = next(i for i in range(self.iiter + 1, last + 1) if i == last or _shown(i, last, itershow))
                    self._advance(until)
                    self._print_row()
                elif bar is not None:
                    begun = time.perf_counter()
                    self._advance(min(last, self.iiter + chunk))
                    jax.block_until_ready(self.carry.state.cost)
                    # chunks of about a tenth of a second cost nothing and look alive
                    spent = time.perf_counter() - begun
                    chunk = max(1, min(4 * chunk, math.ceil(chunk * 0.1 / max(spent, 1e-6))))
                else:
                    self._advance(last)
                if bar is not None:
                    bar.update(self.iiter, float(np.max(as_numpy(self.carry.state.cost))))
        finally:
            if bar is not None:
                bar.close()
        if stopped:
            xp = namespace_of(self.carry.status)
            running = self.carry.status == RUNNING
            self.carry = self.carry._replace(status=xp.astype(xp.where(running, CALLBACK, self.carry.status), xp.int32))
        return self._model()

    def finalize(self, *args: Any, show: bool = False, **kwargs: Any) -> None:
        """Take the time, compute what the result needs, print the end of the table with `show`."""
        finish = _loop.finish_compiled if self.task.library == "jax" else _loop.finish
        self.result_ = self.task.result(finish(self.task.machine, self.task.problem, self.carry))
        for name in ("istop", "r1norm", "r2norm", "anorm", "acond", "arnorm", "xnorm", "var"):
            if name in self.result_.extra:
                setattr(self, name, self.result_.extra[name])
        super().finalize(show=show)
        if show:
            print(f"{type(self).__name__} {self.result_.reason}\n")

    @property
    def cost(self) -> np.ndarray:
        """The cost at the iterations so far."""
        first = 0 if self.task.machine.first_cost else 1
        return as_numpy(self.carry.history)[first : self.iiter + 1]

    def _bytes(self) -> float:
        op = self.Op
        zero = np.zeros((1,) * len(op.dimsd), op.dtype)
        task = self._task(np.broadcast_to(zero, op.dimsd), niter=1)
        y = jax.ShapeDtypeStruct(task.problem.y.shape, jax.dtypes.canonicalize_dtype(op.dtype))
        carry = jax.eval_shape(lambda y: _loop.begin_traced(task.machine, task.problem._replace(y=y)), y)
        return float(sum(math.prod(v.shape) * v.dtype.itemsize for v in jax.tree.leaves(carry.state)))

    # ---- the table

    def _print_header(self) -> None:
        rows, columns = self.Op.shape
        line = "-" * (8 + 17 * len(self.columns))
        print(f"{type(self).__name__}\n{line}\nThe Operator Op has {rows} rows and {columns} cols")
        print(f"{self._header()}\n{line}\n")
        print("    Itn " + "".join(f"{name:>17}" for name in self.columns))

    def _print_row(self) -> None:
        x = self.carry.state.x
        first = as_numpy(namespace_of(x).reshape(x, (-1,))[:1]).item()
        values = [f"{first:.4e}", *(f"{np.max(as_numpy(np.asarray(v))):.4e}" for v in self._row())]
        print(f"{self.iiter:>7} " + "".join(f"{value:>17}" for value in values))


def _shown(i: int, last: int, itershow: tuple[int, int, int]) -> bool:
    """Whether the table has a row for iteration `i`: the first, the last, and some between."""
    head, tail, every = itershow
    return i <= head or last - i < tail or i % every == 0


def run_shown(
    solver: MachineSolver,
    y: Array,
    options: dict[str, Any],
    show: bool,
    itershow: tuple[int, int, int],
    progress: bool,
    callback: Callable[[Array], Any] | None,
) -> Result:
    """A solve with a table, a bar or a callback, on the way of the classes."""
    if callback is not None:
        vars(solver)["callback"] = callback
    x = solver.setup(y, show=show, **options)
    niter = next((options[name] for name in ("niter", "nouter", "niter_outer") if name in options), None)
    named = "nouter" if "nouter" in options else "niter"
    solver.run(x, show=show, itershow=itershow, progress=progress, **{named: niter})
    solver.finalize(show=show)
    return solver.result_
