"""No columns and empty batches: nothing in, nothing out, in the right shape and dtype. Every row of the catalogue."""

import jax
import jax.numpy as jnp
import numpy as np


def test_no_columns(op):
    for A in (op, op.H):
        one = A.matmat(np.ones((A.shape[1], 1), dtype=A.dtype))
        none = A.matmat(np.ones((A.shape[1], 0), dtype=A.dtype))
        assert none.shape == (A.shape[0], 0)
        assert none.dtype == one.dtype
        assert A.batched(np.ones((2, 0, *A.dims), dtype=A.dtype)).shape == (2, 0, *A.dimsd)


def test_no_columns_in_jax(op):
    for A in (op, op.H):
        # shapes alone, as compiling takes time: there is nothing to compute
        one = jax.eval_shape(A.matmat, jnp.ones((A.shape[1], 1), dtype=A.dtype))
        none = jax.eval_shape(A.matmat, jnp.ones((A.shape[1], 0), dtype=A.dtype))
        assert none.shape == (A.shape[0], 0)
        assert none.dtype == one.dtype
