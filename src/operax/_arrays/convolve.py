"""Convolution with a filter along one or several axes, with results of the length of the input.

``convolve(x, h, offset, axes)[t] = sum_k h[k] x[t + offset - k]`` along each of `axes`, zeros outside. Its adjoint in
`x` is the same with the filter reversed, conjugated and ``offset -> len(h) - 1 - offset``.

Which method is best was measured at 1e6 elements: shifted multiply-adds in one fused loop up to about 64 taps on XLA
(128 where they spread over several axes), the same in blocks up to 24 taps on NumPy, FFTs of a fast length above,
in overlapping blocks where the axis is long. XLA's own convolution of single channels is 2 to 80 times slower on CPUs.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from operax._arrays.dtypes import astype, dtype_of, float_dtype, is_complex, promote
from operax._arrays.fft import fft_size, fftn, ifftn, irfftn, rfftn
from operax._arrays.fit import cut, pad_axis
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
        vector = x.ndim == 1 and min(h.size, x.size) <= 32
        long = h.ndim == 1 and x.shape[axes[0]] > 4096
        short = h.size <= (24 if h.ndim == 1 else 16)
        method = "direct" if short or vector else "overlapadd" if long else "fft"
    if method == "direct":
        if x.ndim == 1 and min(h.size, x.size) <= 32:
            return np.convolve(x, h)[offset[0] : offset[0] + x.size]
        if h.ndim == 1:
            return _by_blocked_shifts(x, h, offset[0], axes[0])
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


_BLOCK = 1 << 15
"""Values a block: input, output and scratch of a block stay in the second-level cache."""


def _by_blocked_shifts(x: np.ndarray, h: np.ndarray, offset: int, axis: int) -> np.ndarray:
    """One multiply-add a tap, block by block: twice as fast as SciPy's loop, which looks at borders for each value."""
    x = np.ascontiguousarray(x)
    axis %= x.ndim
    n, inner = x.shape[axis], math.prod(x.shape[axis + 1 :])
    out = np.zeros_like(x)
    if x.size == 0:
        return out
    width, border = n * inner, (len(h) - 1) * inner
    slabs, results = x.reshape(-1, width), out.reshape(-1, width)
    many = max(1, min(len(slabs), _BLOCK // width))
    # slabs side by side with zeros between them: what moves across a border is zero
    padded = np.zeros(border + many * (width + border), x.dtype)
    inside = padded[border:].reshape(many, width + border)[:, :width]
    total, scratch = np.empty_like(padded[border:]), np.empty(min(_BLOCK + border, len(padded)), x.dtype)
    for a in range(0, len(slabs), many):
        b = min(a + many, len(slabs))
        inside[: b - a] = slabs[a:b]
        end = len(total) - border
        for start in range(0, end, _BLOCK):
            stop = min(start + _BLOCK, end)
            part, term = total[start:stop], scratch[: stop - start]
            for k, weight in enumerate(h):
                shift = border + (offset - k) * inner
                moved = padded[start + shift : stop + shift]
                if k == 0:
                    np.multiply(moved, weight, out=part)
                else:
                    np.multiply(moved, weight, out=term)
                    part += term
        results[a:b] = total.reshape(many, width + border)[: b - a, :width]
    return out


@convolve.on("jax")
def _(x: Any, h: Any, offset: Sequence[int], axes: Sequence[int], method: str | None = None) -> Any:
    x, h = _together(x, h)
    if method in (None, "auto"):
        taps = 64 if h.ndim == 1 else 128
        method = "direct" if h.size <= taps else "overlapadd" if h.ndim == 1 else "fft"
    if method == "direct":
        # every tap is one fused multiply-add; beyond a few hundred their number would weigh on compilation
        return by_shifts(x, h, offset, axes) if h.size <= 256 else by_shifts_looped(x, h, offset, axes)
    if method == "overlapadd" and h.ndim == 1 and x.shape[axes[0]] > 4096:
        return by_blocks(x, h, offset[0], axes[0])
    return by_fft(x, h, offset, axes)


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


def _padded(x: Array, h: Array, offset: Sequence[int], axes: Sequence[int]) -> Array:
    for axis, n, o in zip(axes, h.shape, offset):
        x = pad_axis(x, axis, n - 1 - o, o)
    return x


@Kernel
def keep(x: Array) -> Array:
    """`x` stored before it is used: XLA would otherwise compute the padding anew for every tap."""
    return x


@keep.on("jax")
def _(x: Any) -> Any:
    import jax

    return jax.lax.optimization_barrier(x)


def by_shifts(x: Array, h: Array, offset: Sequence[int], axes: Sequence[int]) -> Array:
    """The sum over taps of shifted copies of the padded data."""
    wide = keep(_padded(x, h, offset, axes))
    xp = namespace_of(x)
    h = xp.flip(h)
    terms = []
    for tap in itertools.product(*map(range, h.shape)):
        part = wide
        for axis, k in zip(axes, tap):
            part = cut(part, axis, k, k + x.shape[axis])
        terms.append(h[tap] * part)
    return functools.reduce(operator.add, terms)


def by_shifts_looped(x: Any, h: Any, offset: Sequence[int], axes: Sequence[int], block: int = 16) -> Any:
    """As `by_shifts`, the first axis of the filter in a loop over `block` taps (JAX)."""
    import jax
    import jax.numpy as jnp

    first, n = axes[0], h.shape[0]
    count = -(-n // block)
    flipped = pad_axis(jnp.flip(h), 0, 0, count * block - n)
    wide = keep(pad_axis(_padded(x, h, offset, axes), first, 0, count * block - n))
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
