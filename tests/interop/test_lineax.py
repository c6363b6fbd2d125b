"""To lineax's operators and solvers, and back."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax.interop import from_lineax
from operax.testing import check_operator

pytestmark = pytest.mark.bridge
lx = pytest.importorskip("lineax")

RNG = np.random.default_rng(3)
MATRIX = RNG.standard_normal((6, 4))
COMPLEX = MATRIX + 1j * RNG.standard_normal((6, 4))
PSD = lx.positive_semidefinite_tag
TIGHT = {"rtol": 1e-12, "atol": 1e-12}


@pytest.mark.parametrize("matrix", [MATRIX, COMPLEX], ids=["real", "complex"])
def test_protocol(matrix):
    theirs = operax.MatrixMult(matrix).to_lineax()
    x, y = (
        jnp.asarray(RNG.standard_normal(4)) + 0 * matrix[0, 0],
        jnp.asarray(RNG.standard_normal(6)) + 0 * matrix[0, 0],
    )
    np.testing.assert_allclose(theirs.mv(x), matrix @ x)
    np.testing.assert_allclose(theirs.T.mv(y), matrix.T @ y)
    np.testing.assert_allclose(lx.conj(theirs).mv(x), matrix.conj() @ x)
    np.testing.assert_allclose(theirs.as_matrix(), matrix)
    np.testing.assert_allclose(lx.materialise(theirs).mv(x), matrix @ x)
    assert (theirs.in_size(), theirs.out_size()) == (4, 6)
    assert theirs.out_structure().dtype == matrix.dtype


def test_n_dimensional_structures():
    op = operax.FirstDerivative((4, 3), axis=0)
    theirs = op.to_lineax()
    assert theirs.in_structure().shape == (4, 3)
    x = jnp.asarray(RNG.standard_normal((4, 3)))
    np.testing.assert_allclose(theirs.mv(x), op @ x)
    np.testing.assert_allclose(lx.materialise(theirs).mv(x), op @ x)
    np.testing.assert_allclose(theirs.as_matrix(), op.todense())


def test_least_squares():
    y = jnp.asarray(RNG.standard_normal(6))
    theirs = operax.MatrixMult(MATRIX).to_lineax()
    expected = np.linalg.lstsq(MATRIX, y)[0]
    for solver in (lx.QR(), lx.SVD(), lx.AutoLinearSolver(well_posed=None)):
        np.testing.assert_allclose(lx.linear_solve(theirs, y, solver).value, expected, rtol=1e-10)


def reference(A, y):
    normal = jnp.swapaxes(A.conj(), 0, 1) @ A
    return jnp.linalg.solve(normal, jnp.swapaxes(A.conj(), 0, 1) @ y)


def solved(A, y, solver):
    op = operax.MatrixMult(A)
    return lx.linear_solve((op.H @ op).to_lineax(tags=PSD), op.H @ y, solver).value


@pytest.mark.parametrize("solver", [lx.CG(**TIGHT), lx.GMRES(**TIGHT), lx.Cholesky()], ids=["CG", "GMRES", "Cholesky"])
@pytest.mark.parametrize("matrix", [MATRIX, COMPLEX], ids=["real", "complex"])
def test_solves_and_their_gradients_in_data_and_operator(matrix, solver):
    A, y = jnp.asarray(matrix), jnp.asarray(RNG.standard_normal(6)) + 0 * matrix[0, 0]
    np.testing.assert_allclose(solved(A, y, solver), reference(A, y), rtol=1e-9)

    def loss(function):
        return lambda A, y: jnp.sum(jnp.abs(function(A, y)) ** 2 * jnp.arange(1.0, 5.0))

    ours = jax.jit(jax.grad(loss(lambda A, y: solved(A, y, solver)), (0, 1)))(A, y)
    for got, expected in zip(ours, jax.grad(loss(reference), (0, 1))(A, y)):
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-9)


def test_forward_mode_and_vmap_of_solves():
    A, y = jnp.asarray(MATRIX), jnp.asarray(RNG.standard_normal((3, 6)))
    solver = lx.CG(**TIGHT)
    np.testing.assert_allclose(
        jax.vmap(lambda y: solved(A, y, solver))(y), jax.vmap(lambda y: reference(A, y))(y), rtol=1e-9
    )
    tangent = jnp.asarray(RNG.standard_normal((6, 4)))
    got = jax.jvp(lambda A: solved(A, y[0], solver), (A,), (tangent,))[1]
    np.testing.assert_allclose(got, jax.jvp(lambda A: reference(A, y[0]), (A,), (tangent,))[1], rtol=1e-8, atol=1e-10)


def test_an_operator_of_foreign_code_can_be_solved_with():
    op = operax.aslinearoperator(lambda x: MATRIX @ x, lambda y: MATRIX.T @ y, dims=4, dimsd=6)
    y = jnp.asarray(RNG.standard_normal(6))

    def solve(y):
        return lx.linear_solve((op.H @ op).to_lineax(), op.H @ y, lx.CG(**TIGHT)).value

    np.testing.assert_allclose(jax.jacobian(solve)(y), np.linalg.pinv(MATRIX), atol=1e-9)


def tags(op):
    questions = (lx.is_symmetric, lx.is_positive_semidefinite, lx.is_negative_semidefinite, lx.is_diagonal)
    view = op.to_lineax()
    return tuple(question(view) for question in questions)


def test_tags_follow_from_the_structure():
    A = operax.MatrixMult(MATRIX)
    B = operax.MatrixMult(MATRIX.copy())
    square = operax.MatrixMult(MATRIX[:4])
    none, psd = (False,) * 4, (True, True, False, False)
    assert tags(A) == none
    assert tags(square) == none
    assert tags(A.H @ A) == psd
    assert tags(A @ A.H) == psd
    assert tags(A.H @ B) == psd  # equal by value
    assert tags(square.H @ operax.MatrixMult(MATRIX[:4] + 1)) == none
    assert tags(2.0 * (A.H @ A) + square.H @ square) == psd
    assert tags(-1.0 * (A.H @ A)) == (True, False, True, False)
    assert tags(A.H @ A - square.H @ square) == (True, False, False, False)
    assert tags(A.H @ square.H @ square @ A) == none if A.shape[0] == 4 else True
    assert tags((A.H @ A) @ (A.H @ A)) == psd
    assert tags(operax.Diagonal(np.arange(3.0))) == (True, False, False, True)
    assert tags(operax.Identity(3)) == (True, True, False, True)


def test_tags_follow_from_what_the_core_knows():
    D = operax.Diagonal(np.arange(3.0))
    assert tags(D @ operax.Diagonal(np.arange(1.0, 4.0))) == (True, False, False, True)
    A = operax.MatrixMult(MATRIX)
    assert tags(operax.BlockDiag([A.H @ A, 2 * (A.H @ A)])) == (True, True, False, False)
    assert tags(operax.Diagonal(1j * np.arange(3.0)))[1:] == (False, False, True)
    assert tags(operax.Restriction(4, [0, 1, 2, 3])) == (False,) * 4


def test_an_operator_that_declares_itself_symmetric_or_semidefinite():
    class Second(operax.LinearOperator):
        def __init__(self, *known):
            super().__init__(dims=4, dimsd=4)
            self.known = known

        def _forward(self, x):
            return 2.0 * x

        _adjoint = _forward

    assert tags(Second()) == (False,) * 4
    assert tags(Second("hermitian")) == (True, False, False, False)
    assert tags(Second("hermitian", "psd")) == (True, True, False, False)
    assert tags(-Second("hermitian", "psd")) == (True, False, True, False)


def test_complex_hermitian_operators_are_not_called_symmetric_by_tag():
    A = operax.MatrixMult(COMPLEX)
    view = (A.H @ A).to_lineax()
    assert view.tags == {PSD}
    np.testing.assert_allclose(view.T.as_matrix(), (COMPLEX.conj().T @ COMPLEX).T)


def test_tags_can_be_added():
    view = operax.MatrixMult(np.triu(MATRIX[:4])).to_lineax(tags=lx.upper_triangular_tag)
    assert lx.is_upper_triangular(view)
    assert lx.is_lower_triangular(view.T)
    b = jnp.ones(4)
    np.testing.assert_allclose(
        lx.linear_solve(view, b, lx.Triangular()).value, np.linalg.solve(np.triu(MATRIX[:4]), b), rtol=1e-9
    )


def test_diagonal_solver_takes_the_diagonal_in_one_application():
    view = operax.Diagonal(np.arange(1.0, 4.0)).to_lineax()
    np.testing.assert_allclose(lx.diagonal(view), np.arange(1.0, 4.0))
    found = lx.linear_solve(view, jnp.ones(3), lx.AutoLinearSolver(well_posed=True)).value
    np.testing.assert_allclose(found, 1 / np.arange(1.0, 4.0))


THEIRS = {
    "matrix": lambda: lx.MatrixLinearOperator(jnp.asarray(COMPLEX)),
    "diagonal": lambda: lx.DiagonalLinearOperator(jnp.arange(1.0, 4.0)),
    "function": lambda: lx.FunctionLinearOperator(lambda x: jnp.cumsum(x), jax.ShapeDtypeStruct((4,), jnp.float64)),
    "jacobian": lambda: lx.JacobianLinearOperator(lambda x, _: jnp.sin(x) * x[0], jnp.arange(1.0, 4.0)),
    "composed": lambda: lx.MatrixLinearOperator(jnp.asarray(MATRIX)).T @ lx.MatrixLinearOperator(jnp.asarray(MATRIX)),
}


@pytest.mark.parametrize("kind", THEIRS)
def test_lineax_operators_become_ours(kind):
    theirs = THEIRS[kind]()
    op = operax.aslinearoperator(theirs)
    np.testing.assert_allclose(op.todense(), theirs.as_matrix())
    check_operator(op)


def test_their_arrays_stay_leaves():
    def loss(matrix):
        return jnp.sum((from_lineax(lx.MatrixLinearOperator(matrix)) @ jnp.ones(4)) ** 2)

    gradient = jax.grad(loss)(jnp.asarray(MATRIX))
    np.testing.assert_allclose(gradient, 2 * np.outer(MATRIX.sum(1), np.ones(4)))


def test_trees_of_arrays_are_joined():
    structure = {"a": jax.ShapeDtypeStruct((2,), jnp.float64), "b": jax.ShapeDtypeStruct((), jnp.float64)}
    theirs = lx.FunctionLinearOperator(lambda t: (t["a"] * t["b"].shape.__len__() + t["a"], 3 * t["b"]), structure)
    op = from_lineax(theirs)
    assert op.shape == (3, 3)
    np.testing.assert_allclose(op.todense(), np.diag([1.0, 1.0, 3.0]))
    np.testing.assert_allclose(op.H @ np.ones(3), [1.0, 1.0, 3.0])


def test_numpy_data_keep_64_bits_whatever_the_switch_says():
    with jax.enable_x64(False):
        theirs = lx.DiagonalLinearOperator(jnp.array([1.0, 2.0], jnp.float32))
        y = from_lineax(theirs, dtype="float64") @ np.array([1 + 1e-12, 1.0])
        assert not jax.config.jax_enable_x64
    assert y.dtype == np.float64
    assert y[0] != 1.0


def test_there_and_back_is_the_same_operator():
    theirs = lx.DiagonalLinearOperator(jnp.ones(3))
    assert from_lineax(theirs).to_lineax() is theirs
    ours = operax.Identity(3)
    assert from_lineax(ours.to_lineax()) == ours


def test_from_lineax_of_something_else():
    with pytest.raises(TypeError, match=r"takes a lineax\.AbstractLinearOperator, got ndarray"):
        from_lineax(MATRIX)
