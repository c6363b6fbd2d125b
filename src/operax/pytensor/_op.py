"""The Op: one class for forward, derivatives, batches and fusions, told apart by its function alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType, grad_not_implemented
from pytensor.graph.basic import Apply
from pytensor.graph.basic import Variable as BasicVariable
from pytensor.graph.op import Op
from pytensor.tensor.shape import Shape_i
from pytensor.tensor.type import DenseTensorType, TensorType

from operax.pytensor._compiled import Convert, Runner, runner
from operax.pytensor._dims import evaluate_dim
from operax.pytensor._function import Function, is_inexact
from operax.pytensor._outputs import Outputs
from operax.pytensor._sizes import evaluated_sizes
from operax.pytensor._transforms import Pullback, Pushforward

Variable = Any
"""PyTensor does not type the methods that a tensor variable has."""

__all__ = ["ForeignOp", "JaxOp", "TorchOp", "op_of"]


_NO_COMPLEX = (
    "PyTensor's grad carries no complex gradients. Keep the complex values inside one wrapped function, "
    "from real inputs to real outputs, or pass real and imaginary parts."
)


class ForeignOp(Op):
    """An Op that runs a `Function` of another framework. Equal when the functions are equal."""

    __props__ = ("fn",)
    default_output: int | None = None

    def __init__(self, fn: Function) -> None:
        self.fn = fn

    def __repr__(self) -> str:
        return f"{self.fn.engine.name}{{{self.fn}}}"

    __str__ = __repr__

    @property
    def name(self) -> str:
        """The name of the user's function, with the transformations applied to it."""
        return str(self.fn)

    # -- types -------------------------------------------------------------------------------------------------------

    def make_node(self, *inputs: Any) -> Apply:
        variables = [as_tensor(i, self.fn.input_name(k)) for k, i in enumerate(inputs)]
        outputs = self.fn.infer(tuple(v.type for v in variables), lambda: evaluated_sizes(variables))
        return Apply(self, variables, [t() for t in outputs.types])

    def _outputs(self, node: Apply) -> Outputs:
        return self.fn.infer(tuple(v.type for v in node.inputs))

    def infer_shape(self, *args: Any) -> list[tuple[Any, ...]]:
        node, shapes = args[-2:]  # (fgraph, node, shapes) before PyTensor 3.1, (node, shapes) since
        declared = getattr(self.fn, "declared", None)
        if declared is not None and declared.infer_shape is not None:
            return declared.infer_shape(None, node, shapes)
        outputs = self._outputs(node)
        symbols = {name: shapes[i][j] for name, (i, j) in outputs.symbols.items()}
        functions = {"max": pt.maximum, "min": pt.minimum}

        def size(number: int, axis: int) -> Variable:
            known = node.outputs[number].type.shape[axis]
            dim = known if known is not None else outputs.dims[number][axis]
            if dim is None:
                return Shape_i(axis)(node.outputs[number])
            value = dim if isinstance(dim, int) else evaluate_dim(dim, symbols, functions)
            return pt.constant(value, dtype="int64") if isinstance(value, int) else pt.cast(value, "int64")

        return [tuple(size(o, j) for j in range(v.type.ndim)) for o, v in enumerate(node.outputs)]

    # -- values ------------------------------------------------------------------------------------------------------

    def runner(self, node: Apply, convert: tuple[Convert, Convert] | None = None) -> Runner:
        """The compiled function for a node."""
        ties = self._outputs(node).ties
        return runner(self.fn, [v.type for v in node.inputs], [v.type for v in node.outputs], ties, convert)

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]) -> None:
        for storage, value in zip(output_storage, self.runner(node)(*inputs)):
            storage[0] = value

    def make_py_thunk(
        self, node: Apply, storage_map: Any, compute_map: Any, no_recycling: Any, debug: bool = False
    ) -> Any:
        # the compiled function is found once for the node, not on every call
        inputs = [storage_map[v] for v in node.inputs]
        outputs = [storage_map[v] for v in node.outputs]
        computed = [] if compute_map is None else [compute_map[v] for v in node.outputs]
        run = self.runner(node)

        def thunk() -> None:
            for storage, value in zip(outputs, run(*[i[0] for i in inputs])):
                storage[0] = value
            for entry in computed:
                entry[0] = True

        thunk.inputs, thunk.outputs, thunk.lazy, thunk.perform = inputs, outputs, False, self.perform  # type: ignore[attr-defined]
        return thunk

    # -- derivatives -------------------------------------------------------------------------------------------------

    def _apply(self, fn: Function, *inputs: Variable) -> list[Variable]:
        return type(self)(fn).make_node(*inputs).outputs

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        outs = [is_inexact(o.type.dtype) for o in node.outputs]
        return [[is_inexact(i.type.dtype) and o for o in outs] for i in node.inputs]

    def pullback(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], cotangents: Sequence[Variable]
    ) -> list[Variable]:
        """Reverse mode: one more Op of this class, over the inexact inputs and the outputs that reach the cost."""
        ins = tuple(i for i, v in enumerate(inputs) if v.type.dtype.startswith("float"))
        outs = tuple(o for o, c in enumerate(cotangents) if not _disconnected(c) and is_inexact(outputs[o].type.dtype))
        result: list[Variable] = [DisconnectedType()() for _ in inputs]
        if ins and outs:
            fn = Pullback.of(self.fn, len(inputs), ins, outs)
            fn.check(tuple(v.type for v in inputs))
            given = [cotangents[o].astype(_cotangent_dtype(cotangents[o], outputs[o])) for o in outs]
            for i, value in zip(ins, self._apply(fn, *inputs, *given)):
                result[i] = value
        for i, v in enumerate(inputs):
            if outs and v.type.dtype.startswith("complex"):
                result[i] = grad_not_implemented(self, i, v, _NO_COMPLEX)
        return result

    def L_op(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], output_grads: Sequence[Variable]
    ) -> list[Variable]:
        """The name of `pullback` before PyTensor 3."""
        return self.pullback(inputs, outputs, output_grads)

    def pushforward(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], tangents: Sequence[Variable]
    ) -> list[Variable]:
        """Forward mode."""
        ins = tuple(i for i, t in enumerate(tangents) if not _disconnected(t) and is_inexact(inputs[i].type.dtype))
        outs = tuple(o for o, v in enumerate(outputs) if is_inexact(v.type.dtype))
        result: list[Variable] = [DisconnectedType()() for _ in outputs]
        if ins and outs:
            fn = Pushforward.of(self.fn, len(inputs), ins, outs)
            moved = self._apply(fn, *inputs, *(tangents[i] for i in ins))
            for o, value in zip(outs, moved):
                result[o] = value
        return result

    def R_op(self, inputs: Sequence[Variable], eval_points: Any) -> list[Variable]:
        """The name of `pushforward` before PyTensor 3, where None is a disconnected tangent."""
        tangents = [DisconnectedType()() if t is None else t for t in eval_points]
        moved = self.pushforward(inputs, self.make_node(*inputs).outputs, tangents)
        return [None if _disconnected(t) else t for t in moved]


