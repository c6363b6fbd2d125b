"""NumPy as solvers see it: the scalars of a small problem at the cost of Python numbers.

An iteration on a problem of fifty unknowns makes two products of a microsecond each, and a dozen decisions about single
numbers (steps, norms, stopping rules), for which NumPy's array functions take as long again. Here these functions look
first whether they are asked about single numbers. All else is NumPy's own.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from operax._arrays import namespace

_FLAGS = frozenset({bool, np.bool_})


class HostNamespace:
    """The array namespace of NumPy with short ways for numbers."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(namespace.numpy_namespace(), name)
        setattr(self, name, found)  # the next time it is an attribute like the others
        return found

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> Any:
        alike = type(a) is type(b) and (type(a) is not np.ndarray or (a.shape == b.shape and a.dtype == b.dtype))
        if alike and type(condition) in _FLAGS:
            return a if condition else b
        return np.where(condition, a, b)

    @staticmethod
    def sqrt(x: Any) -> Any:
        if type(x) is np.float64 and x >= 0:
            return np.float64(math.sqrt(x))
        return np.sqrt(x)

    @staticmethod
    def maximum(a: Any, b: Any) -> Any:
        if type(a) is type(b) is np.float64:
            return b if b > a or b != b else a  # NaN wins, as in NumPy
        return np.maximum(a, b)

    @staticmethod
    def minimum(a: Any, b: Any) -> Any:
        if type(a) is type(b) is np.float64:
            return b if b < a or b != b else a
        return np.minimum(a, b)

    @staticmethod
    def abs(x: Any) -> Any:
        return abs(x)

    @staticmethod
    def isfinite(x: Any) -> Any:
        return math.isfinite(x) if isinstance(x, np.floating) else np.isfinite(x)

    @staticmethod
    def astype(x: Any, dtype: Any, *, copy: bool = True) -> Any:
        return x.astype(dtype, copy=copy) if isinstance(x, np.ndarray) else _dtype(dtype).type(x)

    @staticmethod
    def asarray(x: Any, *, dtype: Any = None, copy: bool | None = None) -> Any:
        if type(x) is float and dtype is not None:
            return _dtype(dtype).type(x)
        return np.asarray(x, dtype=dtype, copy=copy)

    @staticmethod
    def sum(x: Any, *, axis: Any = None, **options: Any) -> Any:
        return x.sum(axis=axis, **options)

    @staticmethod
    def zeros_like(x: Any) -> Any:
        return type(x)(0) if isinstance(x, np.generic) else np.zeros_like(x)

    @staticmethod
    def ones_like(x: Any) -> Any:
        return type(x)(1) if isinstance(x, np.generic) else np.ones_like(x)

    @staticmethod
    def finfo(dtype: Any) -> Any:
        return _finfo(dtype)


_dtype = functools.cache(np.dtype)
_finfo = functools.cache(np.finfo)

host_namespace: Any = HostNamespace()
