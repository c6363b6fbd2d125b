"""Sizes of axes as text, and their translation into PyTensor."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["evaluate_dim"]

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def evaluate_dim(text: str, symbols: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    """The value of a size such as ``"2*d0 - 1"`` or ``"floordiv(d0, 2)"``, on whatever the symbols stand for.

    Parameters
    ----------
    text : str
        As JAX prints a symbolic dimension: ``+ - * ^``, ``floordiv``, ``mod``, ``max`` and ``min``.
    symbols : mapping
        The value of every name: integers, or PyTensor scalars.
    functions : mapping
        Functions that may be called: ``max`` and ``min`` at least.
    """
    known = {"floordiv": operator.floordiv, "mod": operator.mod, **functions}

    def value(node: ast.AST) -> Any:
        match node:
            case ast.Constant(value=int() as number):
                return number
            case ast.Name(id=name) if name in symbols:
                return symbols[name]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _BINARY[type(op)](value(left), value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.Call(func=ast.Name(id=name), args=args) if name in known:
                return known[name](*map(value, args))
        raise ValueError(f"the size {text!r} holds {ast.dump(node)}, which has no translation into PyTensor")

    return value(ast.parse(text.replace("^", "**"), mode="eval").body)
