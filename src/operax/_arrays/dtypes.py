"""dtype rules: what a result's dtype is, and its real and complex partners."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np

from operax._arrays.namespace import Array, is_tracer, library_of, namespace_of


@functools.lru_cache(maxsize=1024)
def _named(name: str) -> np.dtype:
    return np.dtype(name)


def dtype_of(x: Array) -> np.dtype:
    """The dtype of an array as NumPy's `np.dtype`."""
    dtype = x.dtype
    if isinstance(dtype, np.dtype):
        return dtype
    return _named(str(dtype).rsplit(".", 1)[-1])


def as_dtype(dtype: Any) -> np.dtype:
    """`dtype` (a name, a type, the strict namespace's) as `np.dtype`, or an error that says what is accepted."""
    try:
        return np.dtype(dtype)
    except TypeError:
        try:
            return _named(str(dtype).rsplit(".", 1)[-1])
        except TypeError:
            raise TypeError(f"dtype={dtype!r} is not a dtype; give e.g. 'float32' or numpy.complex128") from None


def real_dtype(dtype: Any) -> np.dtype:
    """The real dtype of the same precision: complex64 gives float32."""
    dtype = as_dtype(dtype)
    return np.empty(0, dtype).real.dtype if dtype.kind == "c" else dtype


def complex_dtype(dtype: Any) -> np.dtype:
    """The complex dtype of the same precision: float32 gives complex64, integers give complex128."""
    dtype = as_dtype(dtype)
    if dtype.kind == "c":
        return dtype
    if dtype.itemsize <= 4 and dtype.kind == "f":
        return np.dtype(np.complex64)
    return np.result_type(dtype, np.complex64)


def float_dtype(dtype: Any) -> np.dtype:
    """The dtype itself where it is floating or complex, float64 for integers and booleans."""
    dtype = as_dtype(dtype)
    return dtype if dtype.kind in "fcV" else np.dtype(np.float64)


def is_complex(x: Array) -> bool:
    """Whether the array holds complex numbers."""
    return dtype_of(x).kind == "c"


@functools.lru_cache(maxsize=4096)
def promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """NumPy's promotion of two dtypes, except that an integer never widens a float (as in JAX and the standard)."""
    if a.kind in "iub" and b.kind in "fc":
        return b
    if b.kind in "iub" and a.kind in "fc":
        return a
    if a.kind == "V" or b.kind == "V":  # bfloat16 and kin: only JAX knows their rules
        return np.dtype(jax.numpy.promote_types(a, b))
    return np.result_type(a, b)


def astype(x: Array, dtype: np.dtype) -> Array:
    """`x` cast to `dtype`, without a copy where it has it already; complex to real takes the real part."""
    have = dtype_of(x)
    if have == dtype:
        return x
    library = library_of(x)
    if library == "jax":
        dtype = jax.dtypes.canonicalize_dtype(dtype)
        if have == dtype:
            return x
    if have.kind == "c" and dtype.kind != "c":
        x = x.real if library != "strict" else namespace_of(x).real(x)
    if library == "strict":
        return namespace_of(x).astype(x, getattr(namespace_of(x), dtype.name))
    return x.astype(dtype)


def floating(x: Array) -> Array:
    """`x` itself where it holds floating or complex numbers; integers and booleans as float64."""
    return astype(x, float_dtype(dtype_of(x)))


def like(parameter: Array, x: Array) -> Array:
    """A weight computed by us (in float64) in the precision of the data `x`, and in the library of `x`.

    Weights that the operator computes must not widen float32 data; parameters that the user gave take part in
    promotion instead and do not come here.
    """
    xp = namespace_of(x)
    if isinstance(parameter, np.ndarray) and library_of(x) != "numpy" and not is_tracer(parameter):
        parameter = xp.asarray(parameter)
    have, want = dtype_of(parameter), float_dtype(dtype_of(x))
    if have.kind == "c":
        return astype(parameter, complex_dtype(want))
    return astype(parameter, real_dtype(want)) if have.kind == "f" else parameter
