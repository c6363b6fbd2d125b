"""Running means along some axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from operax._arrays.convolve import convolve
from operax._arrays.dtypes import floating, like
from operax._arrays.namespace import Array
from operax.basicoperators._checks import behind, sizes_of
from operax.signalprocessing._convolution import Convolution


def odd_lengths(nsmooth: Any, count: int) -> tuple[int, ...]:
    """`count` lengths, even ones increased by one so that a mean has a centre."""
    sizes = sizes_of(nsmooth, "nsmooth")
    if len(sizes) != count:
        raise ValueError(f"nsmooth={nsmooth!r} must hold {count} length(s), one an axis")
    if min(sizes) < 1:
        raise ValueError(f"nsmooth={nsmooth!r} must hold lengths of at least 1")
    return tuple(n + (n % 2 == 0) for n in sizes)


class RunningMean(Convolution):
    """A convolution with a box, made axis by axis; its weights take the precision of the data."""

    def _set_lengths(self, lengths: tuple[int, ...]) -> None:
        self.lengths = lengths
        del self.h  # the box is known from its lengths: it is no parameter

    @property
    def h(self) -> Array:  # type: ignore[override]
        """The box as a filter."""
        if "h" in self.__dict__:
            return self.__dict__["h"]
        return np.full(self.lengths, 1.0 / math.prod(self.lengths))

    def __delattr__(self, key: str) -> None:
        if key == "h":
            self.__dict__.pop("h", None)
            self.__dict__["_memo"] = {}
        else:
            super().__delattr__(key)

    def _means(self, x: Array) -> Array:
        x = floating(x)
        for n, offset, axis in zip(self.lengths, self.offsets, behind(self.axes, len(self.dims))):
            if n > 1:
                x = convolve(x, like(np.full(n, 1.0 / n), x), (offset,), (axis,), self.method)
        return x

    def _forward(self, x: Array) -> Array:
        return self._means(self._resized(x, self.dimsd))

    def _adjoint(self, y: Array) -> Array:
        return self._resized(self._means(y), self.dims)
