"""Switches of the library: they hold in a `with` block or in the current context, never for the whole process."""

from __future__ import annotations

import contextlib
from types import TracebackType

from operax._core import context

__all__ = [
    "disabled_ndarray_multiplication",
    "enabled_ndarray_multiplication",
    "get_ndarray_multiplication",
    "set_ndarray_multiplication",
]


class _Switch:
    """What `set_ndarray_multiplication` gives: leave it alone, or use it in a `with` block to reset at its end."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def __enter__(self) -> None:
        """The switch was set when this object was made."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        context.set_ndarrays_accepted(self._before)


def get_ndarray_multiplication() -> bool:
    """Whether ``Op @ x`` takes n-dimensional `x` in the current context.

    Examples
    --------
    >>> import operax
    >>> operax.get_ndarray_multiplication()
    True
    """
    return context.ndarrays_accepted()


def set_ndarray_multiplication(val: bool) -> _Switch:
    """Say whether ``Op @ x`` takes n-dimensional `x`, for the rest of the current context (thread or task).

    Parameters
    ----------
    val : bool
        True to take arrays of shape `dims`, False for vectors and matrices only.

    Returns
    -------
    context manager
        Resets the switch at the end of a `with` block, where it is used in one.

    Examples
    --------
    >>> import operax
    >>> with operax.set_ndarray_multiplication(False):
    ...     operax.get_ndarray_multiplication()
    False
    >>> operax.get_ndarray_multiplication()
    True
    """
    if not isinstance(val, bool):
        raise TypeError(f"val={val!r} must be True or False")
    before = context.ndarrays_accepted()
    context.set_ndarrays_accepted(val)
    return _Switch(before)


def enabled_ndarray_multiplication() -> contextlib.AbstractContextManager[None]:
    """Take n-dimensional arrays in ``Op @ x`` inside a `with` block.

    Examples
    --------
    >>> import numpy as np, operax
    >>> with operax.enabled_ndarray_multiplication():
    ...     (operax.Identity((2, 3)) @ np.ones((2, 3))).shape
    (2, 3)
    """
    return context.ndarray_multiplication(True)


def disabled_ndarray_multiplication() -> contextlib.AbstractContextManager[None]:
    """Take vectors and matrices only in ``Op @ x`` inside a `with` block.

    Examples
    --------
    >>> import numpy as np, operax
    >>> with operax.disabled_ndarray_multiplication():
    ...     (operax.Identity((2, 3)) @ np.ones(6)).shape
    (6,)
    """
    return context.ndarray_multiplication(False)
