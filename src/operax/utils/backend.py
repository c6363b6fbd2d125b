"""Functions of the library that an array belongs to, under the names that scripts for PyLops use.

For new code ask `operax.utils.get_array_module` for the namespace and call it: the array API covers most needs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from operax._arrays import dtypes, sparse
from operax._arrays.namespace import Array, as_library, as_numpy, library_of

_MODULES = {"numpy": "numpy", "jax": "jax.numpy", "cupy": "cupy"}


def get_module(backend: str = "numpy") -> ModuleType:
    """The module of a library: ``"numpy"``, ``"jax"`` or ``"cupy"``.

    Examples
    --------
    >>> from operax.utils.backend import get_module
    >>> get_module("jax").__name__
    'jax.numpy'
    """
    if backend not in _MODULES:
        raise ValueError(f"backend={backend!r} is unknown; give one of {', '.join(map(repr, _MODULES))}")
    return importlib.import_module(_MODULES[backend])


def get_module_name(mod: ModuleType) -> str:
    """The name of the library of a module: the reverse of `get_module`."""
    for name, path in _MODULES.items():
        if mod.__name__.removeprefix("array_api_compat.") in (path, name):
            return name
    raise ValueError(f"{mod.__name__} is not a module of an array library; known are {', '.join(_MODULES.values())}")


def get_array_module(x: Array) -> ModuleType:
    """The module of the library that an array belongs to.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from operax.utils.backend import get_array_module
    >>> get_array_module(jnp.ones(2)) is jnp
    True
    """
    return get_module(library_of(x))


def get_normalize_axis_index() -> Callable[..., int]:
    """NumPy's function that turns negative axes into positive ones."""
    from numpy.lib.array_utils import normalize_axis_index

    return normalize_axis_index


def _of(x: Array, scipy_path: str, jax_path: str, cupy_path: str | None = None) -> Any:
    """A function of SciPy, or its counterpart in the library of `x`; each as ``module:name``."""
    paths = {"numpy": scipy_path, "jax": jax_path, "cupy": cupy_path or f"cupyx.{scipy_path}"}
    module, _, name = paths[library_of(x)].partition(":")
    found = importlib.import_module(module)
    return getattr(found, name) if name else found


def get_convolve(x: Array) -> Callable[..., Array]:
    """``convolve(x, h, mode)`` for the library of `x`."""
    return _of(x, "scipy.signal:convolve", "jax.scipy.signal:convolve")


def get_fftconvolve(x: Array) -> Callable[..., Array]:
    """``fftconvolve(x, h, mode)`` for the library of `x`."""
    return _of(x, "scipy.signal:fftconvolve", "jax.scipy.signal:fftconvolve")


def get_oaconvolve(x: Array) -> Callable[..., Array]:
    """``oaconvolve(x, h, mode)`` for the library of `x`; on JAX by one transform."""
    return _of(x, "scipy.signal:oaconvolve", "jax.scipy.signal:fftconvolve")


def get_correlate(x: Array) -> Callable[..., Array]:
    """``correlate(x, h, mode)`` for the library of `x`."""
    return _of(x, "scipy.signal:correlate", "jax.scipy.signal:correlate")


def get_add_at(x: Array) -> Callable[..., Any]:
    """``add_at(y, idx, x)``: add with repeated indices; in place on NumPy and CuPy, a new array on JAX."""
    if library_of(x) == "jax":
        return lambda y, idx, values: y.at[idx].add(values)
    return get_array_module(x).add.at


def get_sliding_window_view(x: Array) -> Callable[..., Array]:
    """``sliding_window_view(x, window_shape, axis)`` for the library of `x`; a copy on JAX."""
    if library_of(x) == "jax":
        return _jax_windows
    return _of(x, "numpy.lib.stride_tricks:sliding_window_view", "", "cupy.lib.stride_tricks:sliding_window_view")


def _jax_windows(x: Array, window_shape: Any, axis: Any = None) -> Array:
    import jax.numpy as jnp

    sizes = (window_shape,) if np.ndim(window_shape) == 0 else tuple(window_shape)
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if np.ndim(axis) == 0 else tuple(axis)
    if len(sizes) != len(axes):
        raise ValueError(f"window_shape={window_shape!r} has {len(sizes)} size(s) for {len(axes)} axis(es)")
    for size, a in zip(sizes, (a % x.ndim for a in axes)):
        index = np.arange(x.shape[a] - size + 1)[:, None] + np.arange(size)
        x = jnp.moveaxis(jnp.take(x, index, axis=a), a + 1, -1)
    return x


def get_block_diag(x: Array) -> Callable[..., Array]:
    """``block_diag(*matrices)`` for the library of `x`."""
    return _of(x, "scipy.linalg:block_diag", "jax.scipy.linalg:block_diag")


def get_toeplitz(x: Array) -> Callable[..., Array]:
    """``toeplitz(c, r)`` for the library of `x`."""
    return _of(x, "scipy.linalg:toeplitz", "jax.scipy.linalg:toeplitz")


def get_gaussian_filter(x: Array) -> Callable[..., Array]:
    """``gaussian_filter(x, sigma)`` for the library of `x`, reflecting at the edges."""
    if library_of(x) == "jax":
        return _jax_gaussian
    return _of(x, "scipy.ndimage:gaussian_filter", "")


