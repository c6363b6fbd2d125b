"""Forward and adjoint on NumPy: the matrix, linearity, shapes, dtypes."""

from __future__ import annotations

import numpy as np

from operax._arrays.dtypes import dtype_of, promote
from operax._core.operator import LinearOperator
from operax.testing._samples import close, dense_by_columns, model_dtype, sample_data, sample_model


def check_forward(op: LinearOperator, matrix: np.ndarray | None = None) -> None:
    """The forward equals a product with `matrix`, for every accepted shape of the input."""
    dense = dense_by_columns(op) if matrix is None else np.asarray(matrix)
    if matrix is not None:
        close(dense_by_columns(op), dense, op, "matrix by columns")
    rows, columns = op.shape
    if op.clinear or model_dtype(op).kind != "c":
        x = sample_model(op)
        expected = dense @ x.reshape(-1)
        close(np.reshape(op @ x, -1), expected, op, "forward of an n-dimensional model")
        flat = op @ x.reshape(-1)
        if len(op.dims) > 1 and flat.shape != (rows,):
            raise AssertionError(f"a flat input of {op._label()} gave shape {flat.shape}, expected {(rows,)}")
        close(np.reshape(flat, -1), expected, op, "forward of a flat model")
        batch = sample_model(op, 2, (3,))
        many = dense @ batch.reshape(3, columns).T
        close(op @ batch.reshape(3, columns).T, many, op, "forward of columns")
        if len(op.dims) > 1:
            close(op @ np.moveaxis(batch, 0, -1), many.reshape(*op.dimsd, 3), op, "forward of a trailing batch")
    batch = sample_model(op, 3, (2, 3))
    each = np.stack([[np.reshape(op @ batch[i, j], op.dimsd) for j in range(3)] for i in range(2)])
    close(op.batched(batch), each, op, "forward with two leading batch axes")


def check_adjoint(op: LinearOperator, matrix: np.ndarray | None = None) -> None:
    """Adjoint, transpose and conjugate equal those of the matrix; batches agree with single inputs."""
    y = sample_data(op)
    if op.clinear and data_dtype_can_be_matrix(op):
        dense = dense_by_columns(op) if matrix is None else np.asarray(matrix)
        close(np.reshape(op.H @ y, -1), dense.conj().T @ y.reshape(-1), op, "adjoint")
        close(np.reshape(op.T @ y, -1), dense.T @ y.reshape(-1), op, "transpose")
        x = sample_model(op)
        close(np.reshape(op.conj() @ x, -1), dense.conj() @ x.reshape(-1), op, "conjugate")
        close(np.reshape(op.H.H @ x, -1), dense @ x.reshape(-1), op, "adjoint of the adjoint")
    batch = sample_data(op, 3, (2, 3))
    each = np.stack([[np.reshape(op.H @ batch[i, j], op.dims) for j in range(3)] for i in range(2)])
    close(op.H.batched(batch), each, op, "adjoint with two leading batch axes")


def data_dtype_can_be_matrix(op: LinearOperator) -> bool:
    """Whether both sides are of one kind, so that the adjoint is the matrix adjoint without a real part."""
    return not (model_dtype(op).kind != "c" and dtype_of(op @ np.zeros(op.dims, model_dtype(op))).kind == "c")


def check_linearity(op: LinearOperator) -> None:
    """``A(a x + b z) = a A x + b A z`` with complex factors where the operator is complex-linear."""
    x, z = sample_model(op, 4), sample_model(op, 5)
    a, b = (1.7, -0.3) if model_dtype(op).kind != "c" or not op.clinear else (1.7 - 0.4j, -0.3 + 2j)
    dtype = model_dtype(op)
    got = op @ (a * x + b * z).astype(dtype)
    close(got, a * (op @ x) + b * (op @ z), op, "linearity")
    close(op @ np.zeros(op.dims, dtype), np.zeros(op.dimsd), op, "forward of zero")


def check_complex_input(op: LinearOperator) -> None:
    """Complex data keep their imaginary part in operators that are linear over the complex numbers."""
    if not op.clinear:
        return
    x = sample_model(op, 6)
    if x.dtype.kind == "c":
        return
    z = sample_model(op, 7)
    close(op @ (x + 1j * z), (op @ x) + 1j * (op @ z), op, "complex input")


def check_dtype(op: LinearOperator) -> None:
    """Results have the promoted dtype of operator and input, and never lose or gain precision silently."""
    x = sample_model(op)
    y = op @ x
    if op._dtype is not None and op._data_dtype == op._model_dtype and op.clinear:
        expected = promote(op._dtype, x.dtype)
        if dtype_of(y) != expected:
            raise AssertionError(f"{op._label()} of dtype {op.dtype} gave {y.dtype} for {x.dtype}, expected {expected}")
    if np.finfo(y.dtype).eps != np.finfo(promote(op.dtype, x.dtype)).eps:
        raise AssertionError(f"{op._label()} of dtype {op.dtype} gave {y.dtype} for {x.dtype}: the precision changed")
    back = op.H @ sample_data(op)
    if np.finfo(back.dtype).eps != np.finfo(x.dtype).eps:
        raise AssertionError(f"the adjoint of {op._label()} gave {back.dtype} for a model of {x.dtype}")
    nothing = complex(np.nan, np.nan) if x.dtype.kind == "c" else np.nan
    if np.isnan(op @ np.full(op.dims, nothing, x.dtype)).any() != np.any(np.abs(y) > 0):
        raise AssertionError(f"NaN in the input of {op._label()} does not show in its output")
