"""cg, cgls and lsqr: values against dense solutions, SciPy and PyLops, and what they say when something is wrong."""

import jax
import jax.numpy as jnp
import numpy as np
import pylops
import pytest
import scipy.sparse.linalg as sla
from numpy.testing import assert_allclose

import operax
from operax.optimization import basic, krylov
from operax.optimization.basic import cg, cgls, lsqr
from optimization._problems import LIBRARIES, definite, tall

both = pytest.mark.parametrize("library", LIBRARIES)
kinds = pytest.mark.parametrize("kind", ["float64", "complex128"])


@both
@kinds
@pytest.mark.parametrize("damp", [0.0, 0.7])
@pytest.mark.parametrize("guess", [False, True])
def test_cg_solves_definite_systems(library, kind, damp, guess):
    """Users asked for damping in conjugate gradients."""
    S, y = definite(kind=kind)
    to = LIBRARIES[library]
    x0 = to(np.ones(6, kind)) if guess else None
    x, iterations, cost = cg(operax.MatrixMult(to(S)), to(y), x0=x0, niter=50, damp=damp, tol=1e-13)
    assert_allclose(x, np.linalg.solve(S + damp * np.eye(6), y), rtol=1e-9)
    assert iterations <= 8
    assert isinstance(iterations, int)
    assert len(cost) == iterations + 1
    assert type(x) is type(to(y))


@both
@kinds
@pytest.mark.parametrize("damp", [0.0, 0.7])
@pytest.mark.parametrize("guess", [False, True])
@pytest.mark.parametrize("solver", ["cgls", "lsqr"])
def test_least_squares(library, kind, damp, guess, solver):
    A, y = tall(kind=kind)
    to = LIBRARIES[library]
    x0 = np.linspace(0, 1, 6).astype(kind) if guess else None
    tight = {"tol": 1e-13} if solver == "cgls" else {"atol": 1e-14, "btol": 0}
    result = getattr(basic, solver)(
        operax.MatrixMult(to(A)), to(y), x0=None if x0 is None else to(x0), niter=60, damp=damp, **tight
    )
    if solver == "lsqr" and guess:  # as in the paper and in SciPy, damping pulls the correction
        expected = x0 + np.linalg.solve(A.conj().T @ A + damp**2 * np.eye(6), A.conj().T @ (y - A @ x0))
    else:
        expected = np.linalg.solve(A.conj().T @ A + damp**2 * np.eye(6), A.conj().T @ y)
    assert_allclose(result.x, expected, rtol=1e-9)
    assert result.converged
    assert_allclose(result.cost[-1], np.linalg.norm(y - A @ expected), rtol=1e-7 if solver == "cgls" else 0.5)


@both
@pytest.mark.parametrize("niter", [1, 3])
def test_iterates_are_those_of_the_reference(library, niter):
    S, b = definite()
    A, y = tall()
    to = LIBRARIES[library]
    ours, theirs = cg(operax.MatrixMult(to(S)), to(b), niter=niter, tol=0, damp=0.3), None
    theirs = pylops.cg(pylops.MatrixMult(S), b, niter=niter, tol=0, damp=0.3)
    assert_allclose(ours[0], theirs[0], rtol=1e-12)
    assert ours[1] == theirs[1]
    assert_allclose(ours[2], theirs[2], rtol=1e-12)
    ours = cgls(operax.MatrixMult(to(A)), to(y), niter=niter, tol=0, damp=0.3)
    theirs = pylops.cgls(pylops.MatrixMult(A), y, niter=niter, tol=0, damp=0.3)
    assert len(ours) == len(theirs)
    assert_allclose(ours[0], theirs[0], rtol=1e-12)
    assert ours[1:3] == theirs[1:3]
    assert_allclose(ours[4], theirs[4], rtol=1e-12)
    assert_allclose(ours[5], theirs[5], rtol=1e-12)
    assert_allclose(ours[3], np.linalg.norm(y - A @ theirs[0]), rtol=1e-12)


@both
@pytest.mark.parametrize("damp", [0.0, 0.3])
def test_lsqr_gives_all_that_scipy_gives(library, damp):
    A, y = tall()
    to = LIBRARIES[library]
    ours = lsqr(operax.MatrixMult(to(A)), to(y), niter=3, damp=damp)
    theirs = sla.lsqr(A, y, damp=damp, iter_lim=3, atol=1e-8, btol=1e-8, calc_var=True)
    assert ours.iterations == theirs[2] == 3
    for name, value in zip(("r1norm", "r2norm", "anorm", "acond", "arnorm", "xnorm", "var"), theirs[3:]):
        assert_allclose(getattr(ours, name), value, rtol=1e-10, err_msg=name)
    assert_allclose(ours.x, theirs[0], rtol=1e-12)
    full = lsqr(operax.MatrixMult(to(A)), to(y), niter=50, damp=damp)
    assert full.istop == sla.lsqr(A, y, damp=damp, atol=1e-8, btol=1e-8)[1] == 2


