"""Algebra that simplifies: rules by the classes of neighbouring operators.

Products and sums of operators pass through here when they are written. A rule looks at two neighbours and gives one
operator in their place, or None. Rules only fire where the result is the same up to rounding, for every input and in
every precision: shapes and dtypes that would differ keep the operators apart. The values of parameters are never asked,
only shapes and static attributes, so a composition inside ``jax.jit`` gives the same structure as outside.

What is simplified is a new operator: setting an attribute of one of its former parts does not reach it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operax._arrays.dtypes import is_complex
from operax._arrays.namespace import is_array
from operax._core import pytree
from operax._core.compose import Adjoint, Power, Product, Scaled, Sum, conjugate
from operax._core.operator import LinearOperator

ProductRule = Callable[[Any, Any, tuple[LinearOperator, ...]], LinearOperator | None]
SumRule = Callable[[Any, Any], LinearOperator | None]

_PRODUCTS: dict[tuple[type, type], ProductRule] = {}
_SUMS: dict[tuple[type, type], SumRule] = {}
_UNWRAPS: dict[type, Callable[[Any], LinearOperator | None]] = {}


def product_rule(left: type, right: type) -> Callable[[ProductRule], ProductRule]:
    """Register ``rule(left, right, after)`` for ``left @ right``; `after` are the operators that act before them."""

    def register(rule: ProductRule) -> ProductRule:
        _PRODUCTS[left, right] = rule
        return rule

    return register


def sum_rule(left: type, right: type) -> Callable[[SumRule], SumRule]:
    """Register ``rule(left, right)`` for ``left + right``."""

    def register(rule: SumRule) -> SumRule:
        _SUMS[left, right] = rule
        return rule

    return register


def adjoint_rule(kind: type) -> Callable[[Callable[[Any], LinearOperator | None]], Any]:
    """Register how the adjoint of a class is written without a wrapper: the adjoint of a roll is a roll."""

    def register(rule: Callable[[Any], LinearOperator | None]) -> Any:
        _UNWRAPS[kind] = rule
        return rule

    return register


def _rule(rules: dict[tuple[type, type], Any], left: Any, right: Any) -> Any:
    """The rule of the classes of two operators, or of LinearOperator in the place of one."""
    a, b = type(left), type(right)
    return rules.get((a, b)) or rules.get((a, LinearOperator)) or rules.get((LinearOperator, b))


# ---- the two entry points


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """``left @ right``."""
    ops = (*_factors(left), *_factors(right))
    if left.shape[1] != right.shape[0] or any(op.forceflat is not None for op in ops):
        return Product(*ops)  # which raises for shapes that do not fit
    factor, ops = _numbers_first(ops)
    ops = _reduced(ops)
    result = ops[0] if len(ops) == 1 else _known(Product(*ops), known_of_product(ops))
    return result if factor is None else scaled(factor, result)


def _factors(op: LinearOperator) -> tuple[LinearOperator, ...]:
    if type(op) is Product and op.forceflat is None:
        return op.ops
    if type(op) is Adjoint:
        inner = op.op
        if type(inner) is Product and inner.forceflat is None:
            return tuple(f for part in reversed(inner.ops) for f in _factors(part.H))
        rule = _UNWRAPS.get(type(inner))
        plain = rule(inner) if rule is not None and inner.forceflat is None else None
        return (op,) if plain is None else (plain,)
    return (op,)


def _numbers_first(ops: tuple[LinearOperator, ...]) -> tuple[Any, tuple[LinearOperator, ...]]:
    """The product of the static real factors, and the operators without them."""
    if len([op for op in ops if type(op) is Scaled]) == 0:
        return None, ops
    total: Any = 1
    rest: list[LinearOperator] = []
    for op in ops:
        # a complex number does not pass a map that is linear over the reals only
        if type(op) is Scaled and isinstance(op.factor, int | float) and not isinstance(op.factor, bool):
            total = total * op.factor
            rest.extend(_factors(op.op))
        else:
            rest.append(op)
    return (None, ops) if len(rest) == len(ops) and total == 1 and type(total) is int else (total, tuple(rest))


def _reduced(ops: tuple[LinearOperator, ...]) -> tuple[LinearOperator, ...]:
    """Neighbours merged as long as a rule applies; shapes between operators that are kept stay what they were."""
    done: list[LinearOperator] = []
    for i, op in enumerate(ops):
        done.append(op)
        while len(done) > 1:
            left, right = done[-2], done[-1]
            rule = _rule(_PRODUCTS, left, right)
            merged = rule(left, right, ops[i + 1 :]) if rule is not None and left.dims == right.dimsd else None
            if merged is None:
                break
            done[-2:] = [merged]
    return tuple(done)


def add(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """``left + right``."""
    terms = (*_terms(left), *_terms(right))
    plain = Sum(*terms)  # which raises for shapes that do not fit
    if any(op.forceflat is not None or op.dims != left.dims or op.dimsd != left.dimsd for op in terms):
        return plain
    found = list(_terms(left))
    for term in _terms(right):
        for i, other in enumerate(found):
            merged = _added(other, term)
            if merged is not None:
                found[i] = merged
                break
        else:
            found.append(term)
    if len(found) == 1:
        return found[0]
    return _known(Sum(*found), known_of_sum(found))


def _terms(op: LinearOperator) -> tuple[LinearOperator, ...]:
    return op.ops if type(op) is Sum else (op,)


def _added(a: LinearOperator, b: LinearOperator) -> LinearOperator | None:
    rule = _rule(_SUMS, a, b)
    merged = rule(a, b) if rule is not None else None
    if merged is not None:
        return merged
    (fa, core_a), (fb, core_b) = _split_number(a), _split_number(b)
    if core_a is core_b and not isinstance(fa, complex) and not isinstance(fb, complex):
        return scaled(fa + fb, core_a) if fa + fb != 0 else None
    return _common_sides(a, b)


def _split_number(op: LinearOperator) -> tuple[Any, LinearOperator]:
    if type(op) is Scaled and isinstance(op.factor, int | float):
        return op.factor, op.op
    return 1, op


def _common_sides(a: LinearOperator, b: LinearOperator) -> LinearOperator | None:
    """``L D1 R + L D2 R = L (D1 + D2) R``, where the sum in the middle is one operator."""
    if type(a) is not Product or type(b) is not Product or len(a.ops) != 3 or len(b.ops) != 3:
        return None
    if not (same(a.ops[0], b.ops[0]) and same(a.ops[2], b.ops[2])) or a.ops[1].dims != b.ops[1].dims:
        return None
    rule = _rule(_SUMS, a.ops[1], b.ops[1])
    middle = rule(a.ops[1], b.ops[1]) if rule is not None else None
    if middle is None:
        return None
    ops = (a.ops[0], middle, a.ops[2])
    return _known(Product(*ops), known_of_product(ops))


def scaled(factor: Any, op: LinearOperator) -> LinearOperator:
    """A scalar times an operator: one factor, and none where it is the integer 1."""
    plain = not is_array(factor) and not isinstance(factor, bool | np.generic)
    if plain and type(op) is Scaled and isinstance(op.factor, int | float) and isinstance(factor, int | float):
        factor, op = factor * op.factor, op.op
    if plain and type(factor) is int and factor == 1:
        return op
    return _known(Scaled(factor, op), known_of_scaled(factor, op))


def power(op: LinearOperator, p: int) -> LinearOperator:
    """An operator applied `p` times."""
    if p == 1:
        return op
    known = structure_of(op)
    return _known(Power(op, p), known & {"diagonal", "hermitian", "psd", "unitary"})


# ---- when two operators are the same


def same(a: LinearOperator, b: LinearOperator) -> bool:
    """Whether two operators are known to be equal, without looking at the values of parameters."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    leaves_a, structure_a = pytree.flatten(a)
    leaves_b, structure_b = pytree.flatten(b)
    if len(leaves_a) != len(leaves_b) or structure_a != structure_b:
        return False
    return all(
        x is y or (isinstance(x, LinearOperator) and isinstance(y, LinearOperator) and same(x, y))
        for x, y in zip(leaves_a, leaves_b)
    )


