"""Reverse mode, forward mode, second order, and the gradient in the parameters. Every row of the catalogue."""

from operax import testing


def test_vjp(op):
    testing.check_vjp(op)


def test_jvp(op):
    testing.check_jvp(op)


def test_hessian(op):
    testing.check_hessian(op)


def test_parameters(op):
    testing.check_parameters(op)
