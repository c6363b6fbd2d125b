"""Take a callable apart, so that what it carries counts as arguments and its identity is by value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

import jax

__all__ = ["unbound"]


def call_module(module: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call a callable that came in as an argument."""
    return module(*args, **kwargs)


def unbound(func: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """A plain function, and the arguments that come before and beside those of each call.

    ``functools.partial`` gives its function and arguments; a bound method its function and object; a callable that is
    itself a pytree (an equinox or flax module, with arrays or PyTensor variables inside) becomes the first argument.
    """
    first: tuple[Any, ...] = ()
    more: dict[str, Any] = {}
    while True:
        if type(func) is functools.partial:
            first, more = (*func.args, *first), {**func.keywords, **more}
            func = func.func
        elif isinstance(func, MethodType):
            first = (func.__self__, *first)
            func = func.__func__
        elif not jax.tree_util.treedef_is_leaf(jax.tree.structure(func)):
            return call_module, (func, *first), more
        else:
            return func, first, more
