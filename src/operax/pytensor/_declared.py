"""Output types that the user states, as for PyTensor's own ``as_op``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pytensor.tensor.type import TensorType

from operax.pytensor._identity import StaticKey
from operax.pytensor._outputs import Outputs

__all__ = ["Declared", "declare"]


class Declared:
    """Input types, output types and an optional ``infer_shape(fgraph, node, shapes)``."""

    def __init__(
        self,
        itypes: Sequence[TensorType],
        otypes: Sequence[TensorType],
        infer_shape: Callable[[Any, Any, Any], Any] | None,
    ) -> None:
        self.itypes, self.otypes, self.infer_shape = _types(itypes, "itypes"), _types(otypes, "otypes"), infer_shape
        self._key = (self.itypes, self.otypes, StaticKey(infer_shape))

    def outputs(self) -> Outputs:
        return Outputs(self.otypes, tuple(tuple(t.shape) for t in self.otypes))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Declared) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Declared, (self.itypes, self.otypes, self.infer_shape)


def _types(types: Sequence[TensorType], name: str) -> tuple[TensorType, ...]:
    result = tuple(types) if isinstance(types, (list, tuple)) else (types,)
    for t in result:
        if not isinstance(t, TensorType):
            raise TypeError(f"{name} must be PyTensor tensor types, such as pytensor.tensor.dvector; got {t!r}")
    return result


def declare(itypes: Any, otypes: Any, infer_shape: Any) -> Declared | None:
    """The declaration made of the arguments of a decorator, or None where types are to be inferred."""
    if (itypes is None) != (otypes is None):
        raise TypeError("itypes and otypes are given together, or both left out to have the types inferred")
    if infer_shape is not None and otypes is None:
        raise TypeError("infer_shape goes with itypes and otypes; without them the shapes are inferred")
    return None if itypes is None else Declared(itypes, otypes, infer_shape)
