"""Sums with phases that are products of two indices, by chirps: the fractional Fourier transform of Bluestein."""

from __future__ import annotations

from operax._arrays.dtypes import floating, like
from operax._arrays.fft import fft_size, fftn, ifftn
from operax._arrays.fit import cut
from operax._arrays.namespace import Array, namespace_of


def chirp_transform(x: Array, turns: Array, centre: int, axis: int) -> Array:
    """``y[i, k] = sum_j exp(2 pi i turns[k] (i - centre) (j - centre)) x[j, k]``, as long as `x` along `axis`.

    `turns` belongs to the last axis of `x`, another one than `axis` (both are counted from the back). With
    ``2ij = i^2 + j^2 - (i - j)^2`` the sum is a convolution with a chirp between two products with chirps [1]_.

    References
    ----------
    .. [1] L. I. Bluestein, A linear filtering approach to the computation of discrete Fourier transform, IEEE
       Transactions on Audio and Electroacoustics 18 (1970).
    """
    xp = namespace_of(x)
    n = x.shape[axis]
    size = fft_size(2 * n - 1)
    around = _chirp(_columns(_squares(xp, range(-centre, n - centre), turns), axis), turns, x)
    # lags 0 .. n-1, a gap that no result meets, lags -(n-1) .. -1
    lags = [*range(n), *[0] * (size - 2 * n + 1), *range(1 - n, 0)]
    kernel = _chirp(_columns(_squares(xp, lags, turns), axis), -turns, x)
    spectrum = fftn(around * x, (size,), (axis,)) * fftn(kernel, (size,), (axis,))
    return around * cut(ifftn(spectrum, (size,), (axis,)), axis, 0, n)


def _squares(xp: Array, lags: Array, turns: Array) -> Array:
    return like(xp.asarray([float(lag * lag) for lag in lags]), turns)


def _columns(squares: Array, axis: int) -> Array:
    """A vector laid along `axis` in front of the last one."""
    return namespace_of(squares).reshape(squares, (-1, *(1,) * (-axis - 1)))


def _chirp(squares: Array, turns: Array, x: Array) -> Array:
    """``exp(pi i turns squares)`` in the precision of `x`."""
    xp = namespace_of(x)
    cycles = squares * turns / 2
    cycles = cycles - xp.round(cycles)  # the phase is reduced before the precision is
    phase = 2 * xp.pi * like(cycles, xp.real(x) if xp.isdtype(x.dtype, "complex floating") else floating(x))
    return xp.cos(phase) + 1j * xp.sin(phase)
