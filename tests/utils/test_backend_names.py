"""The functions that name libraries, move arrays, and say what is missing."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.sparse
from numpy.lib.stride_tricks import sliding_window_view

import operax
from operax.utils import backend, deps

rng = np.random.default_rng(0)
X, H = rng.standard_normal((6, 5)), rng.standard_normal((3, 2))


def test_modules():
    assert backend.get_module() is np
    assert backend.get_module("jax") is jnp
    assert backend.get_module_name(np) == "numpy"
    assert backend.get_module_name(jnp) == "jax"
    assert backend.get_array_module(X) is np
    assert backend.get_array_module(jnp.ones(1)) is jnp
    assert backend.get_normalize_axis_index()(-1, 3) == 2
    with pytest.raises(ValueError, match="backend='torch'"):
        backend.get_module("torch")
    with pytest.raises(ValueError, match="scipy"):
        backend.get_module_name(scipy)


@pytest.mark.parametrize("xp", [np, jnp])
def test_functions_agree_with_scipy(xp):
    x, h = xp.asarray(X), xp.asarray(H)
    for name in ("convolve", "fftconvolve", "oaconvolve", "correlate"):
        found = getattr(backend, f"get_{name}")(x)(x, h, mode="full")
        np.testing.assert_allclose(found, getattr(scipy.signal, name)(X, H, mode="full"), atol=1e-12)
    np.testing.assert_allclose(backend.get_toeplitz(x)(x[0]), scipy.linalg.toeplitz(X[0]))
    np.testing.assert_allclose(backend.get_block_diag(x)(x, h), scipy.linalg.block_diag(X, H))
    np.testing.assert_allclose(backend.get_lstsq(x)(x, x[:, 0])[0], np.eye(5)[0], atol=1e-10)
    np.testing.assert_allclose(backend.get_sp_fft(x).fft(x), np.fft.fft(X), atol=1e-12)
    np.testing.assert_allclose(backend.get_sliding_window_view(x)(x, (2, 3)), sliding_window_view(X, (2, 3)))
    np.testing.assert_allclose(backend.get_sliding_window_view(x)(x, 2, axis=1), sliding_window_view(X, 2, axis=1))
    np.testing.assert_allclose(
        backend.get_gaussian_filter(x)(x, (1.0, 0.7)), scipy.ndimage.gaussian_filter(X, (1.0, 0.7)), atol=1e-12
    )


@pytest.mark.parametrize("xp", [np, jnp])
def test_sparse(xp):
    x = xp.asarray(np.where(X > 0, X, 0))
    for name in ("csr", "csc", "dia"):
        A = getattr(backend, f"get_{name}_matrix")(x)(x)
        np.testing.assert_allclose(backend.to_numpy(A).toarray(), x)
    assert backend.get_sparse_eye(x)(3).todense().shape == (3, 3)


def test_writing():
    y = np.ones(4)
    assert backend.inplace_set(np.zeros(2), y, slice(0, 2)) is y
    np.testing.assert_array_equal(y, [0, 0, 1, 1])
    np.testing.assert_array_equal(backend.inplace_add(np.ones(2), y, np.array([0, 0])), [1, 0, 1, 1])
    np.testing.assert_array_equal(backend.inplace_add(np.ones(2), y, np.array([0, 0]), accumulate=True), [3, 0, 1, 1])
    np.testing.assert_array_equal(backend.inplace_multiply(2.0, y, slice(0, 1)), [6, 0, 1, 1])
    np.testing.assert_array_equal(backend.inplace_divide(3.0, y, slice(0, 1)), [2, 0, 1, 1])
    z = jnp.ones(4)
    for function, expected in (
        (backend.inplace_set, [5, 1, 1, 1]),
        (backend.inplace_add, [6, 1, 1, 1]),
        (backend.inplace_multiply, [5, 1, 1, 1]),
        (backend.inplace_divide, [0.2, 1, 1, 1]),
    ):
        np.testing.assert_allclose(function(5.0, z, slice(0, 1)), expected)
    np.testing.assert_array_equal(backend.get_add_at(z)(z, jnp.array([0, 0]), 1.0), [3, 1, 1, 1])


def test_moves():
    assert isinstance(backend.to_numpy(jnp.ones(2)), np.ndarray)
    assert isinstance(backend.to_numpy_conditional(X, jnp.ones(2)), np.ndarray)
    assert isinstance(backend.to_numpy_conditional(jnp.ones(2), jnp.ones(2)), jax.Array)
    assert backend.to_cupy_conditional(X, X) is X
    assert isinstance(backend.randn(2, 3, backend="jax"), jax.Array)
    np.testing.assert_array_equal(backend.randn(2, 3, rng=1), backend.randn(2, 3, rng=1))
    assert backend.get_complex_dtype("float32") == np.complex64
    assert backend.get_real_dtype(np.complex128) == np.float64


def test_missing_dependencies_say_how_to_get_them(monkeypatch):
    assert deps.jax_import() is None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    text = deps.skfmm_import("travel times")
    assert "travel times" in text
    assert "pip install scikit-fmm" in text
    for name in deps.__all__:
        assert "pip install" in getattr(deps, name)()


def test_broken_dependencies_say_why(monkeypatch):
    def broken(name):
        raise ImportError("no libcuda")

    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr("importlib.import_module", broken)
    assert "no libcuda" in deps.cupy_import()


def test_switch_holds_in_its_block():
    Op, x = operax.Identity((2, 3)), np.ones((2, 3))
    assert operax.get_ndarray_multiplication()
    with operax.disabled_ndarray_multiplication():
        with pytest.raises(ValueError, match="disabled"):
            Op @ x
        with operax.enabled_ndarray_multiplication():
            assert (Op @ x).shape == (2, 3)
        assert not operax.get_ndarray_multiplication()
    with operax.set_ndarray_multiplication(False), pytest.raises(ValueError, match="disabled"):
        Op @ jnp.asarray(x)
    assert (Op @ jnp.asarray(x)).shape == (2, 3)
    with pytest.raises(TypeError, match="val=0"):
        operax.set_ndarray_multiplication(0)


def test_switch_of_one_thread_does_not_reach_another():
    import threading

    seen = []
    with operax.disabled_ndarray_multiplication():
        thread = threading.Thread(target=lambda: seen.append(operax.get_ndarray_multiplication()))
        thread.start()
        thread.join()
    assert seen == [True]
