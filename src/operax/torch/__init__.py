"""Operators and JAX functions on PyTorch tensors, PyTorch functions on JAX arrays."""

from operax.interop._require import require

require("torch", "operax.torch")

from operax.torch._function import as_torch_function  # noqa: E402
from operax.torch._jax_function import as_jax_function  # noqa: E402
from operax.torch._module import OperatorModule  # noqa: E402
from operax.torch._operator import TorchOperator  # noqa: E402
from operax.torch._tensors import to_jax, to_torch  # noqa: E402

__all__ = ["OperatorModule", "TorchOperator", "as_jax_function", "as_torch_function", "to_jax", "to_torch"]
