"""Orthonormal cosine transforms of types 1 to 4 along one axis.

SciPy computes them on NumPy. Elsewhere short axes take a product with the matrix, which XLA runs faster than any FFT
below about 256 samples, and long ones one FFT of the length of the axis (types 2 and 3, after Makhoul), of twice its
length (type 4) or of the symmetric extension (type 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import floating, is_complex, like
from operax._arrays.fft import fftn, irfftn, rfftn
from operax._arrays.fit import cut, fit
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
MATRIX = 256
"""Longest axis whose transform is a product with the matrix."""


def dct_factors(n: int, kind: int) -> np.ndarray:
    """What a transform of type `kind` and of its inverse need: the matrix, or the twiddle factors, in double."""
    import scipy.fft

    if n <= MATRIX:
        # of type 2 where it is 3: the inverse takes the transpose
        return scipy.fft.dct(np.eye(n), type=2 if kind == 3 else kind, axis=0, norm="ortho")
    k = np.arange(n)
    if kind in (2, 3):
        scale = np.full(n, np.sqrt(2.0 / n))
        scale[0] = np.sqrt(1.0 / n)
        return scale * np.exp(-0.5j * np.pi * k / n)
    if kind == 4:
        return np.stack([np.exp(-0.5j * np.pi * k / n), np.sqrt(2.0 / n) * np.exp(-0.25j * np.pi * (2 * k + 1) / n)])
    before, after = np.full(n, 0.5), np.full(n, np.sqrt(2.0 / (n - 1)))
    before[[0, -1]] = np.sqrt(0.5)  # the ends stand once in the extension, and are scaled to make rows orthonormal
    after[[0, -1]] *= np.sqrt(0.5)
    return np.stack([before, after])


@Kernel
def dct(x: Array, factors: Array, kind: int, axis: int) -> Array:
    """The transform of type `kind` along `axis` (negative), given `dct_factors` of it or of its inverse."""
    xp = namespace_of(x)
    x = floating(x)
    if is_complex(x):
        return dct.generic(xp.real(x), factors, kind, axis) + 1j * dct.generic(xp.imag(x), factors, kind, axis)
    n = x.shape[axis]
    lines = xp.moveaxis(x, axis, -1)
    if n <= MATRIX:
        matrix = like(factors, x)
        y = xp.matmul(lines, matrix if kind == 3 else xp.matrix_transpose(matrix))
    elif kind == 2:
        y = _second(lines, like(factors, x))
    elif kind == 3:
        y = _third(lines, like(factors, x))
    elif kind == 4:
        y = _fourth(lines, like(factors, x))
    else:
        y = _first(lines, like(factors, x))
    return xp.moveaxis(y, -1, axis)


@dct.on("jax")
def _(x: Any, factors: Any, kind: int, axis: int) -> Any:
    import jax

    # the factors belong to the transform, not to its user: nothing is to be differentiated in them
    return dct.generic(x, jax.lax.stop_gradient(factors), kind, axis)


@dct.on("numpy")
def _(x: Any, factors: Any, kind: int, axis: int) -> Any:
    import scipy.fft

    return scipy.fft.dct(floating(x), type=kind, axis=axis, norm="ortho")


def _second(x: Array, twiddle: Array) -> Array:
    """The even samples, then the odd ones backwards: their spectrum holds the transform, twiddled."""
    xp = namespace_of(x)
    n = x.shape[-1]
    v = xp.concat([x[..., ::2], xp.flip(x[..., 1::2], axis=-1)], axis=-1)
    half = rfftn(v, (n,), (-1,)) * twiddle[: n // 2 + 1]
    # frequency n - k is the conjugate, and its twiddle factor is -i times that of k conjugated
    back = -xp.imag(half[..., 1 : (n + 1) // 2])
    return xp.concat([xp.real(half), xp.flip(back, axis=-1)], axis=-1)


def _third(y: Array, twiddle: Array) -> Array:
    xp = namespace_of(y)
    n = y.shape[-1]
    half = n // 2 + 1
    back = xp.concat([xp.zeros_like(y[..., :1]), xp.flip(y[..., 1:], axis=-1)], axis=-1)[..., :half]
    # unit twiddles, and the weights that make the unscaled inverse transform orthonormal
    unit = xp.conj(twiddle[:half])
    spectrum = (y[..., :half] - 1j * back) * unit
    factor = like(_third_scale(n), y)
    v = irfftn(spectrum * factor[:half], (n,), (-1,), norm="forward")
    even, odd = v[..., : (n + 1) // 2], xp.flip(v[..., (n + 1) // 2 :], axis=-1)
    if n % 2:
        odd = fit(odd, -1, (n + 1) // 2)
    mixed = xp.reshape(xp.stack([even, odd], axis=-1), (*y.shape[:-1], -1))
    return cut(mixed, -1, 0, n)


def _third_scale(n: int) -> np.ndarray:
    scale = np.full(n, 0.5)
    scale[0] = 1.0
    return scale


def _fourth(x: Array, factors: Array) -> Array:
    xp = namespace_of(x)
    n = x.shape[-1]
    return xp.real(fftn(x * factors[0, :], (2 * n,), (-1,))[..., :n] * factors[1, :])


def _first(x: Array, factors: Array) -> Array:
    xp = namespace_of(x)
    n = x.shape[-1]
    x = x * factors[0, :]
    wide = xp.concat([x, xp.flip(x[..., 1:-1], axis=-1)], axis=-1)
    return xp.real(rfftn(wide, (2 * n - 2,), (-1,))) * factors[1, :]
