"""What stacks of operators share: their parts as operators, shapes, and work in threads."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from operax._arrays.namespace import Array, as_library, is_array, library_of
from operax._arrays.sparse import is_sparse
from operax._core.apply import apply_nd
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import choice
from operax.basicoperators.matrixmult import MatrixMult


def operators_of(ops: Any, name: str, dtype: Any) -> tuple[LinearOperator, ...]:
    """The parts of a stack; arrays and sparse matrices become `MatrixMult`."""
    if isinstance(ops, LinearOperator):
        raise TypeError(f"{name} takes a list of operators, got one operator; write {name}([Op])")
    parts = tuple(
        MatrixMult(op, dtype=dtype) if is_array(op) or is_sparse(op) or isinstance(op, list) else op for op in ops
    )
    if not parts:
        raise ValueError(f"{name} takes at least one operator, got an empty list")
    for op in parts:
        if not isinstance(op, LinearOperator):
            raise TypeError(
                f"{name} takes operators, arrays and sparse matrices, got {type(op).__name__}; "
                "wrap foreign operators with operax.aslinearoperator"
            )
    return parts


class Stack(LinearOperator):
    """The parts of a stack and how they are worked on.

    `nproc` threads share the work on NumPy arrays; JAX schedules by itself. Nothing has to be closed.
    """

    ops: tuple[LinearOperator, ...]

    def _set_parts(
        self, ops: Any, nproc: int, inoutengine: Sequence[str] | None, parallel_kind: str, dtype: Any
    ) -> None:
        choice(parallel_kind, ("multiproc", "multithread"), "parallel_kind")
        self.parallel_kind = parallel_kind
        self.nproc = nproc
        if inoutengine is not None:
            inoutengine = tuple(choice(e, ("numpy", "cupy", "jax"), "inoutengine") for e in inoutengine)
            if len(inoutengine) != 2:
                raise ValueError(f"inoutengine={inoutengine!r} must name two libraries: of the data and of the model")
        self.inoutengine = inoutengine
        self.ops = operators_of(ops, type(self).__name__, dtype)

    @property
    def nproc(self) -> int:
        """Number of threads that work on NumPy arrays."""
        return self._threads

    @nproc.setter
    def nproc(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"nproc={value!r} must be a whole number of at least 1")
        self._threads = int(value)

    def close(self) -> None:
        """Nothing to do: threads are shared and end with the program."""

    def __setattr__(self, key: str, value: Any) -> None:
        if key == "nproc":  # a property, which the attributes of operators would hide
            type(self).nproc.fset(self, value)  # type: ignore[attr-defined]
        else:
            super().__setattr__(key, value)

    def _each(self, function: Callable[[Any], Any], items: Sequence[Any], x: Array) -> list[Any]:
        if self._threads == 1 or len(items) < 2 or not isinstance(x, np.ndarray):
            return [function(item) for item in items]
        # each task sees the switches (context variables) of the caller
        tasks = [_pool(self._threads).submit(contextvars.copy_context().run, function, item) for item in items]
        return [task.result() for task in tasks]

    def _placed(self, y: Array, side: int) -> Array:
        """The result in the library asked for by `inoutengine`."""
        if self.inoutengine is None or library_of(y) == self.inoutengine[side]:
            return y
        return as_library(y, self.inoutengine[side])


@functools.lru_cache(maxsize=8)
def _pool(threads: int) -> Any:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, thread_name_prefix="operax-stack")


def common(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The shape that all share, or None."""
    return shapes[0] if all(shape == shapes[0] for shape in shapes) else None


def call(pair: tuple[LinearOperator, Array]) -> Array:
    """A part applied to its data."""
    return apply_nd(*pair)