def adjoint_pair(a: LinearOperator, b: LinearOperator) -> bool:
    """Whether `a` is known to be the adjoint of `b`."""
    for left, right in ((a, b), (b, a)):
        if type(left) is Adjoint and same(left.op, right):
            return True
        rule = _UNWRAPS.get(type(left))
        plain = rule(left) if rule is not None else None
        if plain is not None and same(plain, right):
            return True
    return "hermitian" in structure_of(a) and same(a, b)


# ---- what is known of an operator

_KNOWLEDGE: dict[type, Callable[[Any], set[str]]] = {}

PROPERTIES = ("diagonal", "hermitian", "psd", "unitary")
"""What may be known: diagonal; equal to its adjoint; that and positive semidefinite; its adjoint being its inverse."""


def knows(kind: type) -> Callable[[Callable[[Any], set[str]]], Any]:
    """Register what is known of the operators of a class."""

    def register(function: Callable[[Any], set[str]]) -> Any:
        _KNOWLEDGE[kind] = function
        return function

    return register


def structure_of(op: LinearOperator) -> frozenset[str]:
    """What is known of an operator, from `PROPERTIES`; nothing is found out by computing.

    An operator's own attribute `known` (a set of these words, static) is believed: set it on an operator of yours to
    declare, say, that it is positive semidefinite.
    """
    declared = vars(op).get("known")
    if declared is not None:
        return frozenset(declared)
    if type(op) is Adjoint:
        return structure_of(op.op)
    function = _KNOWLEDGE.get(type(op))
    return frozenset(function(op)) if function is not None else frozenset()


