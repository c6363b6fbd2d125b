"""What Convolve1D, Convolve2D and ConvolveND share."""

from __future__ import annotations

import operator
from typing import Any

from operax._arrays.convolve import METHODS, convolve
from operax._arrays.dtypes import is_complex
from operax._arrays.fit import fit
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axes, as_sizes, behind, each_axis, one_of


class Convolution(LinearOperator):
    """Convolution along some axes; the data have the shape of the model unless a subclass sets `dimsd`."""

    _reads_neighbours = True

    h: Array

    def __init__(self, dims: Any, h: Any, offset: Any, axes: Any, method: Any, dtype: Any, name: str) -> None:
        dims = as_sizes(dims)
        super().__init__(dims=dims, dimsd=dims, dtype=dtype, name=name)
        self.axes = as_axes(axes, len(dims))
        self.h = self._parameter(h, "h")
        if self.h.ndim != len(self.axes) or 0 in self.h.shape:
            raise ValueError(
                f"h must have {len(self.axes)} dimension(s), one for each of axes={axes!r}, and not be empty, "
                f"got shape {tuple(self.h.shape)}"
            )
        offsets = (0,) * len(self.axes) if offset is None else each_axis(offset, len(self.axes), "offset")
        try:
            self.offsets = tuple(operator.index(o) for o in offsets)
        except TypeError:
            raise TypeError(f"offset={offset!r} must hold integers, the index of the centre of h") from None
        if any(not 0 <= o < n for o, n in zip(self.offsets, self.h.shape)):
            raise ValueError(
                f"offset={offset!r} must lie inside the filter of shape {tuple(self.h.shape)}: at least 0 and at most "
                f"{tuple(n - 1 for n in self.h.shape)}"
            )
        self.method = one_of(method, METHODS, "method")

    @property
    def nh(self) -> tuple[int, ...]:
        """Shape of the filter."""
        return tuple(self.h.shape)

    def _forward(self, x: Array) -> Array:
        x = self._resized(x, self.dimsd)
        return convolve(x, self.h, self.offsets, behind(self.axes, len(self.dims)), self.method)

    def _adjoint(self, y: Array) -> Array:
        offsets = tuple(n - 1 - o for n, o in zip(self.h.shape, self.offsets))
        x = convolve(y, self._reversed(), offsets, behind(self.axes, len(self.dims)), self.method)
        return self._resized(x, self.dims)

    def _resized(self, x: Array, sizes: tuple[int, ...]) -> Array:
        for axis in behind(self.axes, len(self.dims)):
            x = fit(x, axis, sizes[axis])
        return x

    def _reversed(self) -> Array:
        xp = namespace_of(self.h)
        h = xp.flip(self.h)
        return xp.conj(h) if is_complex(h) else h
