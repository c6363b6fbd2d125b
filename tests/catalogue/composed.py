"""Rows of operators made of operators: the algebra goes through every concern as single operators do."""

import numpy as np

import operax
from catalogue._row import Row

DTYPES = ("float64", "complex128", "float32")


def dense(rows, columns, dtype, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((rows, columns))
    if np.dtype(dtype).kind == "c":
        matrix = matrix + 1j * rng.standard_normal((rows, columns))
    return matrix.astype(dtype)


def diagonal(dtype, seed=9):
    return dense(1, 6, dtype, seed)[0]


def matrix(dtype, seed=0, rows=4):
    return operax.MatrixMult(dense(rows, 6, dtype, seed), dtype=dtype)


def scale(dtype):
    return operax.Diagonal(diagonal(dtype), dtype=dtype)


def _second(dtype):
    return operax.SecondDerivative(6, edge=True, dtype=dtype)


# at the ends the stencil is one of three neighbours as well
SECOND = np.eye(6) * -2 + np.eye(6, k=1) + np.eye(6, k=-1)
SECOND[0, :3] = SECOND[5, 3:] = (1, -2, 1)

ROWS = [
    Row("Product", lambda t: matrix(t) @ scale(t), lambda t: dense(4, 6, t, 0) * diagonal(t), DTYPES),
    Row(
        "Product of three, gridded",
        lambda t: matrix(t) @ operax.Roll((2, 3), axis=-1, dtype=t) @ operax.Flip((2, 3), axis=0, dtype=t),
        lambda t: (
            dense(4, 6, t, 0) @ np.stack([np.roll(np.flip(e.reshape(2, 3), 0), 1, -1).ravel() for e in np.eye(6)]).T
        ),
    ),
    Row("Sum", lambda t: matrix(t, 0) + matrix(t, 1), lambda t: dense(4, 6, t, 0) + dense(4, 6, t, 1)),
    Row("Difference", lambda t: matrix(t, 0) - matrix(t, 1), lambda t: dense(4, 6, t, 0) - dense(4, 6, t, 1)),
    Row("Scaled real", lambda t: 2.5 * matrix(t), lambda t: np.asarray(2.5, t) * dense(4, 6, t, 0)),
    Row("Scaled complex", lambda t: (1 - 2j) * matrix(t), lambda t: (1 - 2j) * dense(4, 6, t, 0), ("complex128",)),
    Row("Scaled by an array", lambda t: np.asarray(-1.5) * matrix(t), lambda t: -1.5 * dense(4, 6, t, 0)),
    Row("Adjoint", lambda t: matrix(t).H, lambda t: dense(4, 6, t, 0).conj().T),
    Row("Transposed", lambda t: matrix(t).T, lambda t: dense(4, 6, t, 0).T),
    Row("Conjugate", lambda t: matrix(t).conj(), lambda t: dense(4, 6, t, 0).conj()),
    Row("Normal operator", lambda t: matrix(t).H @ matrix(t), lambda t: dense(4, 6, t, 0).conj().T @ dense(4, 6, t, 0)),
    Row("Power", lambda t: matrix(t, rows=6) ** 2, lambda t: dense(6, 6, t, 0) @ dense(6, 6, t, 0)),
    Row(
        "Stencil, weights, stencil",
        lambda t: _second(t) @ operax.Diagonal(diagonal(t), dtype=t) @ _second(t),
        lambda t: SECOND @ np.diag(diagonal(t)) @ SECOND,
        DTYPES,
    ),
    Row("Columns", lambda t: matrix(t).apply_columns([4, 0, 5]), lambda t: dense(4, 6, t, 0)[:, [4, 0, 5]]),
    # a real part has no complex matrix; its values are checked in core/test_composition.py
    Row("Real part", lambda t: matrix(t).toreal(), None, ("complex128",)),
    Row(
        "Stack with damping",
        lambda t: operax.VStack([matrix(t), 0.1 * scale(t)], dtype=t),
        lambda t: np.vstack([dense(4, 6, t, 0), 0.1 * np.diag(diagonal(t))]),
    ),
]
