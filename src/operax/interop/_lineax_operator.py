"""What lineax sees of an operator. Imports lineax: only reached once it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import lineax as lx
import numpy as np

from operax._core.backend import form_for, has_tracers
from operax._core.compose import Adjoint, Power, Product, Scaled, Sum
from operax._core.operator import LinearOperator
from operax._core.primitive import bind
from operax._core.simplify import structure_of

_TAGS: dict[Callable[[Any], bool], tuple[object, ...]] = {
    lx.is_symmetric: (
        lx.symmetric_tag,
        lx.positive_semidefinite_tag,
        lx.negative_semidefinite_tag,
        lx.diagonal_tag,
    ),
    lx.is_diagonal: (lx.diagonal_tag,),
    lx.has_unit_diagonal: (lx.unit_diagonal_tag,),
    lx.is_lower_triangular: (lx.lower_triangular_tag, lx.diagonal_tag),
    lx.is_upper_triangular: (lx.upper_triangular_tag, lx.diagonal_tag),
    lx.is_tridiagonal: (lx.tridiagonal_tag, lx.diagonal_tag),
    lx.is_positive_semidefinite: (lx.positive_semidefinite_tag,),
    lx.is_negative_semidefinite: (lx.negative_semidefinite_tag,),
}
"""Each of lineax's questions, and the tags that answer yes."""


class LineaxView(lx.AbstractLinearOperator):
    """lineax's protocol over `operator`, whose arrays are leaves."""

    operator: LinearOperator
    dtype: str = eqx.field(static=True)
    tags: frozenset[object] = eqx.field(static=True)

    def mv(self, vector: Any) -> Any:
        return bind(self.operator, vector)

    def as_matrix(self) -> Any:
        rows, columns = self.operator.shape
        identity = jnp.eye(columns, dtype=self.dtype).reshape(columns, *self.operator.dims)
        return bind(self.operator, identity).reshape(columns, rows).T

    def transpose(self) -> LineaxView:
        dtype = str(self.out_structure().dtype)
        return LineaxView(self.operator.T, dtype, frozenset(lx.transpose_tags(self.tags)))

    def in_structure(self) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(self.operator.dims, np.dtype(self.dtype))

    def out_structure(self) -> jax.ShapeDtypeStruct:
        return jax.eval_shape(lambda x: bind(self.operator, x), self.in_structure())


def wrap(op: LinearOperator, tags: frozenset[object], dtype: np.dtype) -> LineaxView:
    """`op`, its arrays moved to JAX, behind lineax's protocol."""
    if dtype.kind not in "fcV":
        dtype = np.dtype(np.float64)
    moved = op if has_tracers(op) else form_for(op, "jax")
    return LineaxView(moved, str(jax.dtypes.canonicalize_dtype(dtype)), tags)


# ---- what is known of an operator's matrix


def tags_of(op: LinearOperator) -> frozenset[object]:
    """lineax's tags that follow from how the operator is made, or from what it declares of itself (`known`)."""
    if op.shape[0] != op.shape[1] or not op.clinear:
        return frozenset()
    known = structure_of(op)
    found: set[object] = set()
    if "diagonal" in known and op.dims == op.dimsd:
        found.add(lx.diagonal_tag)
    if _kind(op) == "Identity" and op.dims == op.dimsd:
        found.add(lx.unit_diagonal_tag)
    psd = is_positive_semidefinite(op)
    if psd:
        found.add(lx.positive_semidefinite_tag)
    # in lineax a symmetric matrix equals its transpose, which for complex numbers is not to be Hermitian
    if (psd or "hermitian" in known) and np.dtype(op.dtype).kind != "c":
        found.add(lx.symmetric_tag)
    if isinstance(op, Scaled) and _sign(op.factor) < 0 and is_positive_semidefinite(op.op):
        found.add(lx.negative_semidefinite_tag)
    return frozenset(found)


def _kind(op: LinearOperator) -> str:
    return type(op).__name__ if type(op).__module__.startswith("operax.basicoperators") else ""


def is_positive_semidefinite(op: LinearOperator) -> bool:
    """Whether `op` is ``A.H @ A``, ``A.H @ P @ A`` with `P` so, a sum or a non-negative multiple of such.

    Beyond what the core knows without looking at parameters, the two `A` may be equal by value.
    """
    if not op.clinear:
        return False
    if "psd" in structure_of(op):
        return True
    if isinstance(op, Product):
        return _is_palindrome(op.ops)
    if isinstance(op, Sum):
        return all(is_positive_semidefinite(part) for part in op.ops)
    if isinstance(op, Scaled):
        return _sign(op.factor) >= 0 and is_positive_semidefinite(op.op)
    if isinstance(op, Power):
        return is_positive_semidefinite(op.op)
    return False


def _is_palindrome(ops: tuple[LinearOperator, ...]) -> bool:
    while len(ops) > 1:
        if not is_adjoint_pair(ops[0], ops[-1]):
            return False
        ops = ops[1:-1]
    return not ops or is_positive_semidefinite(ops[0])


def is_adjoint_pair(left: LinearOperator, right: LinearOperator) -> bool:
    """Whether `left` is known to be ``right.H``: the same operator, or equal by value."""
    for a, b in ((left, right), (right, left)):
        if isinstance(a, Adjoint):
            if a.op is b:
                return True
            if not has_tracers(a.op) and not has_tracers(b):
                return bool(a.op == b)
            leaves = zip(jax.tree_util.tree_leaves(a.op), jax.tree_util.tree_leaves(b))
            same: Any = jax.tree_util.tree_structure
            return same(a.op) == same(b) and all(p is q for p, q in leaves)
    return False


def _sign(factor: Any) -> float:
    """The sign of a factor that is a number; of an array (a leaf, perhaps traced) nothing is known."""
    return float(np.sign(factor)) if isinstance(factor, int | float) and factor == factor else float("nan")


# ---- lineax's questions


def _answers(question: Any, tags: tuple[object, ...]) -> None:
    @question.register(LineaxView)
    def _(operator: LineaxView) -> bool:
        return not operator.tags.isdisjoint(tags)


for _question, _yes in _TAGS.items():
    _answers(_question, _yes)


@lx.linearise.register(LineaxView)  # type: ignore[attr-defined]
def _(operator: LineaxView) -> Any:
    return operator


@lx.materialise.register(LineaxView)  # type: ignore[attr-defined]
def _(operator: LineaxView) -> Any:
    matrix = operator.as_matrix().reshape(*operator.operator.dimsd, *operator.operator.dims)
    if len(operator.operator.dims) == len(operator.operator.dimsd) == 1:
        return lx.MatrixLinearOperator(matrix, operator.tags)
    return lx.PyTreeLinearOperator(matrix, operator.out_structure(), operator.tags)


@lx.conj.register(LineaxView)  # type: ignore[attr-defined]
def _(operator: LineaxView) -> Any:
    return LineaxView(operator.operator.conj(), operator.dtype, operator.tags)


@lx.diagonal.register(LineaxView)  # type: ignore[attr-defined]
def _(operator: LineaxView) -> Any:
    if lx.is_diagonal(operator):
        return operator.mv(jnp.ones(operator.operator.dims, operator.dtype)).reshape(-1)
    return jnp.diagonal(operator.as_matrix())


@lx.tridiagonal.register(LineaxView)  # type: ignore[attr-defined]
def _(operator: LineaxView) -> Any:
    matrix = operator.as_matrix()
    return jnp.diagonal(matrix), jnp.diagonal(matrix, -1), jnp.diagonal(matrix, 1)
