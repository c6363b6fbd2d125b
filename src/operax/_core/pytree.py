"""An operator as a pytree: arrays and child operators are its leaves, everything else is static.

The split is made from the instance, not declared: whatever an author (ours or a user) sets as an attribute is looked
at once, on the first flatten, and the outcome is kept until an attribute changes.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.tree_util import GetAttrKey

from operax._arrays.namespace import is_array

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator

HIDDEN = frozenset({"_memo", "_counts", "_settled"})
"""Attributes that are neither leaves nor part of an operator's identity."""

_ATOMS = (str, bytes, int, float, complex, bool, type(None), np.dtype, np.generic, type)


class OwnMethod:
    """A method that an instance stores of itself (`self._matvec = self._matvec_fast`), to be bound anew to a copy."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function

    def __eq__(self, other: object) -> bool:
        return type(other) is OwnMethod and other.function is self.function

    def __hash__(self) -> int:
        return hash(self.function)


class ByIdentity:
    """Wraps an unhashable static value: equal to itself only."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is ByIdentity and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def freeze(value: Any) -> Any:
    """A hashable stand-in for a static value, equal for equal values of one type (1, 1.0 and True differ)."""
    if isinstance(value, _ATOMS):
        return (type(value), value)
    if isinstance(value, list | tuple):
        return (type(value), tuple(freeze(v) for v in value))
    if isinstance(value, dict):
        return (dict, tuple((freeze(k), freeze(v)) for k, v in value.items()))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return (np.ndarray, value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, types.MethodType):
        return (types.MethodType, value.__func__, id(value.__self__))
    if isinstance(value, functools.partial):
        return (functools.partial, freeze(value.func), freeze(value.args), freeze(value.keywords))
    try:
        hash(value)
    except TypeError:
        return ByIdentity(value)
    return value


class Field:
    """Where the leaves sit inside one attribute: the attribute itself (`layout is None`) or inside a container."""

    __slots__ = ("fixed", "layout", "name", "where")

    def __init__(self, name: str, layout: Any = None, where: tuple[int, ...] = (), fixed: tuple[Any, ...] = ()) -> None:
        self.name, self.layout, self.where, self.fixed = name, layout, where, fixed

    def key(self) -> tuple[Any, ...]:
        return (self.name, self.layout, self.where, freeze(self.fixed))

    def take(self, value: Any) -> Iterable[Any]:
        if self.layout is None:
            return (value,)
        parts = self.layout.flatten_up_to(value)
        return [parts[i] for i in self.where]

    def put(self, leaves: list[Any]) -> Any:
        if self.layout is None:
            return leaves[0]
        parts = list(self.fixed)
        for i, leaf in zip(self.where, leaves):
            parts[i] = leaf
        return self.layout.unflatten(parts)

    def count(self) -> int:
        return 1 if self.layout is None else len(self.where)


class Structure:
    """The static part of an operator: its class, where its leaves are, and the values of everything else.

    jit compares the static parts of different operators on every call, so the hash is computed once, identity is
    asked first, and foreign types compare unequal instead of raising.
    """

    __slots__ = ("_hash", "cls", "fields", "identity", "static")

    def __init__(self, cls: type, fields: tuple[Field, ...], static: dict[str, Any]) -> None:
        self.cls, self.fields, self.static = cls, fields, static
        self.identity = (
            cls,
            tuple(f.key() for f in fields),
            tuple(sorted(((name, freeze(v)) for name, v in static.items()), key=lambda item: item[0])),
        )
        self._hash = hash(self.identity)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(other) is Structure and self._hash == other._hash and self.identity == other.identity

    def __repr__(self) -> str:
        return f"Structure({self.cls.__name__})"


def structure_of(op: LinearOperator) -> Structure:
    """The static part of an operator, computed once and kept until an attribute changes."""
    memo = op._memo
    found = memo.get("structure")
    if found is None:
        found = memo["structure"] = _scan(op)
    return found


def _scan(op: LinearOperator) -> Structure:
    from operax._core.operator import LinearOperator

    fields: list[Field] = []
    static: dict[str, Any] = {}

    def is_node(value: Any) -> bool:
        return isinstance(value, LinearOperator)

    for name, value in vars(op).items():
        if name in HIDDEN:
            continue
        if isinstance(value, types.MethodType) and value.__self__ is op:
            static[name] = OwnMethod(value.__func__)
        elif is_node(value) or _is_leaf(value):
            fields.append(Field(name))
        elif isinstance(value, _ATOMS):
            static[name] = value
        else:
            parts, layout = jax.tree_util.tree_flatten(value, is_leaf=is_node)
            where = tuple(i for i, part in enumerate(parts) if is_node(part) or _is_leaf(part))
            if where:
                fixed = tuple(None if i in where else part for i, part in enumerate(parts))
                fields.append(Field(name, layout, where, fixed))
            else:
                static[name] = value
    return Structure(type(op), tuple(fields), static)


def _is_leaf(value: Any) -> bool:
    return is_array(value) and not (isinstance(value, np.ndarray) and value.dtype.kind in "OUSMm")


def flatten(op: LinearOperator) -> tuple[list[Any], Structure]:
    """The leaves and child operators of one operator, and its static part."""
    structure = structure_of(op)
    attributes = vars(op)
    return [leaf for field in structure.fields for leaf in field.take(attributes[field.name])], structure


def flatten_with_keys(op: LinearOperator) -> tuple[list[tuple[Any, Any]], Structure]:
    """As `flatten`, each leaf with the name of its attribute, for JAX's path functions and error texts."""
    structure = structure_of(op)
    attributes = vars(op)
    keyed: list[tuple[Any, Any]] = []
    for field in structure.fields:
        leaves = list(field.take(attributes[field.name]))
        if field.layout is None:
            keyed.append((GetAttrKey(field.name), leaves[0]))
        else:
            keyed += [(GetAttrKey(f"{field.name}[{i}]"), leaf) for i, leaf in enumerate(leaves)]
    return keyed, structure


def unflatten(structure: Structure, leaves: Iterable[Any]) -> LinearOperator:
    """The operator of a static part and leaves; leaves may be anything that JAX puts there."""
    op: Any = object.__new__(structure.cls)
    attributes = op.__dict__
    rest = list(leaves)
    for name, value in structure.static.items():
        attributes[name] = types.MethodType(value.function, op) if type(value) is OwnMethod else value
    for field in structure.fields:
        n = field.count()
        attributes[field.name] = field.put(rest[:n])
        rest = rest[n:]
    attributes["_memo"] = {"structure": structure}
    attributes["_counts"] = [0, 0, 0, 0]
    return op


def register(cls: type) -> None:
    """Make a class of operators known to JAX."""
    jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten, flatten)
