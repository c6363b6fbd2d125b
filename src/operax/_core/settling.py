"""What may be set on an operator after it was built.

An operator of this library turns its arguments into weights, indices and shapes once. Setting such an argument later
(`D.sampling = 2.0`) would change what the operator says of itself and not what it computes, so it is refused. Weights
are leaves that are read at every call: they may be replaced by others of their shape (indices may not: they were
checked against the shapes). Operators that users write are left alone: only their authors know what they read.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from operax._arrays.dtypes import astype, dtype_of
from operax._arrays.namespace import is_array
from operax._core.parameters import as_numbers, owned

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator

_FREE = frozenset({"self", "Op", "clinear", "dims", "dimsd", "dtype", "explicit", "forceflat", "name", "shape"})
"""Arguments that are read at every call, or only described with."""


def watch(cls: Any) -> None:
    """Let the operators of a class know when their construction ends."""
    build = cls.__dict__.get("__init__")
    if build is None or not cls.__module__.startswith("operax."):
        return
    code = build.__code__
    cls._arguments = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) - _FREE

    @functools.wraps(build)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        build(self, *args, **kwargs)
        if type(self).__init__ is __init__:  # the initialiser of a subclass may go on after it
            self.__dict__["_settled"] = True

    cls.__init__ = __init__


def settle(op: Any) -> None:
    """Mark an operator that was made without its initialiser, as a copy."""
    if hasattr(type(op).__init__, "__wrapped__") and hasattr(type(op), "_arguments"):
        op.__dict__["_settled"] = True


def checked(op: LinearOperator, key: str, value: Any) -> Any:
    """The value to store for an attribute that is set on a finished operator.

    Raises
    ------
    AttributeError
        If the operator was built from the attribute and would not see the change.
    ValueError
        If an array is replaced by one of another shape, or a real one by a complex one.
    """
    old: Any = vars(op).get(key)
    copied = key == "A" and "Op" in vars(op)  # a wrapper shows the matrix of its operator and does not read it
    if not copied and is_array(old) and dtype_of(old).kind in "fcV":
        if key.startswith("_"):
            return value
        value = owned(as_numbers(value, f"{key} of {op._label()}"))
        kinds = (dtype_of(old).kind, dtype_of(value).kind)
        if tuple(value.shape) != tuple(old.shape) or kinds == ("f", "c"):
            raise ValueError(
                f"{key} of {op._label()} is {dtype_of(old)} of shape {tuple(old.shape)}, got {dtype_of(value)} of "
                f"shape {tuple(value.shape)}: make a new {type(op).__name__}"
            )
        return value if kinds[1] in "fcV" else astype(value, dtype_of(old))
    if copied or key in getattr(type(op), "_arguments", ()):
        raise AttributeError(
            f"{op._label()} was built with {key}={old!r} and would not see {key}={value!r}: "
            f"make a new one, {type(op).__name__}(..., {key}={value!r})"
        )
    return value