@both
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_tolerance_is_relative(library, scale):
    """Users asked that data in small units do not stop a solve before its first iteration."""
    A, y = tall()
    S, b = definite()
    to = LIBRARIES[library]
    reference = cgls(operax.MatrixMult(to(A)), to(y), niter=50)
    scaled = cgls(operax.MatrixMult(to(A)), to(scale * y), niter=50)
    assert scaled.iterations == reference.iterations > 2
    assert_allclose(scaled.x, scale * np.asarray(reference.x), rtol=1e-9)
    assert cg(operax.MatrixMult(to(S)), to(scale * b), niter=50).iterations > 2


@both
def test_rtol_and_rtol1_stop_on_the_cost(library):
    """Users asked for stopping rules on the relative residual and on the cost against the data."""
    S, b = definite()
    to = LIBRARIES[library]
    full = cg(operax.MatrixMult(to(S)), to(b), niter=50, tol=0).cost
    stop = int(np.argmax(full <= 0.1 * full[0]))
    assert cg(operax.MatrixMult(to(S)), to(b), niter=50, tol=0, rtol=0.1).iterations == stop
    assert cg(operax.MatrixMult(to(S)), to(b), niter=50, tol=0, rtol1=0.1).iterations == stop


@both
@pytest.mark.parametrize("solver", [cg, cgls, lsqr])
def test_several_right_hand_sides_stop_one_by_one(library, solver):
    """Users asked for solvers that take a matrix of right-hand sides."""
    S, _ = definite()
    to = LIBRARIES[library]
    rng = np.random.default_rng(3)
    _values, vectors = np.linalg.eigh(S)
    # an eigenvector needs one iteration, a general vector all of them, zero none
    Y = np.stack([vectors[:, 0], rng.normal(size=6), np.zeros(6)], axis=1)
    tight = {"atol": 1e-12, "btol": 1e-12} if solver is lsqr else {"tol": 1e-12}
    result = solver(operax.MatrixMult(to(S)), to(Y), niter=40, **tight)
    assert_allclose(result.x, np.linalg.solve(S, Y), atol=1e-10)
    assert result.x.shape == (6, 3)
    assert list(result.iterations[[0, 2]]) == [1, 0]
    assert result.iterations[1] >= 6
    assert result.converged.all()
    assert result.cost.shape == (result.iterations.max() + 1, 3)
    assert len(result.reason) == 3
    one = solver(operax.MatrixMult(to(S)), to(Y[:, 1]), niter=40, **tight)
    assert_allclose(result.x[:, 1], one.x, rtol=1e-8)
    # one column stays a column
    column = solver(operax.MatrixMult(to(S)), to(Y[:, 1:2]), niter=40, **tight)
    assert column.x.shape == (6, 1)
    assert_allclose(column.x[:, 0], one.x, rtol=1e-8)


@both
def test_models_and_data_of_several_dimensions(library):
    A, _ = tall()
    to = LIBRARIES[library]
    Op = operax.MatrixMult(to(A), otherdims=(2,))
    Y = np.random.default_rng(0).normal(size=(9, 2))
    expected = np.linalg.lstsq(A, Y, rcond=None)[0]
    for data in (Y, Y.ravel()):
        x = cgls(Op, to(data), niter=60, tol=1e-13).x
        assert x.shape == (6, 2)
        assert_allclose(x, expected, rtol=1e-8)
    columns = cgls(Op, to(np.stack([Y, 2 * Y], axis=-1)), niter=60, tol=1e-13).x
    assert columns.shape == (6, 2, 2)
    assert_allclose(columns[..., 1], 2 * expected, rtol=1e-8)


@both
def test_complex_operator_and_real_data(library):
    A, _ = tall(kind="complex128")
    y = np.random.default_rng(5).normal(size=9)
    to = LIBRARIES[library]
    for solver in (cgls, lsqr):
        x = solver(operax.MatrixMult(to(A)), to(y), niter=60).x
        assert x.dtype == np.complex128
        assert_allclose(x, np.linalg.lstsq(A, y, rcond=None)[0], rtol=1e-6)


