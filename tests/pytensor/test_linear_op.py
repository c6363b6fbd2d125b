"""Linear operators on PyTensor variables: the adjoint is the gradient, and parameters can be variables."""

import pickle

import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.graph.replace import vectorize_graph

import operax
from operax.pytensor import PyTensorOperator, as_jax_op, as_linear_op
from operax.pytensor._op import JaxOp

pytestmark = pytest.mark.bridge

MODES = [None, "NUMBA", "JAX", "PYTORCH"]
RNG = np.random.default_rng(0)


class Diagonal(operax.LinearOperator):
    def __init__(self, diag):
        self.diag = np.asarray(diag)
        super().__init__(dims=self.diag.shape, dimsd=self.diag.shape)

    def _forward(self, x):
        return self.diag * x

    def _adjoint(self, y):
        return self.diag.conj() * y


class Matrix(operax.LinearOperator):
    def __init__(self, A):
        self.A = np.asarray(A)
        super().__init__(dims=self.A.shape[1], dimsd=self.A.shape[0])

    def _forward(self, x):
        return x @ self.A.T

    def _adjoint(self, y):
        return y @ self.A.conj()


class Sum(operax.LinearOperator):
    """Along the first axis of a two-dimensional model."""

    def __init__(self, dims):
        super().__init__(dims=dims, dimsd=dims[1:])
        self.n = dims[0]

    def _forward(self, x):
        return x.sum(-2)

    def _adjoint(self, y):
        return (
            jnp.repeat(y[..., None, :], self.n, axis=-2)
            if not isinstance(y, np.ndarray)
            else np.repeat(y[..., None, :], self.n, axis=-2)
        )


def foreign(function):
    """The wrapped Ops in a compiled function."""
    return [node.op for node in function.maker.fgraph.toposort() if isinstance(node.op, JaxOp)]


A = RNG.normal(size=(4, 3))
X, Y = RNG.normal(size=3), RNG.normal(size=4)


@pytest.mark.parametrize("mode", MODES)
def test_forward_and_gradient_in_every_mode(mode):
    if mode == "PYTORCH":
        pytest.importorskip("torch")
    x = pt.dvector("x")
    y = as_linear_op(Matrix(A)) @ x
    cost = (pt.constant(Y) * y).sum()
    value, g = pytensor.function([x], [y, pytensor.grad(cost, x)], mode=mode)(X)
    assert y.type.shape == (4,) and y.type.dtype == "float64"
    np.testing.assert_allclose(value, A @ X, rtol=1e-13)
    np.testing.assert_allclose(g, A.T @ Y, rtol=1e-13)


def test_the_gradient_is_the_adjoint_and_not_a_derivative_of_the_forward():
    class Marked(Diagonal):
        def _adjoint(self, y):
            return 100 * y

    x = pt.dvector("x")
    g = pytensor.grad((PyTensorOperator(Marked([1.0, 2.0])) @ x).sum(), x)
    np.testing.assert_allclose(pytensor.function([x], g, on_unused_input="ignore")([1.0, 1.0]), [100.0, 100.0])


def test_adjoint_transpose_and_their_combinations():
    B = A + 1j * RNG.normal(size=A.shape)
    op = as_linear_op(Matrix(B))
    x, y = pt.zvector("x"), pt.zvector("y")
    xv, yv = X + 2j, Y - 1j
    outputs = [op @ x, op.H @ y, op.T @ y, op.H.T @ x, op.T.H @ x, op.H.H @ x, op.T.T @ x]
    truth = [B @ xv, B.conj().T @ yv, B.T @ yv, B.conj() @ xv, B.conj() @ xv, B @ xv, B @ xv]
    for got, want in zip(pytensor.function([x, y], outputs)(xv, yv), truth):
        np.testing.assert_allclose(got, want, rtol=1e-13)
    assert op.shape == (4, 3) and op.H.shape == op.T.shape == (3, 4) and op.H.dims == (4,)


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_parameters_as_variables(mode):
    x, d = pt.dvector("x"), pt.dvector("d")
    y = as_linear_op(Diagonal(np.ones(3)), diag=d) @ x
    cost = (y**2).sum()
    diag = np.array([1.0, 2.0, 3.0])
    got = pytensor.function([x, d], [y, *pytensor.grad(cost, [x, d])], mode=mode)(X, diag)
    np.testing.assert_allclose(got[0], diag * X)
    np.testing.assert_allclose(got[1], 2 * diag**2 * X)
    np.testing.assert_allclose(got[2], 2 * diag * X**2)


