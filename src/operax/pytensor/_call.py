"""From a call with PyTensor variables anywhere in its arguments to an Op, and back to the structure of its result."""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from pytensor import config
from pytensor.graph.basic import Variable

from operax.pytensor._callables import unbound
from operax.pytensor._declared import Declared
from operax.pytensor._engine import Engine
from operax.pytensor._op import as_tensor, op_of
from operax.pytensor._wrapped import Wrapped

__all__ = ["wrap"]

REMEMBERED = 128  # functions of one wrapper: calls with as many different statics are traced once each


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def wrap(
    func: Callable[..., Any], engine: Engine, name: str | None, allow_eval: bool, declared: Declared | None
) -> Callable[..., Any]:
    """The user's function, taking PyTensor variables as well."""
    if not callable(func):
        raise TypeError(f"a function is expected, got {func!r}")
    if isinstance(getattr(func, "__operax_wrapped__", None), tuple):
        func = func.__wrapped__  # type: ignore[attr-defined]
    inner, first, more = unbound(func)
    shown = name or _name(func)
    signature = _signature(func)
    functions: OrderedDict[Any, Wrapped] = OrderedDict()

    def call(*args: Any, **kwargs: Any) -> Any:
        if signature is not None:
            _check_arguments(signature, shown, args, kwargs)
        paths_leaves, _ = jax.tree_util.tree_flatten_with_path((args, kwargs), is_leaf=_is_variable)
        given = [leaf for _, leaf in paths_leaves]
        full_args, full_kwargs = (*first, *args), {**more, **kwargs}
        leaves, treedef = jax.tree.flatten((full_args, full_kwargs), is_leaf=_is_variable)
        is_variable = tuple(map(_is_variable, leaves))
        plain = not any(is_variable) and any(_is_number(v) or engine.is_array(v) for v in given)
        if plain or any(map(engine.is_tracer, given)):
            if any(is_variable):
                raise TypeError(
                    f"{shown!r} was called with PyTensor variables and with values of a running {engine.name[:-2]} "
                    "transformation at once. Pass the PyTensor variables to the outermost wrapped function."
                )
            return func(*args, **kwargs)
        if declared is not None:
            leaves = _declared_inputs(shown, declared, args, kwargs, leaves)
            is_variable = tuple(map(_is_variable, leaves))
        paths = [_path(path, signature) for path, leaf in paths_leaves if _is_variable(leaf) or declared is not None]
        variables = [
            as_tensor(leaf, p) for leaf, p in zip((x for x in leaves if _is_variable(x)), paths + ["?"] * len(leaves))
        ]
        statics = [None if v else _frozen(leaf) for leaf, v in zip(leaves, is_variable)]
        fn = Wrapped(
            engine, inner, treedef, statics, is_variable, shown, config.floatX == "float64", allow_eval, declared
        )
        fn.paths = (
            tuple(paths) if not any(map(_is_variable, jax.tree.leaves((first, more), is_leaf=_is_variable))) else ()
        )
        fn = functions.setdefault(fn, fn)
        functions.move_to_end(fn)
        if len(functions) > REMEMBERED:
            functions.popitem(last=False)
        outputs = op_of(fn).make_node(*variables).outputs
        if declared is not None:
            return outputs[0] if len(outputs) == 1 else outputs
        return fn.structure(tuple(v.type for v in variables)).rebuild(outputs)

    try:
        functools.update_wrapper(call, func)
    except (AttributeError, TypeError):  # a callable object without the attributes of a function
        call.__wrapped__ = func  # type: ignore[attr-defined]
    call.__name__ = shown
    call.__operax_wrapped__ = (engine.name,)  # type: ignore[attr-defined]
    return call


def _name(func: Any) -> str:
    while isinstance(func, functools.partial):
        func = func.func
    return getattr(func, "__name__", None) or type(func).__name__


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex))


def _frozen(value: Any) -> Any:
    """A static array of its own, as the caller may change the one that was given."""
    return value.copy() if isinstance(value, np.ndarray) else value


def _signature(func: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(func)
    except (TypeError, ValueError):
        return None


def _check_arguments(signature: inspect.Signature, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{name}: {error}. It is to be called as {name}{signature}.") from None


def _path(path: tuple[Any, ...], signature: inspect.Signature | None) -> str:
    """``((0,), 'w')`` of the arguments as the user would write it: ``params['w']``."""
    group, entry, *rest = path
    tail = jax.tree_util.keystr(tuple(rest))
    if getattr(group, "idx", 0) == 1:
        return f"{entry.key}{tail}"
    names = (
        []
        if signature is None
        else [p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    )
    return (names[entry.idx] if entry.idx < len(names) else f"argument {entry.idx}") + tail


def _declared_inputs(name: str, declared: Declared, args: Any, kwargs: Any, leaves: list[Any]) -> list[Any]:
    itypes = declared.itypes
    if kwargs or len(args) != len(itypes):
        raise TypeError(
            f"{name!r} was declared with {len(itypes)} input types ({', '.join(map(str, itypes))}) and called with "
            f"{len(args)} positional and {len(kwargs)} keyword arguments: give one positional argument for each type."
        )
    result = []
    for k, (value, itype) in enumerate(zip(leaves, itypes)):
        variable = as_tensor(value, f"argument {k}")
        if not itype.is_super(variable.type):
            raise TypeError(
                f"argument {k} of {name!r} has type {variable.type}, but itypes says {itype}: convert it, for instance "
                f"with .astype({itype.dtype!r}), or declare another type."
            )
        result.append(variable)
    return result
