"""What FourierRadon2D and FourierRadon3D share."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.complexes import make_complex
from operax._arrays.dtypes import as_dtype, complex_dtype, is_complex, like
from operax._arrays.fft import irfftn, rfftn
from operax._arrays.fit import cut, pad_axis
from operax._arrays.namespace import Array, is_array, is_tracer, namespace_of
from operax._arrays.phases import phase_sum
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_sizes, as_vector, one_of

KINDS = ("linear", "parabolic")
ENGINES = ("numpy", "numba", "cuda")


class FourierRadon(LinearOperator):
    """Spreading along lines, parabolas or planes by phases in the frequency domain, one spatial axis a slope axis."""

    def __init__(
        self,
        taxis: Any,
        positions: tuple[tuple[str, Any], ...],
        slopes: tuple[tuple[str, Any], ...],
        nfft: int,
        flims: tuple[int, int] | None,
        kinds: tuple[str, ...],
        engine: str,
        dtype: Any,
        name: str,
    ) -> None:
        self.engine = one_of(engine, ENGINES, "engine")
        taxis = as_vector(taxis, "taxis")
        self.nt = len(taxis)
        self.dt = _step(taxis)
        self.nfft = as_sizes(nfft, "nfft")[0]
        if self.nfft < self.nt:
            raise ValueError(f"nfft={nfft!r} is shorter than the time axis of {self.nt} samples; give at least so many")
        self.nfft2 = self.nfft // 2 + 1
        self.flims = (0, self.nfft2) if flims is None else _limits(flims, self.nfft2)
        self.kind = kinds
        h, p = [as_parameter_axis(v, n) for n, v in positions], [as_parameter_axis(v, n) for n, v in slopes]
        super().__init__(
            dims=(*(v.shape[0] for v in p), self.nt), dimsd=(*(v.shape[0] for v in h), self.nt), dtype=dtype, name=name
        )
        self._steps = tuple(1.0 if is_tracer(v) else _step(np.asarray(v)) for v in h)
        self._positions = [v * v if kind == "parabolic" else v for v, kind in zip(h, kinds)]
        self._slopes = p

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype  # the precision of axes says nothing of the data's

    @property
    def f(self) -> np.ndarray:
        """Frequencies of the positive half of the Fourier axis."""
        return np.fft.rfftfreq(self.nfft, self.dt)

    @property
    def cdtype(self) -> np.dtype:
        """The complex dtype in the operator's precision."""
        return complex_dtype(as_dtype(self.dtype))

    def _forward(self, x: Array) -> Array:
        return self._sum(x, self._slopes, self._positions, -1.0)

    def _adjoint(self, y: Array) -> Array:
        return self._sum(y, self._positions, self._slopes, 1.0)

    def _sum(self, x: Array, sources: list[Array], targets: list[Array], sign: float) -> Array:
        """Sums over the axes `sources` at the places `targets`, phases turning in the direction of `sign`."""
        xp = namespace_of(x)
        if is_complex(x):
            real, imag = (self._sum(v, sources, targets, sign) for v in (xp.real(x), xp.imag(x)))
            return make_complex(real, imag)
        lowest, highest = self.flims
        y = xp.moveaxis(rfftn(x, (self.nfft,), (-1,)), -1, 0)
        y = cut(y, 0, lowest, highest)
        for axis in range(-1, -len(sources) - 1, -1):
            source, target = xp.asarray(sources[axis]), xp.asarray(targets[axis])
            cycles = (sign / (self.nfft * self.dt)) * target[:, None] * like(source, target)[None, :]
            y = xp.moveaxis(phase_sum(xp.moveaxis(y, axis, -1), cycles, lowest), -1, axis)
        y = xp.moveaxis(pad_axis(y, 0, lowest, self.nfft2 - highest), 0, -1)
        return cut(irfftn(y, (self.nfft,), (-1,)), -1, 0, self.nt)


def as_parameter_axis(value: Any, name: str) -> Array:
    """An axis as float64; inside a JAX transformation it stays a traced value."""
    if is_array(value) and is_tracer(value):
        if value.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional and not empty, got shape {tuple(value.shape)}")
        return value
    return as_vector(value, name)


def _step(axis: np.ndarray) -> float:
    return float(axis[1] - axis[0]) if axis.size > 1 else 1.0


def _limits(flims: Any, count: int) -> tuple[int, int]:
    if np.size(flims) != 2:
        raise ValueError(f"flims={flims!r} must be two indices of the Fourier axis, lower and upper")
    lower, upper = (int(v) for v in flims)
    if not 0 <= lower < upper <= count:
        raise ValueError(f"flims={flims!r} must satisfy 0 <= lower < upper <= {count}, the length of the Fourier axis")
    return lower, upper
