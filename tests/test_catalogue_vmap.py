"""Under jax.vmap, over inputs and over operators. Every row of the catalogue."""

from operax import testing


def test_vmap(op):
    testing.check_vmap(op)
