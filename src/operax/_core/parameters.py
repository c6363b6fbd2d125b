"""Arrays that users give to operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import Array, is_array


def as_numbers(value: Any, label: str) -> Array:
    """`value` as an array of numbers; arrays of any library pass.

    Raises
    ------
    TypeError
        If it is no array, or holds something else than numbers.
    """
    if is_array(value):
        return value
    try:
        value = np.asarray(value)
    except Exception as error:
        raise TypeError(f"{label} is not an array: {error}") from None
    if value.dtype.kind not in "biufc":
        raise TypeError(f"{label} must hold numbers, got dtype {value.dtype}")
    return value


def owned(value: Array) -> Array:
    """A NumPy array as a read-only copy that nobody else can write into; others are immutable or devices' and pass."""
    if type(value) is np.ndarray and (value.flags.writeable or value.base is not None):
        value = value.copy()
        value.flags.writeable = False
    return value
