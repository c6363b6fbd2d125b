"""Basic operators against PyLops, at all sizes.

Goals hold at a million elements. An operator that only moves or returns values has none under JAX: PyLops returns a
view or the input itself there, and JAX writes a new array, which costs what ``2 * x`` costs (see `cases_core`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import SIZES, Case, random, same_api_cases

GOAL_SIZE = 10**6
NUMPY = {"numpy/pylops": 1.1}
COMPUTES = {**NUMPY, "jax/pylops": 1.1, "jax/pylops jax": 0.35}
BLAS = {"numpy/pylops": 1.1, "jax/pylops": 1.1}

Build = Callable[[Any, tuple[int, int]], Any]


def _weights(dims: tuple[int, ...]) -> np.ndarray:
    return random(dims, "float32")


def _every_third(n: int) -> np.ndarray:
    return np.arange(0, n, 3)


def _sparse(n: int, m: int) -> Any:
    import scipy.sparse

    band = np.ones(min(n, m), "float32")
    return scipy.sparse.diags([band, 0.5 * band, 0.25 * band], [0, 1, 7], shape=(n, m), format="csr", dtype="float32")


def _diagonals(lib: Any, dims: tuple[int, int], count: int) -> list[Any]:
    return [lib.Diagonal(_weights(dims).ravel() + k, dtype="float32") for k in range(count)]


OPERATORS: dict[str, tuple[dict[str, float], Build]] = {
    "Diagonal": (COMPUTES, lambda lib, d: lib.Diagonal(_weights(d), dtype="float32")),
    "Diagonal along axis 0": (COMPUTES, lambda lib, d: lib.Diagonal(_weights(d[:1]), dims=d, axis=0, dtype="float32")),
    "MatrixMult on columns": (
        BLAS,
        lambda lib, d: lib.MatrixMult(random((200, d[0]), "float32"), otherdims=(d[1],), dtype="float32"),
    ),
    "MatrixMult sparse": (
        COMPUTES,
        lambda lib, d: lib.MatrixMult(_sparse(d[0] * d[1], d[0] * d[1]), dtype="float32"),
    ),
    "Identity": (NUMPY, lambda lib, d: lib.Identity(d[0] * d[1], dtype="float32")),
    "Identity to fewer": (NUMPY, lambda lib, d: lib.Identity(d[0] * d[1] // 2, d[0] * d[1], dtype="float32")),
    "Zero": (NUMPY, lambda lib, d: lib.Zero(d[0] * d[1], dtype="float32")),
    "Restriction axis=0": (COMPUTES, lambda lib, d: lib.Restriction(d, _every_third(d[0]), axis=0, dtype="float32")),
    "Restriction axis=1": (COMPUTES, lambda lib, d: lib.Restriction(d, _every_third(d[1]), axis=1, dtype="float32")),
    "Pad": (NUMPY, lambda lib, d: lib.Pad(d, ((3, 4), (5, 6)), dtype="float32")),
    "Sum axis=0": (COMPUTES, lambda lib, d: lib.Sum(d, axis=0, dtype="float32")),
    "Sum axis=1": (COMPUTES, lambda lib, d: lib.Sum(d, axis=1, dtype="float32")),
    "Flip": (NUMPY, lambda lib, d: lib.Flip(d, axis=1, dtype="float32")),
    "Roll": (NUMPY, lambda lib, d: lib.Roll(d, axis=0, shift=7, dtype="float32")),
    "Transpose": (NUMPY, lambda lib, d: lib.Transpose(d, axes=(1, 0), dtype="float32")),
    "Symmetrize": (NUMPY, lambda lib, d: lib.Symmetrize(d, axis=0, dtype="float32")),
    "CausalIntegration axis=0": (COMPUTES, lambda lib, d: lib.CausalIntegration(d, axis=0, dtype="float32")),
    "CausalIntegration axis=1": (COMPUTES, lambda lib, d: lib.CausalIntegration(d, axis=1, dtype="float32")),
    "Smoothing2D": (COMPUTES, lambda lib, d: lib.Smoothing2D((5, 5), d, dtype="float32")),
    "Smoothing1D": (COMPUTES, lambda lib, d: lib.Smoothing1D(5, d, axis=0, dtype="float32")),
    "FirstDirectionalDerivative": (
        COMPUTES,
        lambda lib, d: lib.FirstDirectionalDerivative(d, np.array([0.6, 0.8]), dtype="float32"),
    ),
    "SecondDirectionalDerivative": (
        COMPUTES,
        lambda lib, d: lib.SecondDirectionalDerivative(d, np.array([0.6, 0.8]), dtype="float32"),
    ),
    "VStack of Diagonals": (COMPUTES, lambda lib, d: lib.VStack(_diagonals(lib, d, 3), dtype="float32")),
    "HStack of Diagonals": (
        COMPUTES,
        lambda lib, d: lib.HStack(_diagonals(lib, (d[0], d[1] // 2), 2), dtype="float32"),
    ),
    "BlockDiag of Diagonals": (
        COMPUTES,
        lambda lib, d: lib.BlockDiag(_diagonals(lib, (d[0], d[1] // 2), 2), dtype="float32"),
    ),
    "Block of Diagonals": (
        COMPUTES,
        lambda lib, d: lib.Block([_diagonals(lib, (d[0], d[1] // 2), 2)] * 2, dtype="float32"),
    ),
    "Kronecker": (
        BLAS,
        lambda lib, d: lib.Kronecker(
            lib.MatrixMult(random((50, d[0]), "float32"), dtype="float32"),
            lib.MatrixMult(random((50, d[1]), "float32"), dtype="float32"),
            dtype="float32",
        ),
    ),
    "LinearRegression": (
        COMPUTES,
        lambda lib, d: lib.LinearRegression(np.linspace(0, 1, d[0] * d[1], dtype="float32"), dtype="float32"),
    ),
    "Regression": (
        COMPUTES,
        lambda lib, d: lib.Regression(np.linspace(0, 1, d[0] * d[1], dtype="float32"), order=3, dtype="float32"),
    ),
}

CASES: list[Case] = []
for _size in SIZES:
    _side = round(_size**0.5)
    for _label, (_goals, _make) in OPERATORS.items():
        if _size > GOAL_SIZE and _label in ("Kronecker", "MatrixMult on columns", "MatrixMult sparse"):
            continue  # minutes of one BLAS call on either side
        CASES += same_api_cases(
            _label,
            (_side, _side),
            lambda lib, make=_make, side=_side: make(lib, (side, side)),
            goals=_goals if _size == GOAL_SIZE else None,
        )
