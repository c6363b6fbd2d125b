"""What one row of the catalogue says of one operator configuration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from operax import LinearOperator


@dataclass(frozen=True)
class Row:
    """One operator configuration, checked in full by every test file of a concern.

    Parameters
    ----------
    name
        Shown in the test's id and on the coverage page: the class and what is special, e.g. ``"Sum axis=0"``.
    build
        ``build(dtype)`` makes the operator with parameters and explicit dtype in that precision.
    matrix
        ``matrix(dtype)`` makes its dense matrix (C order) independently: with NumPy, SciPy or loops, never with operax.
        None only where another test file of the family checks the values (say which in a comment).
    dtypes
        The dtypes it is checked with.
    """

    name: str
    build: Callable[[str], LinearOperator]
    matrix: Callable[[str], np.ndarray] | None = None
    dtypes: tuple[str, ...] = ("float64", "complex128")

    def __str__(self) -> str:
        return self.name
