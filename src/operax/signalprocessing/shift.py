"""Fractional shift."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import complex_dtype, like
from operax._arrays.fft import fftn, ifftn, irfftn, rfftn
from operax._arrays.fit import cut
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axis, as_sizes, dtype_pair, one_of, real_part
from operax.signalprocessing._fourier import ENGINES


class Shift(LinearOperator):
    r"""Shift along an axis by any fraction of a sample.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model and of the data.
    shift : float or array
        Shift in the units of `sampling`: one for all, or an array of the shape of `dims` without `axis`. A leaf:
        ``jax.grad`` with respect to the operator differentiates it.
    axis : int, optional
        Axis of the shift.
    nfft : int, optional
        Number of samples of the Fourier transform, at least the length of the axis; more keeps what is shifted out of
        one end from entering at the other.
    sampling : float, optional
        Sampling step.
    real : bool, optional
        The model is real.
    engine : {"numpy", "scipy", "fftw", "mkl_fft"}, optional
        Accepted and without effect, see `FFT`.
    dtype : dtype-like, optional
        Precision that takes part in promotion; a real dtype makes the model real. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.
    **kwargs_fft
        Options of single engines; accepted and without effect.

    Raises
    ------
    ValueError
        If `shift` has another shape, `axis` is out of range, or `nfft` is shorter than the axis.

    Notes
    -----
    :math:`y = F^H \mathrm{diag}(e^{-2 \pi i f s}) F x` with frequencies :math:`f` and shift :math:`s`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.Shift(4, 1.0, real=True)
    >>> np.round(Op @ np.array([1.0, 2.0, 3.0, 4.0]), 6)
    array([4., 1., 2., 3.])
    """

    def __init__(
        self,
        dims: Any,
        shift: Any,
        axis: int = -1,
        nfft: int | None = None,
        sampling: float = 1.0,
        real: bool = False,
        engine: str = "numpy",
        dtype: Any = None,
        name: str = "S",
        **kwargs_fft: Any,
    ) -> None:
        dims = as_sizes(dims)
        self.axis = as_axis(axis, len(dims))
        n = dims[self.axis]
        self.nfft = n if nfft is None else as_sizes(nfft, "nfft")[0]
        if self.nfft < n:
            raise ValueError(f"nfft={nfft!r} is shorter than the axis of {n} samples, which would lose some of them")
        self.sampling, self.real = float(sampling), bool(real)
        self.engine = one_of(engine, ENGINES, "engine")
        model, _, self._real_model = dtype_pair(dtype, self.real)
        super().__init__(dims=dims, dimsd=dims, clinear=not self._real_model, name=name)
        if model is not None:
            self._set_dtype(model if self._real_model else complex_dtype(model))
        self.shift = LinearOperator._parameter(LinearOperator(dims=1, dimsd=1), shift, "shift")
        rest = tuple(m for a, m in enumerate(dims) if a != self.axis)
        if tuple(self.shift.shape) not in ((), rest):
            raise ValueError(f"shift has shape {tuple(self.shift.shape)}; give one number, or shape {rest}")

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype  # the precision of a shift says nothing of the data's

    def _apply(self, x: Array, sign: float) -> Array:
        xp = namespace_of(x)
        axis = self.axis - len(self.dims)
        if self._real_model:
            x = real_part(x)
        half = self.real or self._real_model
        frequencies = (np.fft.rfftfreq if half else np.fft.fftfreq)(self.nfft, self.sampling)
        shape = [1] * len(self.dims)
        shape[axis] = frequencies.size
        shift = xp.asarray(self.shift)
        if self.shift.ndim:
            shift = xp.expand_dims(shift, axis=self.axis)
        else:
            shift = xp.reshape(shift, (1,) * len(self.dims))
        angle = like(xp.asarray(frequencies.reshape(shape)), shift) * shift
        angle = like((2 * np.pi * sign) * angle, x)
        phase = xp.cos(angle) + 1j * xp.sin(angle)
        sizes, axes = (self.nfft,), (axis,)
        y = (
            irfftn(rfftn(x, sizes, axes) * phase, sizes, axes)
            if half
            else ifftn(fftn(x, sizes, axes) * phase, sizes, axes)
        )
        return cut(y, axis, 0, self.dims[self.axis])

    def _forward(self, x: Array) -> Array:
        return self._apply(x, -1.0)

    def _adjoint(self, y: Array) -> Array:
        return self._apply(y, 1.0)