def _jax_gaussian(x: Array, sigma: Any, truncate: float = 4.0) -> Array:
    import jax.numpy as jnp

    for axis, s in enumerate(np.broadcast_to(sigma, (x.ndim,))):
        radius = int(truncate * s + 0.5)
        if s <= 0 or radius == 0:
            continue
        k = np.arange(-radius, radius + 1)
        h = np.exp(-0.5 * (k / s) ** 2)
        h = (h / h.sum()).astype(x.dtype)
        padded = jnp.pad(x, [(radius, radius) if a == axis else (0, 0) for a in range(x.ndim)], mode="symmetric")
        x = jnp.apply_along_axis(lambda v, h=h: jnp.convolve(v, h, mode="valid"), axis, padded)
    return x


def _sparse(x: Array, kind: str) -> Callable[..., Any]:
    if library_of(x) == "jax":
        from jax.experimental.sparse import BCOO, BCSR

        return BCOO.fromdense if kind == "dia" else BCSR.fromdense
    return _of(x, f"scipy.sparse:{kind}_matrix", "")


def get_csc_matrix(x: Array) -> Callable[..., Any]:
    """The constructor of matrices sparse by columns for the library of `x` (by rows on JAX, which has no other)."""
    return _sparse(x, "csc")


def get_csr_matrix(x: Array) -> Callable[..., Any]:
    """The constructor of matrices sparse by rows for the library of `x`."""
    return _sparse(x, "csr")


def get_dia_matrix(x: Array) -> Callable[..., Any]:
    """The constructor of matrices sparse by diagonals for the library of `x` (by entries on JAX)."""
    return _sparse(x, "dia")


def get_sparse_eye(x: Array) -> Callable[..., Any]:
    """``eye(n, m)`` as a sparse matrix for the library of `x`."""
    return _of(x, "scipy.sparse:eye", "jax.experimental.sparse:eye")


def get_lstsq(x: Array) -> Callable[..., Any]:
    """``lstsq(A, y)`` for the library of `x`."""
    return _of(x, "scipy.linalg:lstsq", "jax.numpy.linalg:lstsq", "cupy.linalg:lstsq")


def get_sp_fft(x: Array) -> ModuleType:
    """The module of Fourier transforms for the library of `x`."""
    return _of(x, "scipy.fft", "jax.numpy.fft")


def get_complex_dtype(dtype: Any) -> np.dtype:
    """The complex dtype of the same precision.

    Examples
    --------
    >>> from operax.utils.backend import get_complex_dtype
    >>> get_complex_dtype("float32")
    dtype('complex64')
    """
    return dtypes.complex_dtype(dtype)


def get_real_dtype(dtype: Any) -> np.dtype:
    """The real dtype of the same precision."""
    return dtypes.real_dtype(dtype)


def to_numpy(x: Any) -> Any:
    """An array as NumPy array, or a sparse matrix as SciPy matrix."""
    if sparse.is_sparse(x):
        if type(x).__module__.startswith("jax"):
            return sparse.sparse_matrix(*_as_scipy(x))
        return x.get() if type(x).__module__.startswith("cupyx") else x
    return as_numpy(x)


def _as_scipy(x: Any) -> tuple[Any, Any, tuple[int, int]]:
    values, parts = sparse.sparse_parts(x)
    return as_numpy(values), parts, (int(x.shape[0]), int(x.shape[1]))


def to_cupy(x: Any) -> Any:
    """An array as CuPy array."""
    return as_library(x, "cupy")


def to_cupy_conditional(x: Array, y: Array) -> Array:
    """`y` as CuPy array where `x` is one, else untouched."""
    return as_library(y, "cupy") if library_of(x) == "cupy" and library_of(y) != "cupy" else y


def to_numpy_conditional(x: Array, y: Array) -> Array:
    """`y` as NumPy array where `x` is one, else untouched."""
    return as_numpy(y) if library_of(x) == "numpy" else y


def _changed(y: Array, idx: Any, in_place: Callable[[Any], None], functional: Callable[[Any], Any]) -> Array:
    if library_of(y) == "jax":
        return functional(y.at[idx])
    in_place(y)
    return y


def inplace_set(x: Array, y: Array, idx: Any) -> Array:
    """`y` with the values `x` at `idx`: written in place, but for JAX, where the result is a new array."""

    def write(target: Any) -> None:
        target[idx] = x

    return _changed(y, idx, write, lambda at: at.set(x))


def inplace_add(x: Array, y: Array, idx: Any, accumulate: bool = False) -> Array:
    """`y` with `x` added at `idx`; with `accumulate` repeated indices add up (on JAX they always do)."""

    def write(target: Any) -> None:
        if accumulate:
            get_add_at(target)(target, idx, x)
        else:
            target[idx] += x

    return _changed(y, idx, write, lambda at: at.add(x))


def inplace_multiply(x: Array, y: Array, idx: Any) -> Array:
    """`y` multiplied with `x` at `idx`: in place, but for JAX."""

    def write(target: Any) -> None:
        target[idx] *= x

    return _changed(y, idx, write, lambda at: at.multiply(x))


def inplace_divide(x: Array, y: Array, idx: Any) -> Array:
    """`y` divided by `x` at `idx`: in place, but for JAX."""

    def write(target: Any) -> None:
        target[idx] /= x

    return _changed(y, idx, write, lambda at: at.divide(x))


def randn(*n: int, backend: str = "numpy", rng: Any = None) -> Array:
    """Normal random numbers of shape `n` in a library; `rng` is a seed or a NumPy generator."""
    return as_library(np.random.default_rng(rng).standard_normal(n), backend)
