"""Operators as formulas and graphs."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from operax._core.compose import (
    Adjoint,
    Columns,
    Conjugate,
    ImaginaryPart,
    Power,
    Product,
    RealPart,
    Scaled,
    Sum,
    Transposed,
)
from operax._core.operator import LinearOperator
from operax._core.pytree import flatten
from operax._core.simplify import PROPERTIES, structure_of

_ADD, _MULTIPLY, _POST = 1, 2, 3
"""How strongly the outermost sign of a formula binds: a weaker one inside a stronger one is put in brackets."""

_WORDS = {"psd": "positive semidefinite", "hermitian": "Hermitian", "diagonal": "diagonal", "unitary": "unitary"}


@dataclass
class _Names:
    """Symbols of operators: the same operator always has the same symbol, different operators different ones."""

    of: dict[int, str] = field(default_factory=dict)
    kept: list[LinearOperator] = field(default_factory=list)
    legend: dict[str, LinearOperator] = field(default_factory=dict)

    def symbol(self, op: LinearOperator) -> str:
        if id(op) not in self.of:
            wanted = op.name or type(op).__name__[0]
            name, k = wanted, 1
            while name in self.legend:
                k += 1
                name = f"{wanted}{k}"
            self.of[id(op)] = name
            self.legend[name] = op
            self.kept.append(op)
        return self.of[id(op)]


@dataclass(frozen=True)
class Description:
    """What `describe` gives: printed as text, shown as formula, table and graph in a notebook.

    Attributes
    ----------
    formula : str
        The operator as a formula, such as ``"A.H @ A + 0.1 * I"``.
    where : dict of str
        What the symbols stand for: classes, shapes and dtypes.
    known : tuple of str
        What is known of the operator: diagonal, Hermitian, positive semidefinite, unitary.
    shape : tuple of int
        Its shape.
    dot : str
        Its parts as a graph in the DOT language.
    """

    formula: str
    where: dict[str, str]
    known: tuple[str, ...]
    shape: tuple[int, int]
    dot: str
    tree: tuple[Any, ...]

    def __str__(self) -> str:
        lines = [self.formula, f"where: {self.where}"]
        if self.known:
            lines.append(f"known: {', '.join(self.known)}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{html.escape(name)}</code></td><td>{html.escape(text)}</td></tr>"
            for name, text in self.where.items()
        )
        known = f"<div>known: {html.escape(', '.join(self.known))}</div>" if self.known else ""
        return (
            '<div class="operax-operator">'
            f"<div><code>{html.escape(self.formula)}</code> &nbsp; {self.shape[0]} &times; {self.shape[1]}</div>"
            f"{known}<table>{rows}</table>{_tree_html(self.tree)}</div>"
        )


def describe(Op: Any, show: bool = True) -> Description:
    """Show an operator as a formula of its parts.

    Parameters
    ----------
    Op : LinearOperator
        Operator; give its parts a `name` to choose their symbols.
    show : bool, optional
        Print the text (default True).

    Returns
    -------
    Description
        Formula, legend and graph; the last expression of a notebook cell shows them.

    Notes
    -----
    The formula is that of the operator as it is after simplification: what was merged or left out does not occur.
    With SymPy installed, ``sympy.sympify`` reads formulas without stacks after ``@`` is replaced by ``*``.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.utils.describe import describe
    >>> A = operax.MatrixMult(np.ones((3, 4)), name="A")
    >>> _ = describe(A.H @ A + 0.5 * operax.Identity(4))
    A.H @ A + 0.5 * I
    where: {'A': 'MatrixMult (4,) -> (3,) float64', 'I': 'Identity (4,) -> (4,) float64'}
    known: Hermitian, positive semidefinite
    """
    if not isinstance(Op, LinearOperator):
        raise TypeError(f"describe takes an operator, got {type(Op).__name__}; wrap it with operax.aslinearoperator")
    names = _Names()
    formula, _ = _formula(Op, names)
    where = {name: f"{type(op).__name__} {op.dims} -> {op.dimsd} {op.dtype}" for name, op in names.legend.items()}
    known = structure_of(Op)
    words = tuple(_WORDS[word] for word in PROPERTIES if word in known)
    found = Description(formula, where, words, Op.shape, _dot(Op, names), _tree(Op, names))
    if show:
        print(found)
    return found


def _formula(op: LinearOperator, names: _Names) -> tuple[str, int]:
    """The formula of an operator, and how strongly its outermost sign binds."""

    def inside(part: LinearOperator, level: int) -> str:
        text, binds = _formula(part, names)
        return f"({text})" if binds < level else text

    for kind, suffix in ((Adjoint, ".H"), (Transposed, ".T"), (Conjugate, ".conj()")):
        if type(op) is kind:
            return f"{inside(op.op, _POST)}{suffix}", _POST  # type: ignore[attr-defined]
    if type(op) is Product:
        return " @ ".join(inside(part, _MULTIPLY) for part in op.ops), _MULTIPLY
    if type(op) is Sum:
        text = inside(op.ops[0], _ADD)
        for part in op.ops[1:]:
            term = inside(part, _ADD)
            text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        return text, _ADD
    if type(op) is Scaled:
        return _scaled(op, inside(op.op, _MULTIPLY)), _MULTIPLY
    if type(op) is Power:
        return f"{inside(op.op, _POST)}**{op.p}", _POST
    if type(op) is Columns:
        return f"{inside(op.op, _POST)}[:, {len(op.cols)} columns]", _POST
    if isinstance(op, RealPart | ImaginaryPart):
        return f"{inside(op.op, _POST)}.{'toreal' if type(op) is RealPart else 'toimag'}()", _POST
    return _stacked(op, names), _POST


def _scaled(op: Scaled, text: str) -> str:
    try:
        factor = op.factor if isinstance(op.factor, int | float | complex) else op.factor.item()
    except Exception:  # a value inside a transformation has no digits yet
        return f"a * {text}"
    if isinstance(factor, int | float) and factor == -1:
        return f"-{text}"
    return f"{factor:g} * {text}" if isinstance(factor, float) else f"{factor} * {text}"


def _stacked(op: LinearOperator, names: _Names) -> str:
    """Formulas of stacks by their classes' names; everything else is one symbol."""
    kind = type(op).__name__
    parts = getattr(op, "ops", None)
    if isinstance(parts, tuple) and all(isinstance(part, LinearOperator) for part in parts):
        texts = [_formula(part, names)[0] for part in parts]
        if kind in ("VStack", "Block"):
            return f"[{'; '.join(texts)}]"
        if kind == "HStack":
            return f"[{', '.join(texts)}]"
        return f"{kind}({', '.join(texts)})"
    if kind == "Kronecker":
        return f"Kronecker({_formula(op.Op1, names)[0]}, {_formula(op.Op2, names)[0]})"  # type: ignore[attr-defined]
    return names.symbol(op)


