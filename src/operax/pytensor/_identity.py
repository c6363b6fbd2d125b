"""When are two static values the same? The answer decides which Ops merge."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Hashable
from typing import Any

import numpy as np

__all__ = ["StaticKey", "static_key"]


class StaticKey:
    """Any value as a dictionary key: equal only to a value of the same type that is the same, or says it is equal.

    A value's own ``==`` is asked last and believed only when it answers a plain ``True``: arrays answer element by
    element, and some classes raise. What cannot be hashed is the same only as itself; the wrapper keeps it alive, so
    that its ``id`` is not given to another object.
    """

    __slots__ = ("_hash", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        try:
            self._hash = hash((type(value), value))
        except Exception:
            self._hash = hash((type(value), id(value)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StaticKey):
            return False
        if self.value is other.value:
            return True
        if self._hash != other._hash or type(self.value) is not type(other.value):
            return False
        try:
            hash(self.value)
            return (self.value == other.value) is True
        except Exception:
            return False


def static_key(value: Any) -> Hashable:
    """A hashable key of a static value: arrays by content, floats by their bits, the rest by equality within a type."""
    import jax

    if isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
        return ("key", str(value.dtype), static_key(jax.random.key_data(value)))
    if isinstance(value, float):  # 0.0 == -0.0 but 1 / 0.0 != 1 / -0.0, and nan is not equal to itself
        return (type(value), value.hex())
    if isinstance(value, complex):
        return (type(value), value.real.hex(), value.imag.hex())
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        array = np.asarray(value)
        if array.dtype.hasobject:
            return StaticKey(value)
        digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        return (type(value), array.shape, array.dtype.str, digest)
    if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
        return (type(value), static_key(value.detach().cpu().numpy()))
    return StaticKey(value)
