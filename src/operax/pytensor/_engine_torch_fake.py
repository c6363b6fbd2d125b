"""Shapes and dtypes of a PyTorch function's outputs, on tensors without data."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from operax.pytensor._engine import Arrays, Struct

_LOG = logging.getLogger("torch._subclasses.fake_tensor")

__all__ = ["trace_fake"]


def trace_fake(function: Callable[..., Arrays], structs: Sequence[Struct], examples: Mapping[str, int]) -> list[Struct]:
    """Shapes of the outputs in terms of the named sizes of the inputs.

    Parameters
    ----------
    function : callable
        From tensors to a tuple of tensors.
    structs : sequence
        Shape and dtype of each input.
    examples : mapping
        A size for every name, all different: torch takes equal sizes for the same symbol.
    """
    mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
    inputs, names = [], {}
    for shape, dtype in structs:
        sizes = [examples[d] if isinstance(d, str) else d for d in shape]
        dynamic = [DimDynamic.DUCK if isinstance(d, str) else DimDynamic.STATIC for d in shape]
        host = torch.empty(sizes, dtype=getattr(torch, dtype))  # never written, so it takes no memory
        fake = mode.from_tensor(host, symbolic_context=StatelessSymbolicContext(dynamic_sizes=dynamic))
        for d, size in zip(shape, list[Any](fake.shape)):
            if isinstance(d, str):
                names[size.node.expr] = d
        inputs.append(fake)
    _LOG.disabled = True  # torch logs what it raises
    try:
        with mode, torch.no_grad():
            outputs = function(*inputs)
    finally:
        _LOG.disabled = False
    return [(tuple(_text(d, names) for d in out.shape), str(out.dtype).removeprefix("torch.")) for out in outputs]


def _text(size: Any, names: Mapping[Any, str]) -> int | str:
    if isinstance(size, int):
        return size
    expression = size.node.expr
    if expression.is_Integer:
        return int(expression)
    return str(expression.xreplace({symbol: type(symbol)(name) for symbol, name in names.items()}))
