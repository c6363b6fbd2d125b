"""Checks of operators, ours and yours: `check_operator(Op)` runs them all."""

from operax.testing._check import CHECKS, check_operator
from operax.testing._samples import dense_by_columns, inner, sample_data, sample_model
from operax.testing.dottest import check_dottest
from operax.testing.forward import check_adjoint, check_complex_input, check_dtype, check_forward, check_linearity
from operax.testing.identity import check_pickle, check_pytree
from operax.testing.libraries import check_jax, check_read_only_input, check_strict
from operax.testing.sharded import check_sharded
from operax.testing.transforms import check_hessian, check_jit, check_jvp, check_parameters, check_vjp, check_vmap

__all__ = [
    "CHECKS",
    "check_adjoint",
    "check_complex_input",
    "check_dottest",
    "check_dtype",
    "check_forward",
    "check_hessian",
    "check_jax",
    "check_jit",
    "check_jvp",
    "check_linearity",
    "check_operator",
    "check_parameters",
    "check_pickle",
    "check_pytree",
    "check_read_only_input",
    "check_sharded",
    "check_strict",
    "check_vjp",
    "check_vmap",
    "dense_by_columns",
    "inner",
    "sample_data",
    "sample_model",
]
