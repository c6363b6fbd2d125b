"""Forward, adjoint, transpose and conjugate against the dense matrix, and the dot test. Every row of the catalogue."""

from operax import testing


def test_forward(op, matrix):
    testing.check_forward(op, matrix)


def test_adjoint(op, matrix):
    testing.check_adjoint(op, matrix)


def test_dottest(op):
    testing.check_dottest(op)


def test_linearity(op):
    testing.check_linearity(op)


def test_complex_input(op):
    testing.check_complex_input(op)
