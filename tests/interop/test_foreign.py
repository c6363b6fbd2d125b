"""Functions of NumPy arrays as operators, on every library and under every transformation."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax.interop import ForeignOperator
from operax.testing import check_operator

RNG = np.random.default_rng(4)
MATRIX = RNG.standard_normal((4, 6))
COMPLEX = MATRIX + 1j * RNG.standard_normal((4, 6))


class Recorder:
    """A matrix in NumPy code that notes what it was called with."""

    def __init__(self, matrix):
        self.matrix, self.calls = matrix, []

    def forward(self, x):
        self.calls.append(("forward", type(x), x.shape, x.dtype))
        return (self.matrix @ x.reshape(len(x), -1).T).T

    def adjoint(self, y):
        self.calls.append(("adjoint", type(y), y.shape, y.dtype))
        return (self.matrix.conj().T @ y.reshape(len(y), -1).T).T


def operator(matrix=MATRIX, **options):
    recorder = Recorder(matrix)
    op = ForeignOperator(recorder.forward, recorder.adjoint, (2, 3), 4, matrix.dtype, **options)
    return op, recorder.calls


@pytest.mark.parametrize("matrix", [MATRIX, COMPLEX, MATRIX.astype("f4")], ids=["f8", "c16", "f4"])
def test_everything_that_is_promised_of_operators(matrix):
    check_operator(operator(matrix)[0])


def test_forward_and_adjoint_equal_the_matrix():
    op, _ = operator(COMPLEX)
    x, y = RNG.standard_normal((2, 3)), RNG.standard_normal(4)
    np.testing.assert_allclose(op @ x, COMPLEX @ x.ravel())
    np.testing.assert_allclose(op.H @ y, (COMPLEX.conj().T @ y).reshape(2, 3))
    np.testing.assert_allclose(op.T @ y, (COMPLEX.T @ y).reshape(2, 3))


def test_the_code_sees_numpy_arrays_that_it_may_write_into():
    seen = []

    def forward(x):
        seen.append(type(x))
        x *= 2.0
        return x

    op = ForeignOperator(forward, forward, 3, 3, "float64")
    x = jnp.ones(3)
    np.testing.assert_allclose(jax.jit(lambda v: op @ v)(x), 2.0)
    np.testing.assert_allclose(x, 1.0)
    assert set(seen) == {np.ndarray}


def test_gradient_inside_jit_runs_the_adjoint_code():
    op, calls = operator()
    x = jnp.asarray(RNG.standard_normal(6))
    gradient = jax.jit(jax.grad(lambda v: jnp.sum((op @ v) ** 2)))(x)
    np.testing.assert_allclose(gradient, 2 * MATRIX.T @ MATRIX @ x)
    assert [name for name, *_ in calls] == ["forward", "adjoint"]


def test_vmap_is_one_call_of_the_code():
    op, calls = operator()
    x = RNG.standard_normal((5, 2, 3))
    result = jax.jit(jax.vmap(lambda v: op @ v))(jnp.asarray(x))
    np.testing.assert_allclose(result, x.reshape(5, 6) @ MATRIX.T)
    assert [shape for _, _, shape, _ in calls] == [(5, 2, 3)]


def test_nested_vmap_of_gradients():
    op, _ = operator()
    x = RNG.standard_normal((2, 5, 6))
    gradient = jax.vmap(jax.vmap(jax.grad(lambda v: jnp.sum(jnp.sin(op @ v)))))(jnp.asarray(x))
    np.testing.assert_allclose(gradient, np.cos(x @ MATRIX.T) @ MATRIX)


def test_forward_mode_and_hessian():
    op, _ = operator()
    x, t = (jnp.asarray(RNG.standard_normal(6)) for _ in range(2))
    np.testing.assert_allclose(jax.jvp(lambda v: op @ v, (x,), (t,))[1], MATRIX @ t)
    np.testing.assert_allclose(jax.hessian(lambda v: jnp.sum((op @ v) ** 2) / 2)(x), MATRIX.T @ MATRIX, atol=1e-12)


def test_inside_scan_and_composed_with_native_operators():
    op, _ = operator()
    step = op.H @ operax.Diagonal(jnp.arange(1.0, 5.0)) @ op
    normal = MATRIX.T @ np.diag(np.arange(1.0, 5.0)) @ MATRIX
    x = jnp.asarray(RNG.standard_normal(6))
    result, _ = jax.jit(lambda v: jax.lax.scan(lambda c, _: (step @ c, None), v, None, length=3))(x)
    np.testing.assert_allclose(result, np.linalg.matrix_power(normal, 3) @ x)


def test_float32_data_stay_float32_where_the_operator_is():
    op, calls = operator(MATRIX.astype("f4"))
    assert (op @ np.ones(6, "f4")).dtype == np.float32
    assert (op @ jnp.ones(6, "f4")).dtype == np.float32
    assert {dtype for *_, dtype in calls} == {np.dtype("f4")}


def test_sixty_four_bits_off_is_said_and_computed_in_32():
    op, calls = operator()
    with jax.enable_x64(False), pytest.warns(UserWarning, match="64-bit mode is off"):
        assert (op @ jnp.ones(6, "f4")).dtype == np.float32
    assert calls[-1][-1] == np.float32


def test_real_code_gets_the_parts_of_complex_data():
    op, calls = operator()
    x = RNG.standard_normal(6) + 1j * RNG.standard_normal(6)
    for module in (np, jnp):
        np.testing.assert_allclose(op @ module.asarray(x), MATRIX @ x)
    assert {dtype.kind for *_, dtype in calls} == {"f"}


def test_real_linear_code_keeps_its_dtypes():
    op = ForeignOperator(lambda x: x.real, lambda y: y + 0j, 3, 3, "complex128", clinear=False)
    assert (op @ np.array([1j, 2, 3])).dtype == np.float64
    assert jax.jit(lambda v: op @ v)(jnp.ones(3, complex)).dtype == np.float64
    assert (op.H @ np.ones(3)).dtype == np.complex128


def test_empty_batch():
    op, _ = operator()
    assert op.batched(np.zeros((0, 2, 3))).shape == (0, 4)
    assert jax.vmap(lambda v: op @ v)(jnp.zeros((0, 2, 3))).shape == (0, 4)


def test_complex_results_of_a_real_operator_are_an_error_and_not_dropped():
    op = ForeignOperator(lambda x: x * 1j, lambda y: y * -1j, 3, 3, "float64")
    with pytest.raises(TypeError, match="complex"):
        op @ np.ones(3)


def test_wrong_size_names_both_shapes():
    op = ForeignOperator(lambda x: x[:, :2], None, 3, 3, "float64")
    with pytest.raises(ValueError, match=r"gave shape \(2,\), its result should end in \(3,\)"):
        op @ np.ones(3)


def test_no_adjoint_says_so():
    op = ForeignOperator(lambda x: x, None, 3, 3, "float64")
    np.testing.assert_allclose(op @ np.ones(3), 1.0)
    with pytest.raises(ValueError, match="give the adjoint function too"):
        op.H @ np.ones(3)


def test_not_callable():
    with pytest.raises(TypeError, match="functions of NumPy arrays, got int"):
        ForeignOperator(3, None, 3, 3, "float64")


def test_copies_and_pickles_are_equal_in_action():
    op, _ = operator()
    again = pickle.loads(pickle.dumps(op))
    np.testing.assert_array_equal(again @ np.ones(6), op @ np.ones(6))


def test_an_error_of_the_code_is_told():
    def broken(x):
        raise ArithmeticError("no such thing")

    op = ForeignOperator(broken, broken, 3, 3, "float64")
    with pytest.raises(Exception, match="no such thing"):
        jax.block_until_ready(jax.jit(lambda v: op @ v)(jnp.ones(3)))


# ---- aslinearoperator


def test_operators_come_back_as_they_are():
    op = operax.Identity(3)
    assert operax.aslinearoperator(op) is op


@pytest.mark.parametrize("given", [MATRIX, MATRIX.tolist(), jnp.asarray(MATRIX), np.matrix(MATRIX)])
def test_matrices(given):
    op = operax.aslinearoperator(given)
    assert isinstance(op, operax.MatrixMult)
    np.testing.assert_allclose(np.asarray(op @ np.ones(6)), MATRIX.sum(1))


def test_functions_of_single_arrays():
    def forward(x):
        assert x.shape == (2, 3)
        return (MATRIX @ x.ravel()).reshape(2, 2)

    def adjoint(y):
        assert y.shape == (2, 2)
        return (MATRIX.T @ y.ravel()).reshape(2, 3)

    op = operax.aslinearoperator(forward, adjoint, dims=(2, 3), dimsd=(2, 2))
    check_operator(op)
    pair = operax.aslinearoperator((forward, adjoint), dims=(2, 3), dimsd=(2, 2))
    np.testing.assert_allclose(pair.todense(), MATRIX)


def test_shapes_can_be_given_to_flat_operators():
    op = operax.aslinearoperator(MATRIX, dims=(3, 2), dimsd=(2, 2))
    assert (op.dims, op.dimsd) == ((3, 2), (2, 2))
    np.testing.assert_allclose(op @ np.ones((3, 2)), MATRIX.sum(1).reshape(2, 2))
    check_operator(op)
    with pytest.raises(ValueError, match=r"hold 7 and 4 values, but the operator has shape \(4, 6\)"):
        operax.aslinearoperator(MATRIX, dims=7)


def test_dtype_takes_part_in_promotion():
    assert (operax.aslinearoperator(MATRIX, dtype="float32") @ np.ones(6, "f4")).dtype == np.float32
    op = operax.aslinearoperator(lambda x: x, lambda y: y, dims=2, dimsd=2, dtype="complex64")
    assert (op @ np.ones(2, "f4")).dtype == np.complex64


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (3, TypeError, "cannot make a linear operator of int"),
        (np.ones(3), ValueError, r"two axes, got an array of shape \(3,\)"),
        ([["a"]], TypeError, "must hold rows of numbers"),
        (np.diff, ValueError, "give dims= and dimsd="),
    ],
)
def test_what_is_no_operator(given, error, text):
    with pytest.raises(error, match=text):
        operax.aslinearoperator(given)
