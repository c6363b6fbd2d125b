"""Discrete Fourier transforms over several axes, in the precision of the data.

Unscaled in the direction that `norm` leaves unscaled: the names are the array API standard's ("backward": the inverse
carries 1/n; "ortho": both carry 1/sqrt(n); "forward": the forward carries 1/n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from operax._arrays.dtypes import astype, complex_dtype, dtype_of, floating, is_complex, real_dtype
from operax._arrays.fit import fit
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, namespace_of
from operax._arrays.sharding import with_whole_axes


def fft_size(n: int) -> int:
    """The smallest length not below `n` whose factors are 2, 3, 5 and 7: fast on every library."""
    import scipy.fft

    return int(scipy.fft.next_fast_len(n, real=True))


@Kernel
def fftn(x: Array, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Array:
    """Transform along `axes`, zero-padded or cut to `sizes`."""
    xp = namespace_of(x)
    x = floating(x)
    return xp.fft.fftn(astype(x, complex_dtype(dtype_of(x))), s=tuple(sizes), axes=tuple(axes), norm=norm)


@Kernel
def ifftn(x: Array, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Array:
    """Inverse transform along `axes`."""
    xp = namespace_of(x)
    x = floating(x)
    return xp.fft.ifftn(astype(x, complex_dtype(dtype_of(x))), s=tuple(sizes), axes=tuple(axes), norm=norm)


@Kernel
def rfftn(x: Array, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Array:
    """Transform of real data: the last of `axes` keeps the frequencies that are not negative."""
    xp = namespace_of(x)
    return xp.fft.rfftn(_real(x), s=tuple(sizes), axes=tuple(axes), norm=norm)


@Kernel
def irfftn(x: Array, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Array:
    """Inverse of `rfftn` to real data of length ``sizes[-1]`` along the last of `axes`."""
    xp = namespace_of(x)
    x = floating(x)
    return xp.fft.irfftn(astype(x, complex_dtype(dtype_of(x))), s=tuple(sizes), axes=tuple(axes), norm=norm)


def _real(x: Array) -> Array:
    x = floating(x)
    return astype(x, real_dtype(dtype_of(x))) if is_complex(x) else x


# NumPy: scipy.fft keeps single precision and is the faster of the two


@fftn.on("numpy")
def _(x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Any:
    import scipy.fft

    return scipy.fft.fftn(floating(x), s=sizes, axes=axes, norm=norm)


@ifftn.on("numpy")
def _(x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Any:
    import scipy.fft

    return scipy.fft.ifftn(floating(x), s=sizes, axes=axes, norm=norm)


@rfftn.on("numpy")
def _(x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Any:
    import scipy.fft

    return scipy.fft.rfftn(_real(x), s=sizes, axes=axes, norm=norm)


@irfftn.on("numpy")
def _(x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Any:
    import scipy.fft

    return scipy.fft.irfftn(floating(x), s=sizes, axes=axes, norm=norm)


# JAX and CuPy transform up to three axes in a call (XLA's limit); more are taken in groups


def _grouped(name: str, x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str) -> Any:
    axes, sizes = tuple(axes), tuple(sizes)
    x = _real(x) if name == "rfftn" else floating(x)
    if len(axes) <= 3:
        return _whole(name, x, sizes, axes, norm)
    if name == "irfftn":  # complex axes first: the real axis must come last
        x = _grouped("ifftn", x, sizes[:-3], axes[:-3], norm)
        return _whole(name, x, sizes[-3:], axes[-3:], norm)
    x = _whole(name, x, sizes[-3:], axes[-3:], norm)
    return _grouped(name.removeprefix("r"), x, sizes[:-3], axes[:-3], norm)


def _whole(name: str, x: Any, sizes: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Any:
    """One call of the library, the transformed axes whole on every device before and after it."""
    xp = namespace_of(x)
    x = with_whole_axes(x, axes)
    for i, (axis, n) in enumerate(zip(axes, sizes)):
        # here and not by the library: it is the very operand of the transform that must be whole
        x = fit(x, axis, n // 2 + 1 if name == "irfftn" and i == len(axes) - 1 else n)
    last = tuple(range(-len(axes), 0))
    x = xp.moveaxis(x, axes, last)
    batch = x.shape[: x.ndim - len(axes)]
    # XLA on CPU takes no operand with an axis of a single local element out of order (jax 0.10): one batch axis then
    flat = len(batch) > 1 and any(n <= _devices(x) for n in batch)
    if flat:
        x = xp.reshape(x, (-1, *x.shape[len(batch) :]))
    y = with_whole_axes(getattr(xp.fft, name)(with_whole_axes(x, last), s=sizes, axes=last, norm=norm), last)
    if flat:
        y = xp.reshape(y, (*batch, *y.shape[1:]))
    return with_whole_axes(xp.moveaxis(y, last, axes), axes)


@Kernel
def _devices(x: Array) -> int:
    """The number of devices that `x` may be spread over; 0 where no mesh is in force."""
    return 0


@_devices.on("jax")
def _(x: Any) -> int:
    import jax

    mesh = getattr(getattr(jax.typeof(x), "sharding", None), "mesh", None)
    return 0 if mesh is None or mesh.empty else int(mesh.size)


@fftn.on("jax", "cupy")
def _(x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Any:
    return _grouped("fftn", x, sizes, axes, norm)


@ifftn.on("jax", "cupy")
def _(x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Any:
    return _grouped("ifftn", x, sizes, axes, norm)


@rfftn.on("jax", "cupy")
def _(x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Any:
    return _grouped("rfftn", x, sizes, axes, norm)


@irfftn.on("jax", "cupy")
def _(x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str = "backward") -> Any:
    return _grouped("irfftn", x, sizes, axes, norm)
