"""Inputs and references for the checks."""

from __future__ import annotations

import contextlib
from typing import Any

import jax
import numpy as np

from operax._arrays.dtypes import dtype_of
from operax._arrays.namespace import as_numpy
from operax._core.operator import LinearOperator


def precision(op: LinearOperator) -> contextlib.AbstractContextManager[Any]:
    """64-bit JAX for the length of a check, where the operator computes in 64 bit."""
    wide = any(np.dtype(d).name in ("float64", "complex128") for d in (model_dtype(op), data_dtype(op)))
    return jax.enable_x64(True) if wide else contextlib.nullcontext()


def model_dtype(op: LinearOperator) -> np.dtype:
    """The dtype of the inputs that an operator is checked with."""
    return op._model_dtype or op.dtype


def data_dtype(op: LinearOperator) -> np.dtype:
    """The dtype of the results."""
    if op._data_dtype is not None:
        return op._data_dtype
    return dtype_of(op @ np.zeros(op.dims, model_dtype(op)))


def tolerance(op: LinearOperator) -> float:
    """What rounding may do, relative to the size of the result."""
    single = any(np.finfo(d).eps > 1e-10 for d in (model_dtype(op), data_dtype(op)))
    return 2e-4 if single else 1e-9


def _sample(shape: tuple[int, ...], dtype: np.dtype, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if dtype.kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def sample_model(op: LinearOperator, seed: int = 0, batch: tuple[int, ...] = ()) -> np.ndarray:
    """A random model of shape ``(*batch, *dims)``."""
    return _sample((*batch, *op.dims), model_dtype(op), seed)


def sample_data(op: LinearOperator, seed: int = 1, batch: tuple[int, ...] = ()) -> np.ndarray:
    """Random data of shape ``(*batch, *dimsd)``."""
    return _sample((*batch, *op.dimsd), data_dtype(op), seed)


def inner(u: Any, v: Any) -> complex:
    """The inner product ``sum(conj(u) v)``."""
    return complex(np.vdot(as_numpy(u), as_numpy(v)))


def dense_by_columns(op: LinearOperator) -> np.ndarray:
    """The matrix of `op`, one column a time, by unit vectors on NumPy."""
    rows, columns = op.shape
    out = np.zeros((rows, columns), data_dtype(op))
    for j in range(columns):
        unit = np.zeros(columns, model_dtype(op))
        unit[j] = 1
        out[:, j] = np.reshape(op @ unit.reshape(op.dims), -1)
    return out


def close(got: Any, expected: Any, op: LinearOperator, what: str, scale: float = 1.0) -> None:
    """Assert equality to rounding, relative to the largest value, with a message that names operator and check."""
    got, expected = as_numpy(got), as_numpy(expected)
    if got.shape != expected.shape:
        raise AssertionError(f"{what} of {op._label()}: shape {got.shape}, expected {expected.shape}")
    size = max(float(np.max(np.abs(expected), initial=0.0)), 1e-30)
    # NaN must show as an error, so the comparison is for "not within", never for "outside"
    error = float(np.max(np.abs(got - expected), initial=0.0)) / max(size, 1e-3)
    if not error <= scale * tolerance(op):
        raise AssertionError(
            f"{what} of {op._label()}: relative error {error:.1e}, allowed {scale * tolerance(op):.0e}"
        )
