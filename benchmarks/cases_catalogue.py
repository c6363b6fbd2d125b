"""Every operator of the tests' catalogue on small arrays: what its eager call costs over a bare jitted function."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, SetUp, Work

_TESTS = Path(__file__).parents[1] / "tests"


def _rows() -> list[Any]:
    if not (_TESTS / "catalogue").is_dir():
        return []
    sys.path.insert(0, str(_TESTS))
    try:
        from catalogue import CATALOGUE
    finally:
        sys.path.remove(str(_TESTS))
    return list(CATALOGUE)


def _model(op: Any, row: Any) -> np.ndarray:
    rng = np.random.default_rng(0)
    dtype = op._model_dtype if op._model_dtype is not None else op.dtype
    x = rng.standard_normal(op.dims)
    return (x + 1j * rng.standard_normal(op.dims) if dtype.kind == "c" else x).astype(dtype)


def _eager(row: Any, library: str) -> SetUp:
    def setup() -> Work:
        import jax.numpy as jnp

        op = row.build(row.dtypes[0]).to(library)
        x: Any = _model(op, row)
        x = jnp.asarray(x) if library == "jax" else x
        return lambda: op @ x

    return setup


def _bare(row: Any) -> SetUp:
    def setup() -> Work:
        import jax
        import jax.numpy as jnp

        op = row.build(row.dtypes[0]).to("jax")
        leaves, structure = jax.tree.flatten(op)
        bare = jax.jit(lambda x, *leaves: jax.tree.unflatten(structure, leaves)._run(x))
        x = jnp.asarray(_model(op, row))
        return lambda: bare(x, *leaves)

    return setup


def _dense(row: Any) -> SetUp:
    def setup() -> Work:
        A = np.asarray(row.matrix(row.dtypes[0]))
        x = _model(row.build(row.dtypes[0]), row).ravel()
        return lambda: A @ x

    return setup


def _case(row: Any) -> Case:
    return Case(
        f"catalogue: {row.name}",
        0,  # a few elements; known only once it is built, which is left to its run
        ours={"jax": _eager(row, "jax"), "numpy": _eager(row, "numpy")},
        peers={"bare jit": _bare(row), **({"dense numpy": _dense(row)} if row.matrix is not None else {})},
        goals={"jax/bare jit": 1.3},
        same=1e-6,
    )


CASES = [_case(row) for row in _rows()]
