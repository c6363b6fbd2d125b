"""Sliding windows and patches: values against loops, coverage of the data, designs."""

import numpy as np
import pytest

from operax import signalprocessing as sp
from operax.basicoperators import Identity, MatrixMult
from operax.utils.tapers import taper

RNG = np.random.default_rng(0)


def by_loop(A, x, n, win, over, tapertype):
    """Windows one after the other along the first axis of data of shape `n`."""
    step = win - over
    count = (n[0] - win) // step + 1
    y = np.zeros(n)
    for i, part in enumerate(np.reshape(x, (count, -1))):
        w = taper(win, over, tapertype) if tapertype else np.ones(win)
        if i == 0:
            w[:over] = 1
        if i == count - 1:
            w[win - over :] = 1
        y[i * step : i * step + win] += w.reshape(-1, *(1,) * (len(n) - 1)) * (A @ part).reshape(win, *n[1:])
    return y


@pytest.mark.parametrize("tapertype", ["hanning", "cosine", "cosinesquare", None])
def test_sliding2d_is_a_loop_over_windows(tapertype):
    A, x = RNG.standard_normal((8, 3)), RNG.standard_normal(9)
    Op = sp.Sliding2D(MatrixMult(A), (3, 3), (8, 2), 4, 2, tapertype=tapertype)
    np.testing.assert_allclose(Op @ x, by_loop(A, x, (8, 2), 4, 2, tapertype).ravel(), atol=1e-12)


def test_sliding1d_of_an_adjoint_transform():
    Op = sp.Sliding1D(sp.FFT(4, real=True, dtype="float64").H, 9, 8, 4, 2, tapertype=None)
    x = RNG.standard_normal(9) + 0j
    expected = np.zeros(8)
    for i in range(3):
        expected[2 * i : 2 * i + 4] += sp.FFT(4, real=True).H @ x[3 * i : 3 * i + 3]
    np.testing.assert_allclose(Op @ x, expected, atol=1e-12)


def test_patch3d_places_patches():
    A = RNG.standard_normal((8, 1))
    Op = sp.Patch3D(MatrixMult(A), (2, 2, 1), (3, 3, 2), (2, 2, 2), (1, 1, 0), (1, 1, 1), tapertype=None)
    x = RNG.standard_normal((2, 2))
    expected = np.zeros((3, 3, 2))
    for i in range(2):
        for j in range(2):
            expected[i : i + 2, j : j + 2] += x[i, j] * A.reshape(2, 2, 2)
    np.testing.assert_allclose(Op @ x.ravel(), expected.ravel(), atol=1e-12)


def test_all_windows_at_once_equal_one_by_one():
    A = RNG.standard_normal((4, 3))
    one = sp.Sliding1D(MatrixMult(A), 9, 8, 4, 2)
    everything = sp.Sliding1D(MatrixMult(np.kron(np.eye(3), A)), 9, 8, 4, 2)
    assert everything.simOp and not one.simOp
    np.testing.assert_allclose(one.todense(), everything.todense(), atol=1e-12)


@pytest.mark.parametrize("tapertype", ["hanning", "cosinesquare"])
def test_tapers_of_half_overlap_add_to_one(tapertype):
    # the sum over windows of Identity is multiplication with the sum of the tapers
    Op = sp.Sliding1D(Identity(9), 27, 19, 9, 4, tapertype=tapertype)
    total = (Op @ np.ones(27)).ravel()
    np.testing.assert_allclose(total[[0, 1, 8, 18]], 1.0)


def test_windows_that_miss_the_last_sample_raise():
    with pytest.raises(ValueError, match=r"last 1 would be dropped.*Pad the axis to 12"):
        sp.Sliding1D(Identity(4), 16, 11, 4, 2)
    with pytest.raises(ValueError, match="along axis 1"):
        sp.Patch2D(Identity(12), (16, 9), (10, 8), (4, 3), (2, 1), (4, 3))


def test_design_warns_of_what_it_misses():
    with pytest.warns(UserWarning, match="would be dropped"):
        nwins, dim, model, data = sp.sliding1d_design(11, 4, 2, 3)
    assert (nwins, dim) == (4, 12)
    np.testing.assert_array_equal(model[0], [0, 3, 6, 9])
    np.testing.assert_array_equal(data[1], [4, 6, 8, 10])


def test_wrong_shapes_say_what_fits():
    with pytest.raises(ValueError, match=r"must hold|does not hold"):
        sp.Sliding1D(Identity(4), 17, 10, 4, 2)
    with pytest.raises(ValueError, match="it must take the 4 of a window"):
        sp.Sliding1D(Identity(5), 16, 10, 4, 2)
    with pytest.raises(ValueError, match="nover=4"):
        sp.Sliding1D(Identity(4), 16, 10, 4, 4)
    with pytest.raises(TypeError, match="Op must be a LinearOperator"):
        sp.Sliding1D(np.eye(4), 16, 10, 4, 2)
