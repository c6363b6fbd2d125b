"""PyTensor's PyTorch mode: torch functions as they are, JAX functions on the same memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from operax.pytensor._compiled import checked
from operax.pytensor._hooks import when_imported
from operax.pytensor._op import JaxOp, TorchOp

__all__ = ["register"]


def to_jax(tensor: Any) -> Any:
    """A JAX array on the memory of a tensor."""
    import jax.numpy as jnp

    return jnp.from_dlpack(tensor.detach().contiguous())


def to_torch(array: Any) -> Any:
    """A tensor on the memory of a JAX array."""
    import torch

    return torch.from_dlpack(array.block_until_ready())


def register() -> None:
    """Fill the table of PyTensor's PyTorch mode."""
    import torch
    from pytensor.link.pytorch.dispatch.basic import pytorch_funcify

    @pytorch_funcify.register(JaxOp)
    def jax_op(op: JaxOp, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
        run = op.runner(node, (to_jax, to_torch))

        @torch.compiler.disable  # torch cannot look into JAX: its compiled graph stops here and goes on after
        def call(*inputs: Any) -> Any:
            outputs = run(*map(torch.as_tensor, inputs))
            return outputs[0] if len(outputs) == 1 else tuple(outputs)

        return call

    @pytorch_funcify.register(TorchOp)
    def torch_op(op: TorchOp, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
        types = tuple(v.type for v in node.inputs)
        fn = checked(op.fn, types, tuple(v.type for v in node.outputs), op._outputs(node).ties)
        bound = tuple(map(torch.as_tensor, op.fn.bound_arrays()))

        @torch.compiler.disable  # the compiler does not follow torch.func and modules made outside
        def call(*inputs: Any) -> Any:
            with torch.no_grad():  # derivatives are Ops of their own
                outputs = fn(*bound, *map(torch.as_tensor, inputs))
            return outputs[0] if len(outputs) == 1 else tuple(outputs)

        return call


when_imported("pytensor.link.pytorch.dispatch.basic", register)
