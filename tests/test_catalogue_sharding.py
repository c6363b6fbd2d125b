"""On arrays spread over devices, with automatic and explicit axes. Every row of the catalogue."""

from operax import testing


def test_sharded(op):
    testing.check_sharded(op)
