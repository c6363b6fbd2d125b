"""Options of `eigs` reach SciPy, also for operators that hold their matrix."""

import numpy as np
import pytest

import operax


def test_smallest_eigenvalues_of_an_explicit_operator():
    B = np.random.default_rng(0).standard_normal((40, 40))
    B = B @ B.T + np.eye(40)
    expected = np.linalg.eigvalsh(B)
    op = operax.MatrixMult(B)
    np.testing.assert_allclose(op.eigs(2, which="SM").real, expected[1::-1], rtol=1e-6)
    np.testing.assert_allclose(op.eigs(2, symmetric=True, which="SM"), expected[1::-1], rtol=1e-6)
    np.testing.assert_allclose(op.eigs(2, symmetric=True), expected[:-3:-1], rtol=1e-10)


def test_unknown_options_raise():
    with pytest.raises(TypeError, match="foo"):
        operax.MatrixMult(np.eye(8)).eigs(2, foo=3)
