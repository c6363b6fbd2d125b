"""What remains of a model that was sampled and put back."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator


class Mask(LinearOperator):
    """Keep the values at some positions along an axis and set the others to zero: ``R.H @ R`` of a `Restriction`."""

    def __init__(self, dims: tuple[int, ...], kept: Array, axis: int, dtype: Any = None, name: str = "RtR") -> None:
        super().__init__(dtype=dtype, dims=dims, dimsd=dims, name=name)
        self.kept, self.axis = kept, axis

    def _forward(self, x: Array) -> Array:
        # chosen and not multiplied: what was not sampled may be NaN
        xp = namespace_of(x)
        kept = xp.reshape(xp.asarray(self.kept), (-1, *(1,) * (len(self.dims) - self.axis - 1)))
        return xp.where(kept, x, xp.zeros_like(x))

    def _adjoint(self, y: Array) -> Array:
        return self._forward(y)
