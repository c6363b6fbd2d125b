"""Sizes of unknown axes, found by evaluating a graph: the last resort of shape inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytensor
from pytensor.compile.mode import Mode
from pytensor.compile.sharedvalue import SharedVariable

__all__ = ["evaluated_sizes"]


def evaluated_sizes(variables: Sequence[Any]) -> list[int] | None:
    """The sizes of all axes whose size is not known statically, or None where the graph has inputs without a value."""
    unknown = [(v, [j for j, s in enumerate(v.type.shape) if s is None]) for v in variables]
    unknown = [(v, axes) for v, axes in unknown if axes]
    if all(isinstance(v, SharedVariable) for v, _ in unknown):
        return [int(v.get_value(borrow=True).shape[j]) for v, axes in unknown for j in axes]
    wanted = [v.shape[j] for v, axes in unknown for j in axes]
    try:
        # shape rewrites let a shape be known without computing the array it belongs to
        function = pytensor.function(
            [], wanted, mode=Mode(linker="py", optimizer="fast_compile"), on_unused_input="ignore"
        )
        return [int(s) for s in function()]
    except Exception:
        return None
