"""JAX and the strict namespace give what NumPy gives; inputs are never written to. Every row of the catalogue."""

from operax import testing


def test_jax(op):
    testing.check_jax(op)


def test_strict(op):
    testing.check_strict(op)


def test_read_only_input(op):
    testing.check_read_only_input(op)
