"""What FFT, FFT2D and FFTND share: the n-dimensional transform with scaling, shifts and zero-padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays import fft as kernels
from operax._arrays.dtypes import complex_dtype, like, real_dtype
from operax._arrays.fit import fit
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axes, as_sizes, behind, dtype_pair, each_axis, one_of, real_part

NORMS = {"ortho": ("ortho", "ortho"), "none": ("backward", "forward"), "1/n": ("forward", "backward")}
"""For each norm the scaling names of the forward and the inverse transform of the array API standard."""

ENGINES = ("numpy", "scipy", "fftw", "mkl_fft")


class Fourier(LinearOperator):
    """An n-dimensional Fourier transform along some axes; its public faces are FFT, FFT2D and FFTND."""

    def __init__(
        self,
        dims: Any,
        axes: Any,
        nffts: Any,
        sampling: Any,
        norm: str,
        real: bool,
        ifftshift_before: Any,
        fftshift_after: Any,
        engine: str,
        dtype: Any,
        name: str,
    ) -> None:
        dims = as_sizes(dims)
        self.axes = as_axes(axes, len(dims))
        count = len(self.axes)
        self.nffts = tuple(
            dims[a] if n is None else as_sizes(n, "nfft")[0]
            for a, n in zip(self.axes, each_axis(nffts, count, "nffts"))
        )
        self.samplings = tuple(float(s) for s in each_axis(sampling, count, "sampling"))
        self.norm = one_of(norm, NORMS, "norm")
        self.engine = one_of(engine, ENGINES, "engine")
        self.real = bool(real)
        self.ifftshift_before = tuple(bool(s) for s in each_axis(ifftshift_before, count, "ifftshift_before"))
        shifts = [bool(s) for s in each_axis(fftshift_after, count, "fftshift_after")]
        if self.real and shifts[-1]:
            raise ValueError(
                f"fftshift_after={fftshift_after!r} asks to shift the frequencies of axis {self.axes[-1]}, which with "
                "real=True holds only those that are not negative; leave that axis unshifted"
            )
        self.fftshift_after = tuple(shifts)
        dimsd = list(dims)
        for a, n in zip(self.axes, self.nffts):
            dimsd[a] = n
        if self.real:
            dimsd[self.axes[-1]] = self.nffts[-1] // 2 + 1
        model, data, self._real_model = dtype_pair(dtype, self.real)
        super().__init__(dims=dims, dimsd=tuple(dimsd), clinear=not self._real_model, name=name)
        if data is not None:
            self._dtype, self._model_dtype, self._data_dtype = data, model, data

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the data: complex."""
        return complex_dtype(self._dtype or np.float64)

    @property
    def rdtype(self) -> np.dtype:
        """The dtype expected of the model."""
        return self._model_dtype or (real_dtype(self.dtype) if self.real else self.dtype)

    @property
    def cdtype(self) -> np.dtype:
        """The dtype of the data."""
        return self.dtype

    @property
    def fs(self) -> tuple[np.ndarray, ...]:
        """Frequencies along each transformed axis, in the order of the data."""
        found = []
        for i, (n, d) in enumerate(zip(self.nffts, self.samplings)):
            half = self.real and i == len(self.nffts) - 1
            f = np.fft.rfftfreq(n, d) if half else np.fft.fftfreq(n, d)
            found.append(np.fft.fftshift(f) if self.fftshift_after[i] else f)
        return tuple(found)

    def _behind(self, chosen: tuple[bool, ...] | None = None) -> tuple[int, ...]:
        axes = self.axes if chosen is None else [a for a, c in zip(self.axes, chosen) if c]
        return behind(axes, len(self.dims))

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        if self._real_model:
            x = real_part(x)
        if any(self.ifftshift_before):
            x = xp.fft.ifftshift(x, axes=self._behind(self.ifftshift_before))
        transform = kernels.rfftn if self.real else kernels.fftn
        y = transform(x, self.nffts, self._behind(), norm=NORMS[self.norm][0])
        if self.real:
            y = y * self._half_weights(y, np.sqrt(2.0))
        if any(self.fftshift_after):
            y = xp.fft.fftshift(y, axes=self._behind(self.fftshift_after))
        return y

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        if any(self.fftshift_after):
            y = xp.fft.ifftshift(y, axes=self._behind(self.fftshift_after))
        if self.real:
            y = y * self._half_weights(y, np.sqrt(0.5))
        transform = kernels.irfftn if self.real else kernels.ifftn
        x = transform(y, self.nffts, self._behind(), norm=NORMS[self.norm][1])
        for a, axis in zip(self.axes, self._behind()):
            x = fit(x, axis, self.dims[a])
        if any(self.ifftshift_before):
            x = xp.fft.fftshift(x, axes=self._behind(self.ifftshift_before))
        return real_part(x) if self._real_model else x

    def _half_weights(self, y: Array, factor: float) -> Array:
        """`factor` at the frequencies that stand for two (all but zero and Nyquist), 1 elsewhere."""
        n = self.nffts[-1]
        w = np.full(n // 2 + 1, factor)
        w[0] = 1.0
        if n % 2 == 0:
            w[-1] = 1.0
        trailing = len(self.dims) - 1 - self.axes[-1]
        return like(w.reshape(-1, *(1,) * trailing), namespace_of(y).real(y))
