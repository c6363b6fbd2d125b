"""JAX functions, PyTorch functions and linear operators as PyTensor Ops, on every PyTensor backend."""

from operax.pytensor._jax import as_jax_op
from operax.pytensor._torch import as_torch_op

__all__ = ["as_jax_op", "as_torch_op"]