class JaxOp(ForeignOp):
    """An Op that runs a JAX function."""


class TorchOp(ForeignOp):
    """An Op that runs a PyTorch function."""


def op_of(fn: Function) -> ForeignOp:
    """The Op of a function."""
    return (JaxOp if fn.engine.name == "JaxOp" else TorchOp)(fn)


def _disconnected(variable: Variable | None) -> bool:
    return variable is None or isinstance(variable.type, DisconnectedType)


def _cotangent_dtype(cotangent: Variable, output: Variable) -> str:
    # a complex cotangent of a real output keeps its dtype here; the pullback takes its real part
    return cotangent.type.dtype if cotangent.type.dtype.startswith("complex") else output.type.dtype


def as_tensor(value: Any, name: str) -> Variable:
    """The tensor variable an argument stands for."""
    if isinstance(value, BasicVariable) and not isinstance(value.type, TensorType):
        value = getattr(value, "values", value)  # a labelled array of pytensor.xtensor
    try:
        variable = pt.as_tensor(value)
    except Exception as error:
        raise TypeError(f"{name} is {value!r}, which has no dense array in it") from error
    if not isinstance(variable.type, DenseTensorType):
        raise TypeError(
            f"{name} is a PyTensor variable of type {variable.type}; only dense tensors can be passed. "
            "Make it dense (pytensor.sparse.dense_from_sparse), or pass the arrays it is made of."
        )
    if variable.type.dtype not in np.sctypeDict:
        raise TypeError(f"{name} has dtype {variable.type.dtype}, which has no counterpart outside of PyTensor")
    return variable