@pytest.mark.parametrize("solver", [cg, cgls, lsqr])
@both
def test_single_precision_stays(library, solver):
    """Users asked that float32 problems stay float32, in lsqr and in ``Op / y`` too."""
    S, b = definite(kind="float32")
    to = LIBRARIES[library]
    result = solver(operax.MatrixMult(to(S)), to(b), niter=30, damp=np.float64(0.1), x0=to(np.ones(6, np.float32)))
    assert result.x.dtype == np.float32
    assert result.cost.dtype == np.float32
    assert (operax.MatrixMult(to(S)) / to(b)).dtype == np.float32


@both
def test_integer_data(library):
    S, _ = definite()
    to = LIBRARIES[library]
    y = np.arange(1, 7)
    assert_allclose(cg(operax.MatrixMult(to(S)), to(y), niter=30, tol=1e-12).x, np.linalg.solve(S, y), rtol=1e-8)


@both
def test_preconditioners(library):
    """Users asked for a preconditioner in conjugate gradients."""
    to = LIBRARIES[library]
    rng = np.random.default_rng(0)
    S = np.diag(10.0 ** np.arange(8)) + 0.1 * np.ones((8, 8))
    b = rng.normal(size=8)
    plain = cg(operax.MatrixMult(to(S)), to(b), niter=200, tol=1e-10)
    for M in (to(1 / np.diag(S)), operax.Diagonal(1 / np.diag(S))):
        better = cg(operax.MatrixMult(to(S)), to(b), niter=200, tol=1e-10, M=M)
        assert better.iterations < plain.iterations
        assert_allclose(S @ np.asarray(better.x), b, atol=1e-8)
    A = rng.normal(size=(20, 8)) * 10.0 ** np.linspace(0, 3, 8)
    y = rng.normal(size=20)
    M = 1 / np.sum(A**2, axis=0)
    better = cgls(operax.MatrixMult(to(A)), to(y), niter=200, tol=1e-12, M=to(M))
    assert better.iterations < cgls(operax.MatrixMult(to(A)), to(y), niter=200, tol=1e-12).iterations
    assert_allclose(better.x, np.linalg.lstsq(A, y, rcond=None)[0], rtol=1e-7)


@both
def test_starting_guess_from_an_operator(library):
    A, y = tall()
    to = LIBRARIES[library]
    guess = operax.MatrixMult(np.linalg.pinv(A))
    result = cgls(operax.MatrixMult(to(A)), to(y), x0=guess, niter=20)
    assert result.iterations == 0
    assert_allclose(result.x, np.linalg.pinv(A) @ y, rtol=1e-10)


@both
def test_zero_data_zero_iterations(library):
    A, y = tall()
    to = LIBRARIES[library]
    for solver in (cgls, lsqr):
        result = solver(operax.MatrixMult(to(A)), to(0 * y), niter=5)
        assert result.iterations == 0
        assert result.converged
        assert not np.any(np.asarray(result.x))
        untouched = solver(operax.MatrixMult(to(A)), to(y), niter=0)
        assert untouched.iterations == 0
        assert "maximum number" in untouched.reason
    assert lsqr(operax.MatrixMult(to(A)), to(0 * y)).istop == 0


@both
def test_nan_stops_at_once_and_is_said(library):
    """Users asked that a solve stops at NaN and infinity and says so."""
    A, y = tall()
    to = LIBRARIES[library]
    y[3] = np.nan
    for solver in (cgls, lsqr):
        with pytest.warns(RuntimeWarning, match="NaN"):
            result = solver(operax.MatrixMult(to(A)), to(y), niter=50)
        assert result.iterations == 0
        assert "NaN" in result.reason
    A[0, 0] = np.nan
    with pytest.warns(RuntimeWarning, match="NaN"):
        assert cg(operax.MatrixMult(to(A[:6])), to(np.ones(6)), niter=50).iterations <= 1


@both
def test_indefinite_operator_in_cg_is_said(library):
    to = LIBRARIES[library]
    D = np.diag([1.0, -1.0, 2.0, 3.0])
    with pytest.warns(RuntimeWarning, match="minres"):
        result = cg(operax.MatrixMult(to(D)), to(np.ones(4)), niter=30)
    assert not result.converged
    # a negative definite operator is no problem
    assert_allclose(cg(operax.MatrixMult(to(-D @ D)), to(np.ones(4)), niter=30, tol=1e-12).x, -1 / np.diag(D @ D))


