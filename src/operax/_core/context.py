"""Switches that hold inside a `with` block or a context (thread, task), never for the whole process."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

_ndarrays = contextvars.ContextVar("operax_ndarray_multiplication", default=True)


def ndarrays_accepted() -> bool:
    """Whether `Op @ x` takes n-dimensional `x` at this point of the program."""
    return _ndarrays.get()


def set_ndarrays_accepted(value: bool) -> None:
    """Set the switch for the rest of the current context (thread or task)."""
    _ndarrays.set(bool(value))


@contextlib.contextmanager
def ndarray_multiplication(value: bool) -> Iterator[None]:
    """Set the switch inside a `with` block."""
    token = _ndarrays.set(bool(value))
    try:
        yield
    finally:
        _ndarrays.reset(token)
