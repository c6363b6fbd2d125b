"""Convolution with a filter along one or several axes, with results of the length of the input.

``convolve(x, h, offset, axes)[t] = sum_k h[k] x[t + offset - k]`` along each of `axes`, zeros outside. Its adjoint in
`x` is the same with the filter reversed, conjugated and ``offset -> len(h) - 1 - offset``.

Which method is best was measured at 1e6 elements. Along one axis: products with blocks of the banded matrix from 5
(NumPy) and 33 taps (XLA) up to 512; below, shifted multiply-adds in one fused loop; above, FFTs of a fast length, in
overlapping blocks where the axis is long. Along several axes: shifts up to 16 (NumPy) and 128 taps (XLA); above, FFTs,
on XLA along the last axis only as long as the others have few taps.
XLA's own convolution of single channels is 2 to 80 times slower on CPUs.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from operax._arrays.banded import banded
from operax._arrays.dtypes import astype, dtype_of, float_dtype, is_complex, promote
from operax._arrays.fft import fft_size, fftn, ifftn, irfftn, rfftn
from operax._arrays.fit import cut, pad_axis
from operax._arrays.keep import keep
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of

METHODS = (None, "auto", "direct", "fft", "overlapadd")


@Kernel
def convolve(x: Array, h: Array, offset: Sequence[int], axes: Sequence[int], method: str | None = None) -> Array:
    """`x` convolved with `h`, whose axes belong to `axes` of `x` (counted from the back)."""
    x, h = _together(x, h)
    if method == "fft" or (method != "direct" and h.size > 64):
        return by_fft(x, h, offset, axes)
    return by_shifts(x, h, offset, axes)


@convolve.on("numpy")
def _(x: Any, h: Any, offset: Sequence[int], axes: Sequence[int], method: str | None = None) -> Any:
    import scipy.ndimage
    import scipy.signal

    x, h = _together(x, h)
    if method in (None, "auto"):
        method = _by_size(x, h, axes, 16)
    if method == "direct" and h.ndim == 1:
        if x.ndim == 1 and (h.size <= 8 or 0 < x.size <= 1024):
            return np.convolve(x, h)[offset[0] : offset[0] + x.size]
        return along_axis(x, h, offset[0], axes[0])
    if method == "direct":
        shape = [1] * x.ndim
        for axis, n in zip(axes, h.shape):
            shape[axis] = n
        centre = [0] * x.ndim
        for axis, n, o in zip(axes, h.shape, offset):
            centre[axis] = o - n // 2
        kernel = np.transpose(h, np.argsort(axes)).reshape(shape)
        return scipy.ndimage.convolve(x, kernel, mode="constant", origin=centre)
    # single-precision transforms of large filters lose digits, as everywhere; they stay in the precision asked for
    kernel = _spread(h, x.ndim, axes)
    full = scipy.signal.oaconvolve if method == "overlapadd" else scipy.signal.fftconvolve
    y = full(x, kernel, mode="full", axes=tuple(axes))
    for axis, o in zip(axes, offset):
        y = cut(y, axis, o, o + x.shape[axis])
    return y


@convolve.on("jax")
def _(x: Any, h: Any, offset: Sequence[int], axes: Sequence[int], method: str | None = None) -> Any:
    x, h = _together(x, h)
    if method in (None, "auto"):
        if 128 < h.size <= 64 * h.shape[-1] and h.ndim > 1:
            return by_lines(x, h, offset, axes)
        method = _by_size(x, h, axes, 128)
    if method == "direct" and h.ndim == 1 and h.size > 32:
        return along_axis(x, h, offset[0], axes[0])
    if method == "direct":
        # every tap is one fused multiply-add; beyond a few hundred their number would weigh on compilation
        return by_shifts(x, h, offset, axes) if h.size <= 256 else by_shifts_looped(x, h, offset, axes)
    if method == "overlapadd" and h.ndim == 1 and x.shape[axes[0]] > 4096:
        return by_blocks(x, h, offset[0], axes[0])
    return by_fft(x, h, offset, axes)


def _by_size(x: Array, h: Array, axes: Sequence[int], several: int) -> str:
    """The fastest method; with a filter of `several` axes the direct one up to `several` taps."""
    if h.ndim > 1:
        return "direct" if h.size <= several else "fft"
    n = x.shape[axes[0]]
    if h.size <= (512 if x.size >= 32 * n else 256):
        return "direct"
    return "overlapadd" if n > 4096 else "fft"


def along_axis(x: Array, h: Array, offset: int, axis: int) -> Array:
    """Convolution along one axis as the product with a banded matrix, whose rows are all equal."""
    return banded(x, namespace_of(h).flip(h)[None, :], h.shape[0] - 1 - offset, axis)


def _together(x: Array, h: Array) -> tuple[Array, Array]:
    """Both in one precision; integers become floating."""
    have, filt = dtype_of(x), dtype_of(h)
    want = promote(float_dtype(have), filt if filt.kind in "fcV" else float_dtype(have))
    both = {"x": want, "h": want}
    if want.kind == "c":  # a real partner stays real: half the work
        real = np.empty(0, want).real.dtype
        both = {"x": want if have.kind == "c" else real, "h": want if filt.kind == "c" else real}
    return astype(x, both["x"]), astype(h, both["h"])


def _spread(h: Array, ndim: int, axes: Sequence[int]) -> Array:
    """`h` with its axes where `axes` of an `ndim`-dimensional array are, and length 1 elsewhere."""
    order = sorted(range(len(axes)), key=lambda i: axes[i] % ndim)
    xp = namespace_of(h)
    shape = [1] * ndim
    for axis, n in zip(axes, h.shape):
        shape[axis] = n
    return xp.reshape(xp.permute_dims(h, tuple(order)) if h.ndim > 1 else h, tuple(shape))


def _padded(x: Array, taps: Sequence[int], offset: Sequence[int], axes: Sequence[int]) -> Array:
    for axis, n, o in zip(axes, taps, offset):
        x = pad_axis(x, axis, n - 1 - o, o)
    return x


def by_shifts(x: Array, h: Array, offset: Sequence[int], axes: Sequence[int]) -> Array:
    """The sum over taps of shifted copies of the padded data."""
    return _sum_of_shifts(x, namespace_of(h).flip(h), offset, axes)


def _sum_of_shifts(x: Array, flipped: Array, offset: Sequence[int], axes: Sequence[int]) -> Array:
    """The same for a flipped filter, whose taps may be arrays that broadcast with the data."""
    shape = flipped.shape[: len(axes)]
    wide = keep(_padded(x, shape, offset, axes))
    terms = []
    for tap in itertools.product(*map(range, shape)):
        part = wide
        for axis, k in zip(axes, tap):
            part = cut(part, axis, k, k + x.shape[axis])
        terms.append(flipped[(*tap, ...)] * part)
    return functools.reduce(operator.add, terms)


def by_shifts_looped(x: Any, h: Any, offset: Sequence[int], axes: Sequence[int], block: int = 16) -> Any:
    """As `by_shifts`, the first axis of the filter in a loop over `block` taps (JAX)."""
    import jax
    import jax.numpy as jnp

    first, n = axes[0], h.shape[0]
    count = -(-n // block)
    flipped = pad_axis(jnp.flip(h), 0, 0, count * block - n)
    wide = keep(pad_axis(_padded(x, h.shape, offset, axes), first, 0, count * block - n))
    size = x.shape[first]

    def body(b: Any, acc: Any) -> Any:
        window = jax.lax.dynamic_slice_in_dim(wide, b * block, size + block - 1, first % x.ndim)
        taps = jax.lax.dynamic_slice_in_dim(flipped, b * block, block, 0)
        inner = [(k, tap) for k in range(block) for tap in itertools.product(*map(range, h.shape[1:]))]
        for k, tap in inner:
            part = cut(window, first, k, k + size)
            for axis, t in zip(axes[1:], tap):
                part = cut(part, axis, t, t + x.shape[axis])
            acc = acc + taps[(k, *tap)] * part
        return acc

    start = jnp.zeros(x.shape, jnp.result_type(x, h))
    return jax.lax.fori_loop(0, count, body, start)


def by_fft(x: Array, h: Array, offset: Sequence[int], axes: Sequence[int]) -> Array:
    """The product of the spectra, of a fast length that leaves no wrap-around."""
    sizes = [fft_size(x.shape[a] + n - 1) for a, n in zip(axes, h.shape)]
    across = tuple(range(-h.ndim, 0))
    if is_complex(x) or is_complex(h):
        spectrum = _spread(fftn(h, sizes, across), x.ndim, axes)
        y = ifftn(fftn(x, sizes, axes) * spectrum, sizes, axes)
    else:
        # the halved axis of the filter's spectrum must be the one of the data's
        spectrum = _spread(rfftn(h, sizes, across), x.ndim, axes)
        y = irfftn(rfftn(x, sizes, axes) * spectrum, sizes, axes)
    for axis, o in zip(axes, offset):
        y = cut(y, axis, o, o + x.shape[axis])
    return y


def by_lines(x: Array, h: Array, offset: Sequence[int], axes: Sequence[int]) -> Array:
    """Spectra along the last axis of the filter, which are shifted and added along the others.

    The filter's spectrum then costs next to nothing, and the data are transformed along one axis only.
    """
    xp = namespace_of(x)
    real = not (is_complex(x) or is_complex(h))
    there, back = (rfftn, irfftn) if real else (fftn, ifftn)
    *across, along = axes
    n = x.shape[along]
    size = (fft_size(n + h.shape[-1] - 1),)
    spectrum = there(xp.flip(h, axis=tuple(range(h.ndim - 1))), size, (-1,))
    # the last axis of the taps' spectra under the one of the data's
    spectrum = xp.reshape(spectrum, (*spectrum.shape, *(1,) * (-along - 1)))
    y = _sum_of_shifts(there(x, size, (along,)), spectrum, offset[:-1], across)
    return cut(back(y, size, (along,)), along, offset[-1], offset[-1] + n)


def by_blocks(x: Any, h: Any, offset: int, axis: int) -> Any:
    """Overlap-add: FFTs over blocks of the axis, the tails of their results added to the next block (JAX)."""
    import jax.numpy as jnp

    n, taps = x.shape[axis], h.shape[0]
    size = max(2048, 1 << math.ceil(math.log2(4 * taps)))
    block = size - taps + 1
    count = -(-n // block)
    lines = jnp.moveaxis(x, axis, -1)
    blocks = pad_axis(lines, -1, 0, count * block - n).reshape(*lines.shape[:-1], count, block)
    if is_complex(x) or is_complex(h):
        y = ifftn(fftn(blocks, (size,), (-1,)) * fftn(h, (size,), (-1,)), (size,), (-1,))
    else:
        y = irfftn(rfftn(blocks, (size,), (-1,)) * rfftn(h, (size,), (-1,)), (size,), (-1,))
    # the tail is shorter than a block, so it reaches into the next one only
    tail = pad_axis(cut(y, -1, block, size), -1, 0, block - (taps - 1))
    full = pad_axis(cut(y, -1, 0, block), -2, 0, 1) + pad_axis(tail, -2, 1, 0)
    full = full.reshape(*lines.shape[:-1], (count + 1) * block)
    return jnp.moveaxis(cut(full, -1, offset, offset + n), -1, axis)