def _children(op: LinearOperator) -> Iterator[LinearOperator]:
    """The operators directly below, each once."""
    found = {id(child): child for child in flatten(op)[0] if isinstance(child, LinearOperator)}
    yield from found.values()


def _title(op: LinearOperator, names: _Names) -> str:
    kind = type(op).__name__
    symbol = names.of.get(id(op))
    factor = f" {_scaled(op, '').removesuffix(' * ')}" if type(op) is Scaled else ""
    head = f"{symbol}: {kind}" if symbol else f"{kind}{factor}"
    return f"{head} {op.dims} -> {op.dimsd}"


def _tree(op: LinearOperator, names: _Names) -> tuple[Any, ...]:
    return (_title(op, names), tuple(_tree(child, names) for child in _children(op)))


def _tree_html(tree: tuple[Any, ...]) -> str:
    title, children = tree
    if not children:
        return f"<div>{html.escape(title)}</div>"
    inner = "".join(f"<li>{_tree_html(child)}</li>" for child in children)
    return f"<details open><summary>{html.escape(title)}</summary><ul>{inner}</ul></details>"


def _dot(op: LinearOperator, names: _Names) -> str:
    """A graph with one node for each operator, however often it occurs."""
    nodes: dict[int, str] = {}
    lines: list[str] = []

    def visit(part: LinearOperator) -> str:
        if id(part) in nodes:
            return nodes[id(part)]
        node = nodes[id(part)] = f"n{len(nodes)}"
        title = _title(part, names).replace('"', "'")
        lines.append(f'  {node} [label="{title}"];')
        for child in _children(part):
            lines.append(f"  {node} -> {visit(child)};")
        return node

    visit(op)
    return "digraph operator {\n  node [shape=box];\n" + "\n".join(lines) + "\n}"