@both
def test_singular_operator_in_cg_is_said(library):
    to = LIBRARIES[library]
    with pytest.warns(RuntimeWarning, match="singular"):
        result = cg(operax.MatrixMult(to(np.diag([1.0, 0.0]))), to(np.array([0.0, 1.0])), niter=30)
    assert not result.converged


def test_error_messages():
    A, y = tall()
    Op = operax.MatrixMult(A)
    with pytest.raises(ValueError, match=r"square.*\(9, 6\).*cgls"):
        cg(Op, y)
    with pytest.raises(ValueError, match=r"\(5,\).*\(9,\)"):
        cgls(Op, y[:5])
    with pytest.raises(ValueError, match=r"x0 has shape \(4,\).*\(6,\)"):
        cgls(Op, y, x0=np.ones(4))
    with pytest.raises(TypeError, match="MatrixMult"):
        cgls(A, y)
    with pytest.raises(TypeError, match="aslinearoperator"):
        cgls(pylops.MatrixMult(A), y)
    with pytest.raises(ValueError, match="niter"):
        cgls(Op, y, niter=-1)
    with pytest.raises(ValueError, match="niter"):
        lsqr(Op, y, niter=2.5)
    with pytest.raises(TypeError, match="array"):
        cgls(Op, "data")
    with pytest.raises(ValueError, match="M as an array"):
        cgls(Op, y, M=np.ones(3))
    with pytest.raises(ValueError, match=r"x0 as an operator"):
        cgls(Op, y, x0=Op)
    with pytest.raises(AttributeError, match="r1norm"):
        _ = cgls(Op, y).nothing


def test_result_is_a_tuple_and_a_pytree():
    A, y = tall()
    result = cgls(operax.MatrixMult(jnp.asarray(A)), jnp.asarray(y))
    x, istop, iterations, r1norm, _r2norm, _cost = result
    assert x is result.x
    assert (istop, iterations) == (2, result.iterations)
    assert "converged" in repr(result) or "maximum" in repr(result)
    doubled = jax.tree.map(lambda v: 2 * v, result)
    assert type(doubled) is type(result)
    assert_allclose(doubled.r1norm, 2 * r1norm)
    assert result.plot().get_xlabel() == "iteration"


def test_monotone_residuals():
    A, y = tall(rows=30, columns=20)
    cost = cgls(operax.MatrixMult(A), y, niter=40, tol=1e-12).cost
    assert np.all(np.diff(cost) <= 1e-12)
    arnorm = krylov.lsmr(operax.MatrixMult(A), y, niter=40, tol=1e-12).cost
    assert np.all(np.diff(arnorm) <= 1e-10)


@pytest.mark.slow
def test_a_million_unknowns_in_single_precision():
    n = 1_000_000
    diag = np.linspace(0.5, 1.0, n, dtype=np.float32)
    truth = np.ones(n, np.float32)
    Op = operax.Diagonal(jnp.asarray(diag))
    for solver, options in ((cg, {"tol": 1e-5}), (cgls, {"tol": 1e-5}), (lsqr, {"atol": 1e-5, "btol": 1e-5})):
        result = solver(Op, jnp.asarray(diag * truth), niter=60, **options)
        assert result.converged, result.reason
        assert result.x.dtype == np.float32
        assert np.max(np.abs(np.asarray(result.x) - truth)) < 1e-3


@pytest.mark.parametrize("niter", [10.0, -1, True, "ten"])
def test_numbers_of_iterations_are_whole(niter):
    with pytest.raises(ValueError, match=f"niter must be a whole number .* got {niter!r}"):
        cg(operax.Identity(3), np.ones(3), niter=niter)


def test_a_whole_number_that_is_no_integer_names_the_cure():
    with pytest.raises(ValueError, match=r"got 10\.0; pass int\(niter\)"):
        cg(operax.Identity(3), np.ones(3), niter=10.0)


def test_a_traced_number_of_iterations_names_the_cure():
    with pytest.raises(TypeError, match="static_argnames='niter'"):
        jax.jit(lambda niter: cg(operax.Identity(3), jnp.ones(3), niter=niter).x)(3)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("shape", [(8, 0), (4, 2, 0)])
@pytest.mark.parametrize("solver", ["cg", "cgls", "lsqr", "lsmr", "ista", "fista", "spgl1", "omp"])
def test_no_right_hand_sides(library, shape, solver):
    op = operax.MatrixMult(np.eye(4) * 2, otherdims=(2,))
    function = krylov.lsmr if solver == "lsmr" else getattr(operax, solver)
    assert function(op, LIBRARIES[library](np.zeros(shape)))[0].shape == shape