def test_parameters_of_an_operator_inside_an_operator():
    inner = Matrix(A)
    composed = Diagonal(np.ones(4)) @ inner
    with pytest.raises(ValueError, match=r"no array named 'none'.*its arrays are ") as caught:
        as_linear_op(composed, none=1.0)
    name = next(n for n in str(caught.value).split("'") if n.endswith("diag"))
    x, d = pt.dvector("x"), pt.dvector("d")
    y = PyTensorOperator(composed, {name: d}) @ x
    diag = np.arange(1.0, 5.0)
    value, g = pytensor.function([x, d], [y, pytensor.grad(y.sum(), d)])(X, diag)
    np.testing.assert_allclose(value, diag * (A @ X))
    np.testing.assert_allclose(g, A @ X)


def test_operators_of_equal_shape_never_merge():
    x = pt.dvector("x")
    a, b = as_linear_op(Diagonal([1.0, 2.0])), as_linear_op(Diagonal([1.0, 3.0]))
    np.testing.assert_allclose(pytensor.function([x], a(x) - b(x))([1.0, 1.0]), [0.0, -1.0])

    class Doubled(Diagonal):
        def _forward(self, x):
            return 2 * self.diag * x

    c = as_linear_op(Doubled([1.0, 2.0]))
    np.testing.assert_allclose(pytensor.function([x], a(x) - c(x))([1.0, 1.0]), [-1.0, -2.0])


def test_equal_operators_merge():
    x = pt.dvector("x")
    f = pytensor.function([x], [as_linear_op(Diagonal([1.0, 2.0])) @ x, as_linear_op(Diagonal([1.0, 2.0])) @ x])
    assert len(foreign(f)) == 1


def test_shapes_of_the_model():
    op = as_linear_op(Sum((2, 3)))
    m = RNG.normal(size=(2, 3))
    nd, flat, batch = pt.dmatrix("nd"), pt.dvector("flat"), pt.dtensor3("batch")
    results = [op @ nd, op @ flat, op @ batch]
    assert [r.type.ndim for r in results] == [1, 1, 2]
    got = pytensor.function([nd, flat, batch], results)(m, m.ravel(), np.stack([m, 2 * m], -1))
    np.testing.assert_allclose(got[0], m.sum(0))
    np.testing.assert_allclose(got[1], m.sum(0))
    np.testing.assert_allclose(got[2], np.stack([m.sum(0), 2 * m.sum(0)], -1))
    with pytest.raises(ValueError, match=r"Sum takes arrays of shape \(2, 3\) or \(6,\).*got a variable of type"):
        op @ pt.tensor("wrong", shape=(None, 3, 3, None))
    with pytest.raises(ValueError, match=r"5"):
        op @ pt.tensor("wrong", shape=(5,))


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_batches_of_models_and_of_operators(mode):
    x, d = pt.dvector("x"), pt.dvector("d")
    y = as_linear_op(Diagonal(np.ones(3)), diag=d) @ x
    g = pytensor.grad(y.sum(), d)
    XB, DB = pt.dmatrix("XB"), pt.dmatrix("DB")
    f = pytensor.function([XB, DB], vectorize_graph([y, g], {x: XB, d: DB}), mode=mode)
    assert len(foreign(f)) <= 2
    xb, db = RNG.normal(size=(2, 5, 3))
    value, grad = f(xb, db)
    np.testing.assert_allclose(value, db * xb)
    np.testing.assert_allclose(grad, xb)


def test_precision_follows_the_input():
    x = pt.fvector("x")
    with pytensor.config.change_flags(floatX="float32"):
        y = as_linear_op(Diagonal(np.ones(3, "float32"))) @ x
    assert y.type.dtype == "float32"


def test_other_names_of_the_product():
    op, x, y = as_linear_op(Matrix(A)), pt.dvector("x"), pt.dvector("y")
    outputs = [op * x, op.matvec(x), op(x), op.rmatvec(y), op.H * y, op @ X]
    truth = [A @ X, A @ X, A @ X, A.T @ Y, A.T @ Y, A @ X]
    for got, want in zip(pytensor.function([x, y], outputs)(X, Y), truth):
        np.testing.assert_allclose(got, want, rtol=1e-13)


