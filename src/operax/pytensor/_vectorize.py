"""``vectorize_graph`` and ``pt.vectorize`` of a wrapped Op: the batched function in one call."""

from __future__ import annotations

from typing import Any

from pytensor.graph.basic import Apply
from pytensor.graph.replace import _vectorize_node

from operax.pytensor._op import ForeignOp
from operax.pytensor._transforms import Vectorized

__all__ = ["vectorized_node"]


@_vectorize_node.register(ForeignOp)
def vectorized_node(op: ForeignOp, node: Apply, *batched: Any) -> Apply:
    """The node of an Op with leading batch axes on some of its inputs."""
    in_ndim = tuple(v.type.ndim for v in node.inputs)
    out_ndim = tuple(v.type.ndim for v in node.outputs)
    variables = [b if hasattr(b, "type") else v.type.filter_variable(b) for b, v in zip(batched, node.inputs)]
    repeats = tuple(b.type.broadcastable[: b.type.ndim - n] for b, n in zip(variables, in_ndim))
    return type(op)(Vectorized.of(op.fn, in_ndim, out_ndim, repeats)).make_node(*variables)
