"""One value for all positions of an axis: the adjoint of a sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of


@Kernel
def repeat_along(y: Array, size: int, axis: int) -> Array:
    """`y` copied `size` times along a new axis at `axis` (negative, counted in the result)."""
    xp = namespace_of(y)
    y = xp.expand_dims(y, axis=axis)
    shape = list(y.shape)
    shape[axis] = size
    return xp.broadcast_to(y, tuple(shape))


@repeat_along.on("numpy")
def _(y: Any, size: int, axis: int) -> Any:
    y = np.expand_dims(y, axis)
    shape = list(y.shape)
    shape[axis] = size
    out = np.empty(shape, y.dtype)
    out[...] = y
    return out
