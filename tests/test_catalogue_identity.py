"""Pickling, copies, equality, the pytree round trip. Every row of the catalogue."""

from operax import testing


def test_pickle(op):
    testing.check_pickle(op)


def test_pytree(op):
    testing.check_pytree(op)
