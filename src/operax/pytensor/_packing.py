"""Several small outputs as one array: every array that crosses from a framework to NumPy costs two microseconds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pytensor.tensor.type import TensorType

from operax.pytensor._engine import Arrays, Engine

__all__ = ["Packing"]

SMALL = 4096
"""Largest number of elements that are packed; beyond, copying costs more than crossing."""


class Packing:
    """Where outputs of known sizes and one dtype lie in a single array."""

    parts: list[tuple[slice, tuple[int, ...]]]
    """Position and shape of each output."""

    def __init__(self, dtype: str, shapes: Sequence[tuple[int, ...]]) -> None:
        ends = np.cumsum([math.prod(s) for s in shapes]).tolist()
        self.dtype = dtype
        self.total = ends[-1]
        self.parts = [(slice(end - math.prod(s), end), s) for s, end in zip(shapes, ends)]

    @classmethod
    def of(cls, types: Sequence[TensorType]) -> Packing | None:
        """The packing of outputs of these types, or None where it is not possible or does not pay."""
        shapes = [t.shape for t in types]
        if len(types) < 2 or len({t.dtype for t in types}) > 1 or any(None in s for s in shapes):
            return None
        packing = cls(types[0].dtype, shapes)  # type: ignore[arg-type]
        return packing if packing.total <= SMALL else None

    def packed(self, function: Callable[..., Arrays], engine: Engine) -> Callable[..., Arrays]:
        """The function with one flat output."""
        return lambda *args: (engine.concatenate(function(*args)),)

    def unpacked(self, results: Sequence[Any]) -> list[np.ndarray]:
        """Views of the parts; they do not overlap, so each may be written to."""
        flat = np.array(results[0])
        return [flat[where].reshape(shape) for where, shape in self.parts]