def _known(op: LinearOperator, known: set[str] | frozenset[str]) -> LinearOperator:
    """`op` with what is known of it as a static attribute, which survives transformations of its leaves."""
    if known:
        op.known = frozenset(known)  # type: ignore[attr-defined]
    return op


def known_of_product(ops: tuple[LinearOperator, ...]) -> set[str]:
    """``A.H ... B ... A`` is Hermitian with B, and semidefinite with it; products of unitary operators are unitary."""
    parts = [structure_of(op) for op in ops]
    found = {word for word in ("unitary", "diagonal") if all(word in part for part in parts)}
    n = len(ops)
    if all(op.clinear for op in ops) and all(adjoint_pair(ops[i], ops[n - 1 - i]) for i in range(n // 2)):
        middle = parts[n // 2] if n % 2 else frozenset({"hermitian", "psd"})
        found |= middle & {"hermitian", "psd"}
    return found


def known_of_sum(ops: list[LinearOperator]) -> set[str]:
    """Sums keep being diagonal, Hermitian and semidefinite."""
    parts = [structure_of(op) for op in ops]
    return {word for word in ("diagonal", "hermitian", "psd") if all(word in part for part in parts)}


def known_of_scaled(factor: Any, op: LinearOperator) -> set[str]:
    """A real factor keeps Hermitian, one that is not negative keeps semidefinite, one of size 1 keeps unitary."""
    known = structure_of(op)
    found = set(known & {"diagonal"})
    real = (is_array(factor) and not is_complex(factor)) or isinstance(factor, int | float)
    if real:
        found |= known & {"hermitian"}
    if not is_array(factor):
        if real and factor >= 0:
            found |= known & {"psd"}
        if abs(factor) == 1:
            found |= known & {"unitary"}
    return found


@knows(Sum)
def _(op: Sum) -> set[str]:
    return known_of_sum(list(op.ops))


@knows(Product)
def _(op: Product) -> set[str]:
    return known_of_product(op.ops)


@knows(Scaled)
def _(op: Scaled) -> set[str]:
    return known_of_scaled(op.factor, op.op)


def conjugated(x: Any) -> Any:
    """The complex conjugate of an array or a number."""
    return conjugate(x) if is_array(x) else complex(x).conjugate() if isinstance(x, complex) else x
