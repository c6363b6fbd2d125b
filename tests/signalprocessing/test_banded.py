"""Products with a banded matrix in blocks, against the matrix written out."""

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from operax._arrays.banded import banded

LIBRARIES = {"numpy": np.asarray, "jax": jnp.asarray, "strict": array_api_strict.asarray}


def dense(rows: np.ndarray, before: int, n: int) -> np.ndarray:
    matrix = np.zeros((n, n), rows.dtype)
    for t in range(n):
        for s, value in enumerate(rows[t % len(rows)]):
            if 0 <= t - before + s < n:
                matrix[t, t - before + s] = value
    return matrix


def numbers(shape, seed=0, dtype="float64"):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape)
    return (values + 1j * rng.normal(size=shape) if dtype == "complex128" else values).astype(dtype)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("equal", [True, False], ids=["equal rows", "rows that differ"])
@pytest.mark.parametrize("n, taps", [(1, 1), (1, 3), (7, 20), (64, 5), (65, 33), (200, 65), (300, 130), (1500, 40)])
@pytest.mark.parametrize("place", ["centre", "start", "end"])
def test_banded_along_the_last_axis(library, equal, n, taps, place):
    rows = numbers((1 if equal else n, taps))
    before = {"centre": taps // 2, "start": 0, "end": taps - 1}[place]
    x = numbers((2, n), 1)
    to = LIBRARIES[library]
    y = np.asarray(banded(to(x), to(rows), before, -1))
    assert y.shape == x.shape
    np.testing.assert_allclose(y, x @ dense(rows, before, n).T, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("equal", [True, False], ids=["equal rows", "rows that differ"])
@pytest.mark.parametrize(
    "shape, axis", [((150,), 0), ((150, 3), 0), ((150, 40), -2), ((2, 150, 40), 1), ((40, 150), 1)]
)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_banded_along_any_axis(library, equal, shape, axis, dtype):
    rows = numbers((1 if equal else 150, 9), dtype=dtype)
    x, to = numbers(shape, 1, dtype), LIBRARIES[library]
    expected = np.moveaxis(np.moveaxis(x, axis, -1) @ dense(rows, 6, 150).T, -1, axis)
    np.testing.assert_allclose(np.asarray(banded(to(x), to(rows), 6, axis)), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("library", ["numpy", "jax"])
def test_real_data_meet_complex_rows_and_single_precision_stays(library):
    to = LIBRARIES[library]
    rows, x = numbers((1, 5), dtype="complex128"), numbers((3, 90), 1)
    np.testing.assert_allclose(banded(to(x), to(rows), 2, -1), x @ dense(rows, 2, 90).T, atol=1e-10)
    single = banded(to(x.astype("float32")), to(numbers((1, 5), dtype="float32")), 2, -1)
    assert single.dtype == np.float32


def test_read_only_and_fortran_ordered_data_are_taken_and_left_alone():
    x = np.asfortranarray(numbers((90, 40)))
    x.flags.writeable = False
    rows, before = numbers((1, 5)), x.copy()
    np.testing.assert_allclose(banded(x, rows, 2, 0), dense(rows, 2, 90) @ x, atol=1e-10)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("equal", [True, False])
def test_derivatives_in_rows_and_data_are_those_of_the_matrix(equal):
    rows, x = numbers((1 if equal else 70, 4)), numbers((2, 70), 1)
    weight = numbers((2, 70), 2)
    g_rows, g_x = jax.grad(lambda r, v: jnp.sum(weight * banded(v, r, 1, -1)), argnums=(0, 1))(
        jnp.asarray(rows), jnp.asarray(x)
    )
    np.testing.assert_allclose(g_x, weight @ dense(rows, 1, 70), atol=1e-10)
    expected = np.zeros_like(rows)
    for t in range(70):
        for s in range(4):
            if 0 <= t - 1 + s < 70:
                expected[t % len(rows), s] += weight[:, t] @ x[:, t - 1 + s]
    np.testing.assert_allclose(g_rows, expected, atol=1e-10)
