"""Functions of a flat list of arrays, hashable by what they compute: the identity of every Op of the bridge."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from pytensor.tensor.type import TensorType

from operax.pytensor._engine import Arrays, Engine
from operax.pytensor._outputs import Outputs

__all__ = ["Function", "Sizes", "is_inexact", "no_sizes"]

Sizes = Callable[[], "Sequence[int] | None"]


def no_sizes() -> None:
    """Sizes of unknown axes, where nothing can be evaluated."""


def is_inexact(dtype: str) -> bool:
    """Whether a gradient can flow through an array of this dtype."""
    return dtype.startswith(("float", "complex"))


class Function:
    """A callable from arrays to a tuple of arrays. Two are equal when their class and their `key` are.

    Derivatives, batched versions and fused versions of a function are again such functions, so one Op class carries
    them all, in any order of differentiation. Each is made once and kept by the function it comes from, so that what
    is compiled for one lives exactly as long as the user's function does.
    """

    engine: Engine
    key: Hashable
    wide: bool
    """Whether it was wrapped while ``floatX`` was float64."""

    def __init__(self, engine: Engine, key: Hashable, wide: bool) -> None:
        self.engine, self.key, self.wide = engine, key, wide
        self._hash = hash((type(self), key))
        self.memo: dict[Any, Any] = {}

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and self._hash == other._hash and self.key == other.key  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return self._hash

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        return self  # immutable: a copy of an Op is to merge with the original

    def __copy__(self) -> Function:
        return self

    def __call__(self, *flat: Any) -> Arrays:
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def infer(self, types: tuple[TensorType, ...], sizes: Sizes = no_sizes) -> Outputs:
        """Types and sizes of the outputs for inputs of these types."""
        raise TypeError(f"{type(self).__name__} does not say what it returns")

    def input_name(self, index: int) -> str:
        """What the user calls an input, for messages."""
        return f"input {index}"

    def bound_arrays(self) -> tuple[Any, ...]:
        """NumPy arrays that come before the inputs on every compiled call."""
        return ()

    def with_bound(self, *flat: Any) -> Arrays:
        """The function with the `bound_arrays` as first arguments."""
        return self(*flat)

    def made(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value kept under a key, made at the first call."""
        try:
            return self.memo[key]
        except KeyError:
            return self.memo.setdefault(key, make())
