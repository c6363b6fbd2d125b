"""Inside jax.jit, as an argument and closed over. Every row of the catalogue."""

from operax import testing


def test_jit(op):
    testing.check_jit(op)
