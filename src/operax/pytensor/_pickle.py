"""Wrapped functions across processes.

A function goes by reference where its module and name lead to it or to its wrapper, and by value (cloudpickle)
otherwise. The bytes sit inside an ordinary pickle, so plain `pickle` works as well. Within one process a copy is the
original again, so that copied Ops still merge.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import pickle
import uuid
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import cloudpickle
import jax

__all__ = ["dumps", "loads", "pack"]

_known: weakref.WeakValueDictionary[tuple[str, str], Any] = weakref.WeakValueDictionary()
_marks: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()


class Pickler(cloudpickle.Pickler):
    """cloudpickle, and functions with derivative rules of their own, which JAX leaves without a way to be pickled."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, (jax.custom_vjp, jax.custom_jvp)):
            if _lookup(obj) is obj:
                return _import, (obj.__module__, obj.__qualname__)
            rules = {k: v for k, v in vars(obj).items() if k != "fun" and not k.startswith("__")}
            return _rebuild_custom, (type(obj), obj.fun, tuple(obj.nondiff_argnums or ()), rules)
        if isinstance(obj, FunctionType):
            found, names = _lookup(obj), (obj.__module__, obj.__qualname__)
            if hasattr(found, "__operax_wrapped__") and getattr(found, "__wrapped__", None) is obj:
                return _import_wrapped, names
        return super().reducer_override(obj)


def _rebuild_custom(cls: Any, fun: Callable[..., Any], nondiff: tuple[Any, ...], rules: dict[str, Any]) -> Any:
    made = cls(fun, nondiff_argnums=nondiff)
    made.__dict__.update(rules)
    return made


def _import(module: str, qualname: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


def _import_wrapped(module: str, qualname: str) -> Any:
    return _import(module, qualname).__wrapped__


def _lookup(func: Any) -> Any:
    """What the module and name of a function lead to in a process of its own, or None."""
    module, qualname = getattr(func, "__module__", None), getattr(func, "__qualname__", None)
    if not module or not qualname or module == "__main__" or "<locals>" in qualname:
        return None
    try:
        return _import(module, qualname)
    except (ImportError, AttributeError):
        return None


def dumps(value: Any) -> bytes:
    """Bytes of anything that cloudpickle takes, and of functions with derivative rules of their own."""
    buffer = io.BytesIO()
    Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


loads = pickle.loads


def pack(owner: Any, func: Any, rebuild: Callable[[Any], Any], state: Any) -> tuple[Any, ...]:
    """What ``__reduce__`` of an object gives that ``rebuild(state)`` makes again; found again in its own process.

    Two functions of the same code are different functions, although their bytes are equal: so each has a mark.
    """
    data = dumps(state)
    key = (_mark(func), hashlib.sha256(data).hexdigest())
    _known.setdefault(key, owner)
    return _unpack, (key, rebuild, data)


def _mark(func: Any) -> str:
    try:
        return _marks.setdefault(func, uuid.uuid4().hex)
    except TypeError:  # cannot be referred to weakly: builtins, which go by reference
        return repr(func)


def _unpack(key: tuple[str, str], rebuild: Callable[[Any], Any], data: bytes) -> Any:
    known = _known.get(key)
    if known is not None:
        return known
    made = rebuild(loads(data))
    with contextlib.suppress(TypeError):
        _marks.setdefault(made.func, key[0])  # pickled onwards, it is still the same
    return _known.setdefault(key, made)
