"""Precision is kept, complex is kept, NaN shows. Every row of the catalogue."""

from operax import testing


def test_dtype(op):
    testing.check_dtype(op)
