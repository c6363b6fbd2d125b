"""Matrices of simple maps, made with loops and Kronecker products only: what operators are checked against."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np


def along(matrix: np.ndarray, dims: Sequence[int], axis: int) -> np.ndarray:
    """The matrix that applies `matrix` along one axis of an array of shape `dims`."""
    axis = axis % len(dims)
    before, after = math.prod(dims[:axis]), math.prod(dims[axis + 1 :])
    return np.kron(np.kron(np.eye(before), matrix), np.eye(after))


def by_columns(function: Callable[[np.ndarray], np.ndarray], dims: Sequence[int], dtype: str = "float64") -> np.ndarray:
    """The matrix of a NumPy function of arrays of shape `dims`, column by column."""
    columns = []
    for j in range(math.prod(dims)):
        unit = np.zeros(math.prod(dims), dtype)
        unit[j] = 1
        columns.append(np.reshape(function(unit.reshape(dims)), -1))
    return np.stack(columns, axis=1)


def banded(n: int, taps: dict[int, float], before: int, after: int, edges: dict[int, dict[int, float]]) -> np.ndarray:
    """Rows with `taps` (weight by offset) but for the first and last ones, which are as `edges` says, or zero."""
    matrix = np.zeros((n, n))
    for i in range(before, n - after):
        for offset, weight in taps.items():
            matrix[i, i + offset] = weight
    for row, special in edges.items():
        row = row % n
        matrix[row] = 0
        for offset, weight in special.items():
            matrix[row, row + offset] = weight
    return matrix


def first_difference(n: int, kind: str = "centered", edge: bool = False, order: int = 3) -> np.ndarray:
    """First differences on samples of distance 1."""
    if kind == "forward":
        return banded(n, {0: -1, 1: 1}, 0, 1, {})
    if kind == "backward":
        return banded(n, {-1: -1, 0: 1}, 1, 0, {})
    ends = {0: {0: -1.0, 1: 1.0}, -1: {-1: -1.0, 0: 1.0}} if edge else {}
    if order == 3:
        return banded(n, {-1: -0.5, 1: 0.5}, 1, 1, ends)
    seconds = {1: {-1: -0.5, 1: 0.5}, -2: {-1: -0.5, 1: 0.5}} if edge else {}
    return banded(n, {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}, 2, 2, {**seconds, **ends})


def second_difference(n: int, kind: str = "centered", edge: bool = False) -> np.ndarray:
    """Second differences on samples of distance 1."""
    right, left = {0: 1.0, 1: -2.0, 2: 1.0}, {-2: 1.0, -1: -2.0, 0: 1.0}
    if kind == "forward":
        return banded(n, right, 0, 2, {})
    if kind == "backward":
        return banded(n, left, 2, 0, {})
    return banded(n, {-1: 1, 0: -2, 1: 1}, 1, 1, {0: right, -1: left} if edge else {})


def numbers(shape: Sequence[int] | int, dtype: str, seed: int = 0) -> np.ndarray:
    """Random numbers, complex where `dtype` is."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)
