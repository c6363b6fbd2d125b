"""Graph rewrites: batches in one call, value and gradient in one call, nothing computed that is not used."""

from __future__ import annotations

from typing import Any

from pytensor.compile.mode import optdb
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.rewriting.basic import GraphRewriter
from pytensor.tensor.blockwise import Blockwise

from operax.pytensor._function import Function
from operax.pytensor._op import ForeignOp
from operax.pytensor._transforms import Bound, Pullback, Selected, ValueAndPullback, Vectorized, core_type

__all__ = ["BindConstants", "DropUnused", "FuseValueAndGradient", "UnwrapBlockwise"]


def _nodes(fgraph: Any) -> list[Apply]:
    return [node for node in fgraph.toposort() if isinstance(node.op, ForeignOp)]


def _replace(fgraph: Any, old: Any, new: Any, reason: str) -> None:
    fgraph.replace_all_validate([(o, n) for o, n in zip(old, new) if o is not n], reason=reason)


class UnwrapBlockwise(GraphRewriter):
    """``Blockwise(op)``, which loops in Python, to the batched function."""

    def apply(self, fgraph: Any) -> None:
        for node in fgraph.toposort():
            if isinstance(node.op, Blockwise) and isinstance(node.op.core_op, ForeignOp):
                core = [(len(dims), len(node.inputs[k].type.shape)) for k, dims in enumerate(node.op.inputs_sig)]
                fn = Vectorized.of(
                    node.op.core_op.fn,
                    tuple(c for c, _ in core),
                    tuple(map(len, node.op.outputs_sig)),
                    tuple(v.type.broadcastable[: n - c] for v, (c, n) in zip(node.inputs, core)),
                )
                _replace(
                    fgraph, node.outputs, type(node.op.core_op)(fn).make_node(*node.inputs).outputs, "foreign_blockwise"
                )


def _fusion(node: Apply) -> tuple[Function, int, Function] | None:
    """For a pullback, batched or not: the forward it repeats, its number of inputs, and both in one."""
    match node.op.fn:
        case Pullback() as fn:
            return fn.fn, fn.n, ValueAndPullback.of(fn)
        case Vectorized(fn=Pullback() as inner) as fn:
            types = (v.type for v in node.inputs[: inner.n])
            core = tuple(core_type(t, n) for t, n in zip(types, fn.in_ndim))
            out_ndim = tuple(t.ndim for t in inner.fn.infer(core).types)
            forward = Vectorized.of(inner.fn, fn.in_ndim[: inner.n], out_ndim, fn.repeats[: inner.n])
            both = Vectorized.of(ValueAndPullback.of(inner), fn.in_ndim, out_ndim + fn.out_ndim, fn.repeats)
            return forward, inner.n, both
    return None


class FuseValueAndGradient(GraphRewriter):
    """A function and its pullback on the same inputs to one call that runs the forward once.

    Where the cotangent depends on the function's value (a likelihood written in PyTensor) the two stay apart: handing
    the residuals over through PyTensor was measured slower than computing them again.
    """

    def apply(self, fgraph: Any) -> None:
        nodes = _nodes(fgraph)
        for node in nodes:
            found = _fusion(node) if node in fgraph.apply_nodes else None
            if found is None:
                continue
            forward, n, both = found
            primals = list(node.inputs[:n])
            twins = [m for m in nodes if m in fgraph.apply_nodes and list(m.inputs) == primals and m.op.fn == forward]
            if not twins or _depends(node.inputs[n:], twins[0]):
                continue
            new = type(node.op)(both).make_node(*node.inputs).outputs
            _replace(fgraph, [*twins[0].outputs, *node.outputs], new, "foreign_value_and_gradient")


def _depends(variables: Any, on: Apply) -> bool:
    seen, stack = set(), list(variables)
    while stack:
        node = stack.pop().owner
        if node is on:
            return True
        if node is not None and node not in seen:
            seen.add(node)
            stack.extend(node.inputs)
    return False


class DropUnused(GraphRewriter):
    """Outputs that nothing reads are neither computed nor copied: the gradient in the data, say."""

    def apply(self, fgraph: Any) -> None:
        for node in reversed(_nodes(fgraph)):
            used = tuple(k for k, out in enumerate(node.outputs) if fgraph.clients[out])
            if 0 < len(used) < len(node.outputs):
                new = type(node.op)(Selected.of(node.op.fn, used)).make_node(*node.inputs).outputs
                _replace(fgraph, [node.outputs[k] for k in used], new, "foreign_drop_unused")


class BindConstants(GraphRewriter):
    """Constant inputs to arrays that are converted once."""

    def apply(self, fgraph: Any) -> None:
        for node in _nodes(fgraph):
            constants = tuple((k, v.data) for k, v in enumerate(node.inputs) if isinstance(v, Constant))
            if constants and len(constants) < len(node.inputs) and not isinstance(node.op.fn, Bound):
                free = [v for v in node.inputs if not isinstance(v, Constant)]
                fn = Bound.of(node.op.fn, len(node.inputs), constants)
                _replace(fgraph, node.outputs, type(node.op)(fn).make_node(*free).outputs, "foreign_bind_constants")


def register() -> None:
    """Add the rewrites to PyTensor's database, before in-place rewrites and after the elementwise fusion."""
    for name, rewrite, position in (
        ("foreign_blockwise", UnwrapBlockwise(), 0.5),
        ("foreign_value_and_gradient", FuseValueAndGradient(), 49.05),
        ("foreign_drop_unused", DropUnused(), 49.06),
        ("foreign_bind_constants", BindConstants(), 49.07),
    ):
        optdb.register(name, rewrite, "fast_run", position=position)


register()
