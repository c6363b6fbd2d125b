"""The dot test accepts right adjoints and finds wrong ones."""

import jax
import numpy as np
import pytest

import operax
from operax.utils import dottest

RNG = np.random.default_rng(0)
REAL = RNG.standard_normal((3, 4))
COMPLEX = REAL + 1j * RNG.standard_normal((3, 4))


class Matrix(operax.LinearOperator):
    """A matrix whose adjoint is off by a factor, and whose transpose can be wrong by itself."""

    def __init__(self, A, factor=1.0, wrong_transpose=False):
        super().__init__(shape=A.shape)
        self.A, self.factor, self.wrong_transpose = np.asarray(A), factor, wrong_transpose

    def _forward(self, x):
        return x @ self.A.T

    def _adjoint(self, y):
        return self.factor * (y @ self.A.conj())

    def _transpose_operator(self):
        return Matrix(2 * self.A.T) if self.wrong_transpose else super()._transpose_operator()


class HalfSpectrum(operax.LinearOperator):
    """FFT of a real signal: linear over the real numbers, from real to complex."""

    def __init__(self, n):
        super().__init__(dims=n, dimsd=n // 2 + 1, clinear=False)
        self._model_dtype, self._data_dtype = np.dtype(float), np.dtype(complex)

    def _forward(self, x):
        xp = operax._arrays.namespace.namespace_of(x)
        return xp.fft.rfft(x)

    def _adjoint(self, y):
        xp = operax._arrays.namespace.namespace_of(y)
        n = self.dims[0]
        wave = np.exp(2j * np.pi * np.outer(np.arange(n // 2 + 1), np.arange(n)) / n)
        return xp.real(y @ xp.asarray(wave))


@pytest.mark.parametrize("backend", ["numpy", "jax"])
@pytest.mark.parametrize("complexflag", [0, 1, 2, 3])
@pytest.mark.parametrize("A", [REAL, COMPLEX], ids=["real", "complex"])
def test_right_adjoints_pass(A, complexflag, backend):
    assert dottest(Matrix(A), 3, 4, complexflag=complexflag, backend=backend) is True


@pytest.mark.parametrize("backend", ["numpy", "jax"])
@pytest.mark.parametrize("complexflag", [0, 2])
def test_real_to_complex(complexflag, backend):
    assert dottest(HalfSpectrum(8), complexflag=complexflag, backend=backend)


@pytest.mark.parametrize("backend", ["numpy", "jax"])
@pytest.mark.parametrize("complexflag", [0, 3])
def test_wrong_adjoints_fail(complexflag, backend):
    wrong = Matrix(REAL, factor=1.001)
    assert dottest(wrong, complexflag=complexflag, raiseerror=False, backend=backend) is False
    with pytest.raises(AssertionError, match="dot test of the adjoint failed"):
        dottest(wrong, complexflag=complexflag, backend=backend)


def test_a_wrong_conjugation_fails_with_complex_vectors():
    class Plain(Matrix):
        def _adjoint(self, y):
            return y @ self.A

    assert not dottest(Plain(COMPLEX), complexflag=3, raiseerror=False)


def test_a_wrong_transpose_fails():
    with pytest.raises(AssertionError, match="dot test of the transpose failed"):
        dottest(Matrix(REAL, wrong_transpose=True))


def test_nan_fails():
    assert not dottest(Matrix(np.full((2, 2), np.nan)), raiseerror=False)


def test_single_precision_is_allowed_its_rounding():
    A = RNG.standard_normal((300, 200)).astype(np.float32)
    with jax.enable_x64(False):
        assert dottest(Matrix(A), backend="jax")
        assert not dottest(Matrix(A, factor=1.01), backend="jax", raiseerror=False)


def test_other_libraries_operators_can_be_tested():
    import pylops
    import scipy.sparse.linalg as spla

    assert dottest(pylops.MatrixMult(COMPLEX, dtype="complex128"), complexflag=3)
    assert dottest(spla.aslinearoperator(COMPLEX), complexflag=3)


def test_it_prints_what_it_compares(capsys):
    dottest(Matrix(REAL), verb=True)
    out = capsys.readouterr().out
    assert "adjoint passed: v^H (Op u) =" in out and "transpose passed" in out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"nr": 5}, r"nr=5 and nc=None do not fit the operator, whose shape is \(3, 4\)"),
        ({"complexflag": 7}, "complexflag=7 must be 0, 1, 2 or 3"),
        ({"backend": "torch"}, "backend='torch' must be 'numpy', 'jax' or 'cupy'"),
    ],
)
def test_errors_say_what_is_wrong(options, says):
    with pytest.raises(ValueError, match=says):
        dottest(Matrix(REAL), **options)
