"""Small problems with known solutions for the tests of solvers."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

LIBRARIES = {"numpy": np.asarray, "jax": jnp.asarray}


def tall(seed: int = 0, rows: int = 9, columns: int = 6, kind: str = "float64") -> tuple[np.ndarray, np.ndarray]:
    """A matrix of full column rank and data that it does not fit."""
    rng = np.random.default_rng(seed)
    matrix, data = rng.normal(size=(rows, columns)), rng.normal(size=rows)
    if np.dtype(kind).kind == "c":
        matrix = matrix + 1j * rng.normal(size=(rows, columns))
        data = data + 1j * rng.normal(size=rows)
    return matrix.astype(kind), data.astype(kind)


def definite(seed: int = 1, size: int = 6, kind: str = "float64") -> tuple[np.ndarray, np.ndarray]:
    """A Hermitian positive definite matrix and data."""
    matrix, data = tall(seed, size + 3, size, kind)
    return (matrix.conj().T @ matrix + np.eye(size)).astype(kind), data[:size]


def difference(f, x: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """Central differences of a real function of a real array."""
    x = np.asarray(x, dtype=float)
    out = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        out[i] = (float(f(jnp.asarray(up))) - float(f(jnp.asarray(down)))) / (2 * h)
    return out
