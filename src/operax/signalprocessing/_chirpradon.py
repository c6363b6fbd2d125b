"""What ChirpRadon2D and ChirpRadon3D share."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from operax._arrays.chirp import chirp_transform
from operax._arrays.complexes import make_complex
from operax._arrays.dtypes import floating as as_floating
from operax._arrays.dtypes import is_complex, like
from operax._arrays.fft import irfftn, rfftn
from operax._arrays.namespace import Array, namespace_of
from operax._core.apply import edge
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_vector


class ChirpRadon(LinearOperator):
    """Sums along straight lines or planes, by chirps in the frequency domain.

    Slopes are ``pmax 2 (i - c) / n`` samples of time a sample of space, positions ``j - c``, around the middle ``c``.
    """

    pmax: Array

    def __init__(self, axes: tuple[Any, ...], names: tuple[str, ...], pmax: Any, dtype: Any, name: str) -> None:
        self._axes = tuple(tuple(as_vector(a, n).tolist()) for a, n in zip(axes, names))
        dims = tuple(len(a) for a in self._axes)
        super().__init__(dims=dims, dimsd=dims, dtype=dtype, name=name)
        # kept in double precision whatever the dtype: phases are computed from it
        self.pmax = as_floating(LinearOperator._parameter(LinearOperator(dims=1, dimsd=1), pmax, "pmax"))
        expected = () if len(dims) == 2 else (2,)
        if tuple(self.pmax.shape) != expected:
            what = "one number" if len(dims) == 2 else "two numbers, for y and x"
            raise ValueError(f"pmax must be {what}, got shape {tuple(self.pmax.shape)}")

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype  # the precision of slopes says nothing of the data's

    def _step(self, axis: int) -> float:
        values = self._axes[axis]
        return values[1] - values[0] if len(values) > 1 else 1.0

    @property
    def nt(self) -> int:
        """Number of samples along the time axis."""
        return self.dims[-1]

    @property
    def dt(self) -> float:
        """Sampling step of the time axis."""
        return self._step(-1)

    def _slopes(self, x: Array) -> Array:
        """`pmax` in the library of `x`, one value a spatial axis."""
        xp = namespace_of(x)
        return xp.reshape(xp.asarray(self.pmax), (-1,))

    def _sum(self, x: Array, sign: int, inverse: bool = False) -> Array:
        xp = namespace_of(x)
        if is_complex(x):
            return make_complex(self._sum(xp.real(x), sign, inverse), self._sum(xp.imag(x), sign, inverse))
        nt, pmax = self.nt, self._slopes(x)
        y = rfftn(x, (nt,), (-1,))
        frequencies = np.arange(nt // 2 + 1) / nt
        for i, n in enumerate(self.dims[:-1]):
            turns = (2 * sign / n) * pmax[i] * like(xp.asarray(frequencies), pmax)
            y = chirp_transform(y, turns, (n + 1) // 2, i - len(self.dims))
        if inverse:
            count = len(self.dims) - 1
            scale = functools.reduce(operator.mul, (pmax[i] for i in range(count)))
            ramp = (2 * np.arange(nt // 2 + 1) / nt) ** count / np.prod(self.dims[:-1])
            y = y * like(scale * like(xp.asarray(ramp), pmax), x)
        return irfftn(y, (nt,), (-1,))

    def _forward(self, x: Array) -> Array:
        return self._sum(x, 1)

    def _adjoint(self, y: Array) -> Array:
        return self._sum(y, -1)

    def inverse(self, x: Array) -> Array:
        r"""The model whose transform is `x`, approximately: the adjoint of data weighted with frequency.

        Parameters
        ----------
        x : array
            Data of shape `dimsd`, flat, or with a trailing batch axis, as for ``Op.H @ x``.

        Returns
        -------
        array
            The model, in the style of `x`.
        """
        return edge(self, x, lambda v: self._sum(v, -1, inverse=True))
