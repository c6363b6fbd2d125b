"""JAX functions, PyTorch functions and linear operators as PyTensor Ops, on every PyTensor backend."""

from operax.pytensor._jax import as_jax_op
from operax.pytensor._linear import PyTensorOperator, as_linear_op
from operax.pytensor._torch import as_torch_op

__all__ = ["PyTensorOperator", "as_jax_op", "as_linear_op", "as_torch_op"]