def test_algebra_comes_before_wrapping():
    op, plain, x = as_linear_op(Matrix(A)), Matrix(A), pt.dvector("x")
    for product in (lambda: op @ op.H, lambda: op @ plain, lambda: op * op):
        with pytest.raises(TypeError, match=r"got the operator .*as_linear_op\(A @ B\)"):
            product()
    for other in (
        lambda: 2 * op,
        lambda: np.ones(3) * op,
        lambda: op + op,
        lambda: -op,
        lambda: op - op,
        lambda: 1 - op,
    ):
        with pytest.raises(TypeError, match=r"before they are wrapped, as_linear_op\(2 \* A \+ B\)"):
            other()
    normal = as_linear_op(2 * (plain.H @ plain)) @ x
    np.testing.assert_allclose(pytensor.function([x], normal)(X), 2 * A.T @ A @ X, rtol=1e-13)
    with pytest.raises(ValueError, match=r"Matrix takes arrays of shape \(3,\), or a batch"):
        op @ pt.dtensor3("x")


def test_arrays_are_taken_when_the_operator_is_wrapped():
    op, x = operax.Diagonal(np.array([1.0, 2.0])), pt.dvector("x")
    wrapped = as_linear_op(op)
    op.diag = np.array([5.0, 6.0])
    weights = pytensor.shared(np.array([1.0, 2.0]))
    f = pytensor.function([x], [wrapped @ x, as_linear_op(op) @ x, as_linear_op(op, diag=weights) @ x])
    weights.set_value(np.array([7.0, 8.0]))
    for got, diag in zip(f([1.0, 1.0]), ([1.0, 2.0], [5.0, 6.0], [7.0, 8.0])):
        np.testing.assert_array_equal(got, diag)


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_gradients_of_a_complex_operator_that_ends_in_real_numbers(mode):
    F = operax.signalprocessing.FFT(dims=6, real=True)
    both = operax.VStack([operax.Real(F.dimsd) @ F, operax.Imag(F.dimsd) @ F])
    x = pt.dvector("x")
    real, power = as_linear_op(operax.Real(F.dimsd) @ F) @ x, ((as_linear_op(both) @ x) ** 2).sum()
    inside = as_jax_op(lambda x: jnp.sum(jnp.abs(F @ x) ** 2))(pt.specify_shape(x, (6,)))
    weights = np.arange(1.0, 5.0)
    costs = [(real * weights).sum(), power, inside]
    f = pytensor.function([x], [*costs, *(pytensor.grad(c, x) for c in costs)], mode=mode)
    a = RNG.normal(size=6)
    D = np.stack([F @ e for e in np.eye(6)], 1)
    got = f(a)
    np.testing.assert_allclose(got[0], weights @ (D @ a).real, rtol=1e-12)
    np.testing.assert_allclose(got[1:3], [np.sum(np.abs(D @ a) ** 2)] * 2, rtol=1e-12)
    np.testing.assert_allclose(got[3], D.real.T @ weights, rtol=1e-12, atol=1e-12)
    for g in got[4:]:
        np.testing.assert_allclose(g, 2 * (D.conj().T @ D @ a).real, rtol=1e-12, atol=1e-12)


def test_wrong_parameters_name_the_cure():
    with pytest.raises(ValueError, match=r"parameter 'diag' has type .*array of shape \(3,\): give a variable"):
        as_linear_op(Diagonal(np.ones(3)), diag=pt.dmatrix("d"))
    with pytest.raises(TypeError, match="wrapped for PyTensor already"):
        as_linear_op(as_linear_op(Diagonal(np.ones(3))))


def test_pickles():
    x = pt.dvector("x")
    op = (as_linear_op(Matrix(A)) @ x).owner.op
    assert pickle.loads(pickle.dumps(op)) == op
    f = pickle.loads(pickle.dumps(pytensor.function([x], as_linear_op(Diagonal([1.0, 2.0])) @ x)))
    np.testing.assert_allclose(f([3.0, 4.0]), [3.0, 8.0])


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
@pytest.mark.parametrize("kind", ["pylops", "scipy"])
def test_foreign_operators(kind, mode):
    if kind == "pylops":
        foreign_op = pytest.importorskip("pylops").MatrixMult(A)
    else:
        from scipy.sparse.linalg import aslinearoperator

        foreign_op = aslinearoperator(A)
    x = pt.dvector("x")
    y = as_linear_op(foreign_op) @ x
    value, g = pytensor.function([x], [y, pytensor.grad((y**2).sum(), x)], mode=mode)(X)
    np.testing.assert_allclose(value, A @ X, rtol=1e-12)
    np.testing.assert_allclose(g, 2 * A.T @ A @ X, rtol=1e-12)
