"""Arguments of signal-processing operators: what is accepted, and errors that say it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from operax._arrays.dtypes import as_dtype, astype, complex_dtype, dtype_of, is_complex, real_dtype
from operax._arrays.namespace import Array, is_tracer, namespace_of


def as_sizes(value: Any, name: str = "dims") -> tuple[int, ...]:
    """A positive integer or a sequence of them as a tuple."""
    try:
        sizes = (operator.index(value),) if np.ndim(value) == 0 else tuple(operator.index(v) for v in value)
    except TypeError:
        raise TypeError(f"{name}={value!r} must be an integer or a sequence of integers") from None
    if not sizes or any(s < 1 for s in sizes):
        raise ValueError(f"{name}={value!r} must hold positive integers")
    return sizes


def as_axis(axis: Any, ndim: int, name: str = "axis") -> int:
    """An axis of an `ndim`-dimensional array, counted from the front."""
    try:
        found = operator.index(axis)
    except TypeError:
        raise TypeError(f"{name}={axis!r} must be an integer") from None
    if not -ndim <= found < ndim:
        raise ValueError(f"{name}={axis!r} is out of range for {ndim} dimension(s): give {-ndim} to {ndim - 1}")
    return found % ndim


def as_axes(axes: Any, ndim: int, name: str = "axes") -> tuple[int, ...]:
    """Distinct axes of an `ndim`-dimensional array, counted from the front, in the order given."""
    given = (axes,) if np.ndim(axes) == 0 else tuple(axes)
    found = tuple(as_axis(a, ndim, name) for a in given)
    if len(set(found)) != len(found):
        raise ValueError(f"{name}={axes!r} names an axis twice; give each axis once")
    return found


def one_of(value: Any, accepted: Iterable[Any], name: str) -> Any:
    """`value`, if it is one of `accepted`."""
    accepted = tuple(accepted)
    if value not in accepted:
        raise ValueError(f"{name}={value!r} is unknown; give one of {', '.join(map(repr, accepted))}")
    return value


def each_axis(value: Any, count: int, name: str) -> tuple[Any, ...]:
    """One value for each of `count` axes, from one for all or a sequence."""
    if value is None or np.ndim(value) == 0:
        return (value,) * count
    found = tuple(value)
    if len(found) != count:
        raise ValueError(f"{name}={value!r} has {len(found)} values for {count} axes; give one for all, or one an axis")
    return found


def as_vector(value: Any, name: str) -> np.ndarray:
    """Numbers along one axis (a time or space axis) as float64."""
    if is_tracer(value):
        raise TypeError(
            f"{name} is a value that is being traced, but positions and weights are made of it when the operator is "
            "built: build the operator outside of jax.jit, jax.grad and jax.vmap, and pass the operator as an argument"
        )
    found = np.asarray(value, dtype=np.float64)
    if found.ndim != 1 or found.size == 0:
        raise ValueError(f"{name} must be one-dimensional and not empty, got shape {found.shape}")
    return found


def dtype_pair(dtype: Any, real: bool) -> tuple[np.dtype | None, np.dtype | None, bool]:
    """Dtypes of model and data of a real-or-complex to complex operator, and whether the model is forced real.

    An explicit real dtype, or `real`, makes the model real; the data are complex in any case.
    """
    if dtype is None:
        return None, None, real
    dtype = as_dtype(dtype)
    if dtype.kind not in "fc":
        raise TypeError(f"dtype={str(dtype)!r} must be a floating dtype, e.g. 'float32' or 'complex128'")
    return (real_dtype(dtype) if real else dtype), complex_dtype(dtype), real or dtype.kind == "f"


def real_part(x: Array) -> Array:
    """The real part; `x` itself where it is real."""
    return astype(x, real_dtype(dtype_of(x))) if is_complex(x) else x


def weights(parameter: Array, x: Array) -> Array:
    """A parameter that the user gave, ready to meet `x`: integers take the precision of the data."""
    xp = namespace_of(x)
    parameter = xp.asarray(parameter)
    if dtype_of(parameter).kind in "iub":
        have = dtype_of(x)
        return astype(parameter, real_dtype(have) if have.kind in "fc" else np.dtype(np.float64))
    return parameter


def behind(axes: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Axes counted from the back, so that leading batch axes do not move them."""
    return tuple(a - ndim for a in axes)
