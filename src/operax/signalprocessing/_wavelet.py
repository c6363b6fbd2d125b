"""What DWT, DWT2D and DWTND share: the multilevel transform over several axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import floating, like
from operax._arrays.fit import cut, fit
from operax._arrays.namespace import Array, namespace_of
from operax._arrays.wavelet import analysis, synthesis
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axes, as_sizes, behind


def wavelet_filters(wavelet: Any) -> tuple[str, np.ndarray, np.ndarray]:
    """Name and decomposition filters of a wavelet of PyWavelets, or an error that lists the families."""
    import pywt

    if not isinstance(wavelet, pywt.Wavelet):
        if not isinstance(wavelet, str) or wavelet not in pywt.wavelist(kind="discrete"):
            families = ", ".join(sorted({w.rstrip("0123456789.") for w in pywt.wavelist(kind="discrete")}))
            raise ValueError(
                f"wavelet={wavelet!r} is not a discrete wavelet of PyWavelets; families are {families} "
                "(pywt.wavelist(kind='discrete') names all)"
            )
        wavelet = pywt.Wavelet(wavelet)
    return wavelet.name, np.asarray(wavelet.dec_lo), np.asarray(wavelet.dec_hi)


class Wavelet(LinearOperator):
    """A multilevel periodic wavelet transform along some axes."""

    def __init__(self, dims: Any, axes: Any, wavelet: Any, level: int, dtype: Any, name: str) -> None:
        dims = as_sizes(dims)
        self.axes = as_axes(axes, len(dims))
        self.wavelet, lo, hi = wavelet_filters(wavelet)
        dimsd = tuple(1 << (n - 1).bit_length() if a in self.axes else n for a, n in enumerate(dims))
        most = min(dimsd[a].bit_length() - 1 for a in self.axes)
        if not isinstance(level, int | np.integer) or not 0 <= level <= most:
            raise ValueError(
                f"level={level!r} must be an integer from 0 to {most}: axes are padded to powers of two, here to shape "
                f"{dimsd}, and each level halves them"
            )
        self.level = int(level)
        super().__init__(dims=dims, dimsd=dimsd, dtype=dtype, name=name)
        self.lo, self.hi = lo, hi

    @property
    def waveletadj(self) -> str:
        """Name of the wavelet whose synthesis is the adjoint."""
        swap = {"bior": "rbio", "rbio": "bior"}
        return swap.get(self.wavelet[:4], self.wavelet[:4]) + self.wavelet[4:]

    def _along(self) -> tuple[int, ...]:
        return behind(self.axes, len(self.dims))

    def _forward(self, x: Array) -> Array:
        x = floating(x)
        lo, hi = like(self.lo, x), like(self.hi, x)
        for axis in self._along():
            x = fit(x, axis, self.dimsd[axis])
        return self._levels(x, lo, hi, self.level, forward=True)

    def _adjoint(self, y: Array) -> Array:
        y = floating(y)
        lo, hi = like(self.lo, y), like(self.hi, y)
        x = self._levels(y, lo, hi, self.level, forward=False)
        for axis in self._along():
            x = cut(x, axis, 0, self.dims[axis])
        return x

    def _levels(self, x: Array, lo: Array, hi: Array, level: int, forward: bool) -> Array:
        """This level on the whole of `x`, the others on its corner of approximations."""
        if level == 0:
            return x
        one = analysis if forward else synthesis
        if forward:
            for axis in self._along():
                x = one(x, lo, hi, axis)
        if level > 1:
            corner = x
            for axis in self._along():
                corner = cut(corner, axis, 0, x.shape[axis] // 2)
            x = self._with_corner(x, self._levels(corner, lo, hi, level - 1, forward))
        if not forward:
            for axis in self._along():
                x = one(x, lo, hi, axis)
        return x

    def _with_corner(self, x: Array, corner: Array) -> Array:
        """`x` with its corner replaced: axis by axis, the rest of `x` is set behind it."""
        xp = namespace_of(x)
        along = self._along()
        for i, axis in enumerate(along):
            rest = cut(x, axis, x.shape[axis] // 2, x.shape[axis])
            for other in along[i + 1 :]:
                rest = cut(rest, other, 0, x.shape[other] // 2)
            corner = xp.concat([corner, rest], axis=axis)
        return corner
