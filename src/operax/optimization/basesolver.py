"""The base of the solver classes: set-up, steps, run and finish, with callbacks around each."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from operax._arrays.namespace import Array
from operax.optimization.callback import Callbacks, stop_asked

UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}


class Solver:
    """Base of all solver classes.

    Parameters
    ----------
    Op : LinearOperator
        Operator to invert.
    callbacks : list of Callbacks, optional
        Objects whose hooks run before and after set-up, each step and the run; any of them may stop the solver by
        setting its attribute `stop`.

    Notes
    -----
    A subclass defines `setup`, `step`, `run`, `finalize` and `solve`. Overwrite `callback` (``solver.callback = f``)
    for a function of the model to be called after every step.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_basic import CG
    >>> solver = CG(operax.MatrixMult(np.diag([1.0, 2.0])))
    >>> x = solver.setup(np.array([1.0, 2.0]), niter=2)
    >>> for _ in range(2):
    ...     x = solver.step(x)
    >>> x
    array([1., 1.])
    """

    def __init__(self, Op: Any, callbacks: Sequence[Callbacks] | Callbacks | None = None) -> None:
        from operax.optimization._prepare import check_operator

        self.Op = check_operator(Op)
        self.callbacks: list[Callbacks] = [callbacks] if isinstance(callbacks, Callbacks) else list(callbacks or ())
        self.iiter = 0
        self.tstart = self.tend = time.time()
        self.telapsed = 0.0
        if self.callbacks:
            # around the methods as the subclass wrote them
            for stage in ("setup", "step", "run"):
                setattr(self, stage, self._hooked(stage, getattr(self, stage)))

    def _hooked(self, stage: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def with_hooks(*args: Any, **kwargs: Any) -> Any:
            x = kwargs.get("x0") if stage == "setup" else args[0] if args else kwargs.get("x")
            for callback in self.callbacks:
                getattr(callback, f"on_{stage}_begin")(self, x)
            result = method(*args, **kwargs)
            x = result[0] if isinstance(result, tuple) else result
            for callback in self.callbacks:
                getattr(callback, f"on_{stage}_end")(self, x)
            return result

        return with_hooks

    def callback(self, x: Array, *args: Any, **kwargs: Any) -> Any:
        """Called with the model after every step; overwrite it. Returning True stops the solver."""

    def _stopped_by_callback(self, answer: Any = None) -> bool:
        asked = isinstance(answer, bool | np.bool_) and bool(answer)
        return asked or stop_asked(self.callbacks)

    def memory_usage(self, show: bool = False, unit: str = "B") -> float:
        """Memory for the vectors of the solver, in `unit` ("B", "KB", "MB" or "GB"); printed with `show`."""
        if unit not in UNITS:
            raise ValueError(f"unit={unit!r} is not known; it is one of {', '.join(UNITS)}")
        usage = self._bytes() / UNITS[unit]
        if show:
            print(f"{type(self).__name__} predicted memory usage: {usage:.2f} {unit}")
        return usage

    def _bytes(self) -> float:
        rows, columns = self.Op.shape
        return float((2 * rows + 3 * columns) * self.Op.dtype.itemsize)

    def _with_terms(self, rows: Any, show: bool, unit: str) -> float:
        """`memory_usage` with regularization terms that have so many `rows`."""
        usage = Solver.memory_usage(self, unit=unit)
        more = sum(int(n) for n in (rows or ())) * 2 * self.Op.dtype.itemsize / UNITS[unit]
        if show:
            print(f"{type(self).__name__} predicted memory usage: {usage + more:.2f} {unit}")
        return usage + more

    def setup(self, y: Array, *args: Any, preallocate: bool = False, show: bool = False, **kwargs: Any) -> Any:
        """Take the data and options, and give the starting model."""
        raise TypeError(f"{type(self).__name__} must define setup")

    def step(self, x: Array, *args: Any, show: bool = False, **kwargs: Any) -> Any:
        """Make one iteration."""
        raise TypeError(f"{type(self).__name__} must define step")

    def run(self, x: Array, *args: Any, show: bool = False, **kwargs: Any) -> Any:
        """Iterate until done."""
        raise TypeError(f"{type(self).__name__} must define run")

    def finalize(self, *args: Any, show: bool = False, **kwargs: Any) -> None:
        """Take the time and, with `show`, print the end of the table."""
        self.tend = time.time()
        self.telapsed = self.tend - self.tstart
        if show:
            print(f"\nIterations = {self.iiter}        Total time (s) = {self.telapsed:.2f}")
            print("-" * 70 + "\n")

    def solve(self, y: Array, *args: Any, show: bool = False, **kwargs: Any) -> Any:
        """Set-up, run and finish in one call."""
        x = self.setup(y, *args, show=show, **kwargs) if show else self.setup(y, *args, **kwargs)
        x = self.run(x, show=show) if show else self.run(x)
        self.finalize(show=show)
        return x
