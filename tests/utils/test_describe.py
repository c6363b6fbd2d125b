"""Formulas, legends and graphs of operators."""

import numpy as np
import pytest

import operax
from operax.utils import describe

A = operax.MatrixMult(np.ones((3, 4)), name="A")
B = operax.MatrixMult(np.eye(4), name="B")
C = operax.MatrixMult(np.ones((4, 4)), name="B")  # a second operator that wants the symbol of the first
D = operax.Diagonal(np.arange(4.0))


@pytest.mark.parametrize(
    ("op", "formula"),
    [
        (A, "A"),
        (A.H, "A.H"),
        (A.T, "A.T"),
        (A.conj(), "A.conj()"),
        (A @ B, "A @ B"),
        ((A @ B).T, "(A @ B).T"),
        (2 * A, "2 * A"),
        (-A, "-A"),
        (0.5 * A @ B + A, "0.5 * A @ B + A"),
        (A - 2 * (A @ B), "A - 2 * A @ B"),
        (A @ (B + D), "A @ (B + D)"),
        (B @ C, "B @ B2"),
        (B @ C @ B, "B @ B2 @ B"),
        (B**3, "B**3"),
        (operax.VStack([A, 2 * B]), "[A; 2 * B]"),
        (operax.HStack([B, D]), "[B, D]"),
        (operax.Block([[B, D], [D, B]]), "[[B, D]; [D, B]]"),
        (operax.BlockDiag([A, B]), "BlockDiag(A, B)"),
        (operax.Kronecker(A, B + D), "Kronecker(A, B + D)"),
        (A.toreal(), "A.toreal()"),
        (A.apply_columns([0, 1]), "A[:, 2 columns]"),
        (D @ operax.Identity(4) @ D, "D"),  # as simplified
    ],
    ids=str,
)
def test_formula(op, formula, capsys):
    found = describe(op)
    assert found.formula == formula
    assert capsys.readouterr().out.startswith(formula + "\n")


def test_legend_and_knowledge(capsys):
    found = describe(A.H @ A + D @ D, show=False)
    assert capsys.readouterr().out == ""
    assert found.where == {"A": "MatrixMult (4,) -> (3,) float64", "D": "Diagonal (4,) -> (4,) float64"}
    assert found.known == ("Hermitian",)
    assert describe(A.H @ A, show=False).known == ("Hermitian", "positive semidefinite")
    assert str(found).splitlines() == [found.formula, f"where: {found.where}", "known: Hermitian"]


def test_graph_has_a_node_an_operator():
    dot = describe(A.H @ A + 2 * B, show=False).dot
    assert dot.startswith("digraph operator {")
    nodes = [line for line in dot.splitlines() if "[label" in line]
    edges = [line for line in dot.splitlines() if " -> n" in line]
    assert len(nodes) == 6  # the sum, the product, the adjoint, A, the scaled one and B
    assert len(edges) == 6
    assert sum("MatrixMult" in line for line in nodes) == 2


def test_notebook_form_is_escaped():
    op = operax.MatrixMult(np.ones((2, 2)), name="<b>")
    shown = (op + operax.Identity(2))._repr_html_()
    assert "&lt;b&gt; + I" in shown
    assert "<b>" not in shown
    assert "Sum (2,) -&gt; (2,)" in shown


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="aslinearoperator"):
        describe(np.ones(2))
