"""PyTensor's JAX mode: JAX functions inlined in the program that PyTensor compiles, others as callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from operax.pytensor._compiled import checked
from operax.pytensor._hooks import when_imported
from operax.pytensor._op import JaxOp, TorchOp

__all__ = ["register"]


def register() -> None:
    """Fill the table of PyTensor's JAX mode."""
    from pytensor.link.jax.dispatch.basic import jax_funcify

    @jax_funcify.register(JaxOp)
    def jax_op(op: JaxOp, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
        if node is None:
            return _single(op.fn)
        types = tuple(v.type for v in node.inputs)
        bound = len(op.fn.bound_arrays())
        function = (
            op.fn if bound else checked(op.fn, types, tuple(v.type for v in node.outputs), op._outputs(node).ties)
        )
        return _single(function)

    @jax_funcify.register(TorchOp)
    def torch_op(op: TorchOp, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
        from operax.pytensor._callback import as_callback

        return _single(as_callback(op.fn))


def _single(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*inputs: Any) -> Any:
        outputs = function(*inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    return call


when_imported("pytensor.link.jax.dispatch.basic", register)
