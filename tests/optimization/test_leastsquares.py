"""Regularised and preconditioned least squares against dense solutions of the stated problems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import operax
from operax import MatrixMult
from operax.optimization.cls_leastsquares import (
    NormalEquationsInversion,
    PreconditionedInversion,
    RegularizedInversion,
    RegularizedOperator,
)
from operax.optimization.leastsquares import (
    normal_equations_inversion,
    preconditioned_inversion,
    regularized_inversion,
)
from optimization._problems import LIBRARIES, tall

both = pytest.mark.parametrize("library", LIBRARIES)
A, y = tall()
rng = np.random.default_rng(4)
W = np.diag(rng.uniform(0.5, 2, 9))
R = np.diff(np.eye(6), axis=0)
d = rng.normal(size=5)
N = 2 * np.eye(6)
x0 = rng.normal(size=6)


@both
def test_normal_equations(library):
    to = LIBRARIES[library]
    x, istop = normal_equations_inversion(
        MatrixMult(to(A)), to(y), [MatrixMult(R)], x0=to(x0), Weight=MatrixMult(W), dataregs=[d], epsI=0.3,
        epsRs=[0.5], NRegs=[MatrixMult(N)], epsNRs=[0.7], rtol=1e-13,
    )  # fmt: skip
    matrix = A.T @ W @ A + 0.25 * R.T @ R + 0.49 * N + 0.09 * np.eye(6)
    assert_allclose(x, np.linalg.solve(matrix, A.T @ W @ y + 0.25 * R.T @ d), rtol=1e-10)
    assert istop == 0
    assert normal_equations_inversion(MatrixMult(to(A)), to(y), None, maxiter=2)[1] == 2


@both
@pytest.mark.parametrize("engine", ["scipy", "pylops"])
def test_regularized(library, engine):
    """Users asked that `engine` gives the same on all array libraries, not another solver in silence."""
    to = LIBRARIES[library]
    tight = {"atol": 1e-14, "btol": 0.0} if engine == "scipy" else {"tol": 1e-13, "niter": 60}
    x, _istop, itn, _r1, r2 = regularized_inversion(
        MatrixMult(to(A)), to(y), [MatrixMult(R)], x0=to(x0), Weight=MatrixMult(W), dataregs=[d], epsRs=[0.5],
        engine=engine, **tight,
    )  # fmt: skip
    stack, data = np.vstack([W @ A, 0.5 * R]), np.r_[W @ y, 0.5 * d]
    expected = np.linalg.lstsq(stack, data, rcond=None)[0]
    assert_allclose(x, expected, rtol=1e-9)
    assert_allclose(r2, np.linalg.norm(data - stack @ expected), rtol=1e-9)
    assert 0 < itn < 20


@both
@pytest.mark.parametrize("engine", ["scipy", "pylops"])
def test_preconditioned(library, engine):
    to = LIBRARIES[library]
    P = np.tril(np.ones((6, 3)))
    options = {} if engine == "scipy" else {"niter": 40, "tol": 1e-12}
    x = preconditioned_inversion(
        MatrixMult(to(A)), to(y), MatrixMult(P), x0=to(np.ones(3)), engine=engine, **options
    )[0]  # fmt: skip
    assert_allclose(x, P @ np.linalg.lstsq(A @ P, y, rcond=None)[0], rtol=1e-5)


@both
def test_several_dimensions_and_right_hand_sides(library):
    to = LIBRARIES[library]
    Op = operax.Restriction((6, 4), [0, 2, 5], axis=0)
    D = operax.SecondDerivative((6, 4), axis=0)
    dense = np.vstack([Op.todense(), 0.1 * D.todense()])
    Y = rng.normal(size=(3, 4))
    expected = np.linalg.lstsq(dense, np.r_[Y.ravel(), np.zeros(24)], rcond=None)[0].reshape(6, 4)
    x = regularized_inversion(Op, to(Y), [D], epsRs=[0.1], atol=1e-13, btol=1e-13)[0]
    assert x.shape == (6, 4)
    assert_allclose(x, expected, atol=1e-8)
    x = normal_equations_inversion(Op, to(Y), [D], epsRs=[0.1], rtol=1e-13)[0]
    assert_allclose(x, expected, atol=1e-8)
    two = to(np.stack([Y, -Y], axis=-1))
    for solve in (regularized_inversion, normal_equations_inversion):
        x = solve(Op, two, [D], epsRs=[0.1])[0]
        assert x.shape == (6, 4, 2)
        assert_allclose(x[..., 1], -expected, atol=1e-3)
    constant = regularized_inversion(
        Op, two, [D], epsRs=[0.1], Weight=2.0 * operax.Identity((3, 4)), dataregs=[np.zeros((6, 4))]
    )
    assert constant[0].shape == (6, 4, 2)


def test_classes_give_the_same():
    Op, D = MatrixMult(A), MatrixMult(R)
    solver = NormalEquationsInversion(Op)
    assert_allclose(
        solver.solve(y, [D], epsRs=[0.5], epsI=0.1)[0],
        normal_equations_inversion(Op, y, [D], epsRs=[0.5], epsI=0.1)[0],
    )
    solver = RegularizedInversion(Op)
    solver.setup(y, [D], epsRs=[0.5])
    assert_allclose(solver.run(None)[0], regularized_inversion(Op, y, [D], epsRs=[0.5])[0])
    assert_allclose(
        PreconditionedInversion(Op).solve(y, MatrixMult(N))[0], preconditioned_inversion(Op, y, MatrixMult(N))[0]
    )
    assert_allclose(RegularizedOperator(Op, [D], epsRs=[0.5]).todense(), np.vstack([A, 0.5 * R]))
    assert solver.memory_usage(unit="KB") > 0
    with pytest.raises(TypeError, match="CGLS"):
        solver.step(None)


def test_errors():
    Op, D = MatrixMult(A), MatrixMult(R)
    with pytest.raises(ValueError, match="engine='torch'"):
        regularized_inversion(Op, y, [D], engine="torch")
    with pytest.raises(ValueError, match="epsRs must hold"):
        regularized_inversion(Op, y, [D], epsRs=[1.0, 2.0])
    with pytest.raises(ValueError, match="dataregs"):
        regularized_inversion(Op, y, [D], dataregs=[d, d])
    with pytest.raises(ValueError, match=r"array of shape \(4,\)"):
        regularized_inversion(Op, y, [D], dataregs=[np.ones(4)])
    with pytest.raises(ValueError, match="models have 6 values"):
        regularized_inversion(Op, y, [MatrixMult(np.ones((3, 3)))])
    with pytest.raises(TypeError, match="no option 'speed'"):
        regularized_inversion(Op, y, [D], speed=3)
    with pytest.raises(TypeError, match="unknown options speed"):
        normal_equations_inversion(Op, y, [D], speed=3)
    with pytest.raises(ValueError, match="preconditioner"):
        preconditioned_inversion(Op, y, MatrixMult(np.ones((3, 3))))
