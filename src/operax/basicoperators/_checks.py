"""Arguments of the basic operators: what is accepted, and errors that say it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from operax._arrays.dtypes import astype, dtype_of, float_dtype, real_dtype
from operax._arrays.namespace import Array, is_array, namespace_of


def sizes_of(value: Any, name: str = "dims") -> tuple[int, ...]:
    """A whole number or a sequence of them as a tuple."""
    try:
        sizes = (operator.index(value),) if np.ndim(value) == 0 else tuple(operator.index(v) for v in value)
    except TypeError:
        raise TypeError(f"{name}={value!r} must be an integer or a sequence of integers") from None
    if not sizes or min(sizes) < 0:
        raise ValueError(f"{name}={value!r} must hold at least one size, and no negative one")
    return sizes


def axis_of(axis: Any, ndim: int, name: str = "axis") -> int:
    """An axis of an array with `ndim` axes, counted from the front."""
    try:
        found = operator.index(axis)
    except TypeError:
        raise TypeError(f"{name}={axis!r} must be an integer") from None
    if not -ndim <= found < ndim:
        raise ValueError(f"{name}={axis!r} is out of range for {ndim} axis(es): give {-ndim} to {ndim - 1}")
    return found % ndim


def axes_of(axes: Any, ndim: int, name: str = "axes") -> tuple[int, ...]:
    """Distinct axes, counted from the front, in the order given."""
    given = (axes,) if np.ndim(axes) == 0 else tuple(axes)
    found = tuple(axis_of(a, ndim, name) for a in given)
    if len(set(found)) != len(found):
        raise ValueError(f"{name}={axes!r} names an axis twice; give each axis once")
    return found


def choice(value: Any, accepted: Iterable[Any], name: str) -> Any:
    """`value`, if it is one of `accepted`."""
    accepted = tuple(accepted)
    if value not in accepted:
        raise ValueError(f"{name}={value!r} is unknown; give one of {', '.join(map(repr, accepted))}")
    return value


def step_of(value: Any, name: str = "sampling") -> Any:
    """A sampling step: a number other than zero, or an array without axes (then a parameter with a derivative)."""
    if is_array(value):
        if value.ndim != 0:
            raise ValueError(f"{name} must be one number, got an array of shape {tuple(value.shape)}")
        return value
    try:
        number = complex(value).real if isinstance(value, complex) else float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}={value!r} must be a number") from None
    if number == 0:
        raise ValueError(f"{name}=0 is not a sampling step; give the distance between two samples")
    return number


def per_axis(value: Any, count: int, name: str) -> tuple[Any, ...]:
    """One value for each of `count` axes, from one for all or from a sequence."""
    if np.ndim(value) == 0:
        return (value,) * count
    if len(value) != count:
        raise ValueError(f"{name}={value!r} has {len(value)} values for {count} axes; give one for all or one an axis")
    return tuple(value)


def behind(axes: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Axes counted from the end, so that batch axes in front do not move them."""
    return tuple(a - ndim for a in axes)


def meeting(parameter: Array, x: Array) -> Array:
    """A parameter given by the user, ready to meet `x`: in its library; integers take the precision of the data."""
    if type(parameter) is not type(x):
        parameter = namespace_of(parameter, x).asarray(parameter)
    if dtype_of(parameter).kind in "iub":
        return astype(parameter, real_dtype(float_dtype(dtype_of(x))))
    return parameter
