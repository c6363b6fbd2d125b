"""Implicit derivatives: against closed forms where there are any, against finite differences elsewhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose

import operax
from operax.optimization import basic, krylov, leastsquares, proximal, sparsity
from optimization._problems import definite, difference, tall

A, y = tall()
S, b = definite()
D6 = operax.FirstDerivative(6, kind="forward")
Mat = operax.MatrixMult


def _least_squares(M, y, damp):
    return jnp.linalg.solve(M.conj().T @ M + damp**2 * jnp.eye(M.shape[1]), M.conj().T @ y)


def _square(M, y, damp):
    return jnp.linalg.solve(M + damp * jnp.eye(M.shape[1]), y)


LINEAR = {
    "cgls": (lambda M, y, d: basic.cgls(Mat(M), y, niter=60, damp=d, tol=1e-14).x, _least_squares, A, y),
    "cgls M": (
        lambda M, y, d: basic.cgls(Mat(M), y, niter=60, damp=d, tol=1e-14, M=1 / np.sum(A**2, 0)).x,
        _least_squares, A, y,
    ),
    "lsqr": (lambda M, y, d: basic.lsqr(Mat(M), y, niter=60, damp=d, atol=1e-14, btol=0).x, _least_squares, A, y),
    "lsmr": (lambda M, y, d: krylov.lsmr(Mat(M), y, niter=60, damp=d, tol=1e-14).x, _least_squares, A, y),
    "cg": (lambda M, y, d: basic.cg(Mat(M), y, niter=60, damp=d, tol=1e-14).x, _square, S, b),
    "minres": (lambda M, y, d: krylov.minres(Mat(M), y, niter=60, damp=d, tol=1e-14).x, _square, S, b),
    "gmres": (lambda M, y, d: krylov.gmres(Mat(M), y, niter=5, damp=d, tol=1e-14).x, _square, A[:6], b),
    "bicgstab": (lambda M, y, d: krylov.bicgstab(Mat(M), y, niter=200, damp=d, tol=1e-14).x, _square, S + A[:6], b),
}  # fmt: skip


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_linear_solvers_have_the_derivatives_of_the_dense_solution(name):
    solve, dense, M, y = LINEAR[name]
    weights = jnp.arange(1.0, 7.0)
    args = (jnp.asarray(M), jnp.asarray(y), 0.7)

    def cost(f):
        return lambda M, y, d: jnp.sum(weights * f(M, y, d) ** 2)

    ours = jax.jit(jax.grad(cost(solve), argnums=(0, 1, 2)))(*args)
    theirs = jax.grad(cost(dense), argnums=(0, 1, 2))(*args)
    for g, e in zip(ours, theirs):
        assert_allclose(g, e, rtol=1e-7, atol=1e-9)
    rng = np.random.default_rng(0)
    tangents = (jnp.asarray(rng.normal(size=M.shape)), jnp.asarray(rng.normal(size=y.shape)), 0.3)
    assert_allclose(jax.jvp(solve, args, tangents)[1], jax.jvp(dense, args, tangents)[1], rtol=1e-7, atol=1e-9)
    # second order, in data and damping
    ours2 = jax.hessian(cost(solve), argnums=(1, 2))(*args)
    theirs2 = jax.hessian(cost(dense), argnums=(1, 2))(*args)
    for g, e in zip(jax.tree.leaves(ours2), jax.tree.leaves(theirs2)):
        assert_allclose(g, e, rtol=1e-6, atol=1e-8)


def _started():
    """Solves with a starting guess, and the dense solutions: bidiagonalisations damp the difference from it."""

    def about(M, y, d, x0):
        return x0 + _least_squares(M, y - M @ x0, d)

    tight = {"niter": 60, "tol": 1e-14}
    return {
        "cgls": (
            lambda M, y, d, x0: basic.cgls(Mat(M), y, x0, damp=d, **tight).x,
            lambda *a: _least_squares(*a[:3]),
            A,
            y,
        ),
        "cg": (lambda M, y, d, x0: basic.cg(Mat(M), y, x0, damp=d, **tight).x, lambda *a: _square(*a[:3]), S, b),
        "lsqr": (lambda M, y, d, x0: basic.lsqr(Mat(M), y, x0, d, 1e-14, 0, niter=60).x, about, A, y),
        "lsmr": (lambda M, y, d, x0: krylov.lsmr(Mat(M), y, x0, damp=d, **tight).x, about, A, y),
    }


@pytest.mark.parametrize("name", ["cgls", "cg", "lsqr", "lsmr"])
@pytest.mark.parametrize("damp", [0.0, 0.7])
def test_derivatives_with_a_starting_guess(name, damp):
    x0 = jnp.asarray(np.random.default_rng(3).normal(size=6))
    solve, dense, M, data = _started()[name]
    args = (jnp.asarray(M), jnp.asarray(data), damp, x0)
    assert_allclose(solve(*args), dense(*args), rtol=1e-8)

    def cost(f):
        return lambda *a: jnp.sum(jnp.arange(1.0, 7.0) * f(*a) ** 2)

    ours = jax.grad(cost(solve), argnums=(0, 1, 2, 3))(*args)
    theirs = jax.grad(cost(dense), argnums=(0, 1, 2, 3))(*args)
    for g, e in zip(ours, theirs):
        assert_allclose(g, e, rtol=1e-7, atol=1e-8)


def test_second_order_in_the_operator():
    def cost(f):
        return lambda M: jnp.sum(f(M, jnp.asarray(y), 0.7) ** 2)

    direction = jnp.asarray(np.random.default_rng(0).normal(size=A.shape))

    def product(f):
        return jax.jvp(jax.grad(f), (jnp.asarray(A),), (direction,))[1]

    assert_allclose(product(cost(LINEAR["cgls"][0])), product(cost(_least_squares)), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["cgls", "lsqr", "cg"])
def test_complex_derivatives(name):
    kind = "complex128"
    M, y = tall(kind=kind) if name != "cg" else definite(kind=kind)
    solve, dense = LINEAR[name][:2]

    def cost(f):
        return lambda M, y: jnp.sum(jnp.abs(f(M, y, 0.7)) ** 2) + jnp.sum(jnp.real(f(M, y, 0.7)) ** 3)

    ours = jax.grad(cost(solve), argnums=(0, 1))(jnp.asarray(M), jnp.asarray(y))
    theirs = jax.grad(cost(dense), argnums=(0, 1))(jnp.asarray(M), jnp.asarray(y))
    assert_allclose(ours[1], theirs[1], rtol=1e-7, atol=1e-10)
    if name != "cg":
        assert_allclose(ours[0], theirs[0], rtol=1e-7, atol=1e-10)
        return
    # a Hermitian solver knows Hermitian changes only
    change = np.random.default_rng(0).normal(size=(6, 6)) + 1j * np.random.default_rng(1).normal(size=(6, 6))
    change = jnp.asarray(change + change.conj().T)
    assert_allclose(
        jax.jvp(lambda M: solve(M, y, 0.7), (jnp.asarray(M),), (change,))[1],
        jax.jvp(lambda M: dense(M, y, 0.7), (jnp.asarray(M),), (change,))[1],
        rtol=1e-7, atol=1e-10,
    )  # fmt: skip


@pytest.mark.parametrize("solver", ["cgls", "lsqr", "lsmr"])
def test_underdetermined_systems_have_the_derivative_of_the_pseudo_inverse(solver):
    tight = {"cgls": {"tol": 1e-14}, "lsqr": {"atol": 1e-14, "btol": 1e-14}, "lsmr": {"tol": 1e-14}}[solver]
    function = getattr(krylov if solver == "lsmr" else basic, solver)
    wide, data = jnp.asarray(A[:4]), jnp.asarray(y[:4])

    def cost(M, y):
        return jnp.sum(jnp.arange(1.0, 7.0) * function(Mat(M), y, niter=40, **tight).x ** 2)

    def dense(M, y):
        return jnp.sum(jnp.arange(1.0, 7.0) * (M.T @ jnp.linalg.solve(M @ M.T, y)) ** 2)

    for g, e in zip(jax.grad(cost, argnums=(0, 1))(wide, data), jax.grad(dense, argnums=(0, 1))(wide, data)):
        assert_allclose(g, e, rtol=1e-7, atol=1e-9)


def test_rank_deficient_operators_give_finite_derivatives():
    D = operax.FirstDerivative(20, kind="centered")
    gradient = jax.grad(lambda y: jnp.sum(basic.cgls(D, y, niter=100, tol=1e-10).x ** 2))(jnp.ones(20))
    assert np.all(np.abs(np.asarray(gradient)) < 1e6)


REGULARIZED = {
    "normal": lambda e, y: leastsquares.normal_equations_inversion(
        Mat(A), y, [D6], epsRs=[e], epsI=0.1 * e, rtol=1e-14
    )[0],
    "regularized": lambda e, y: leastsquares.regularized_inversion(Mat(A), y, [D6], epsRs=[e], atol=1e-14, btol=0)[0],
    "preconditioned": lambda e, y: leastsquares.preconditioned_inversion(
        Mat(A[:, :4]), y, Mat(e * jnp.eye(4, 3) + 0.1), atol=1e-14, btol=0
    )[0],
    "fista": lambda e, y: sparsity.fista(Mat(A), y, eps=2 * e, niter=3000, tol=1e-15, restart=True)[0],
    "ista": lambda e, y: sparsity.ista(Mat(A), y, eps=2 * e, niter=5000, tol=1e-15)[0],
    "fista half": lambda e, y: sparsity.fista(
        Mat(A), y, eps=e, niter=3000, tol=1e-15, threshkind="half", restart=True
    )[0],
    "fista SOp": lambda e, y: sparsity.fista(
        Mat(A), y, eps=2 * e, niter=3000, tol=1e-15, restart=True, SOp=Mat(np.linalg.qr(A[:6])[0])
    )[0],
    "irls data": lambda e, y: sparsity.irls(
        Mat(A), y, epsR=0.1 * e, epsI=0.1, nouter=300, tolIRLS=1e-14, atol=1e-14, btol=0
    )[0],
    "irls model": lambda e, y: sparsity.irls(
        Mat(A), y, epsI=0.3 * e, nouter=500, tolIRLS=1e-14, kind="model", atol=1e-14, btol=0
    )[0],
    "omp": lambda e, y: e * sparsity.omp(Mat(A), y, niter_outer=3)[0],
    "spgl1 tau": lambda e, y: sparsity.spgl1(Mat(A), y, tau=e, opt_tol=1e-14, iter_lim=3000)[0],
    "spgl1 sigma": lambda e, y: sparsity.spgl1(Mat(A), y, sigma=3 * e, opt_tol=1e-13, iter_lim=3000)[0],
    "splitbregman": lambda e, y: sparsity.splitbregman(
        Mat(A), y, [D6], epsRL1s=[e], niter_outer=500, niter_inner=1, tol=1e-15, atol=1e-15, btol=0
    )[0],
    "admm": lambda e, y: proximal.admm(
        Mat(A), y, [D6], epsRL1s=[e], niter=1000, tol=1e-15, engine="scipy", atol=1e-15, btol=0
    )[0],
    "primaldual": lambda e, y: proximal.primaldual(Mat(A), y, [D6], epsRL1s=[e], niter=5000, tol=1e-14)[0],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", REGULARIZED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_derivatives_of_the_others_by_finite_differences(name):
    solve = REGULARIZED[name]

    @jax.jit
    def cost(e, y):
        x = solve(e, y)
        return jnp.sum(jnp.arange(1.0, 1.0 + x.size) * x**2)

    data = jnp.asarray(y)
    ours = jax.grad(cost, argnums=(0, 1))(0.7, data)
    step = 1e-5
    slope = (cost(0.7 + step, data) - cost(0.7 - step, data)) / (2 * step)
    assert abs(float(ours[0])) > 1e-3
    assert_allclose(ours[0], slope, rtol=2e-5, atol=1e-7)
    assert_allclose(ours[1], difference(lambda v: cost(0.7, v), y, step), rtol=2e-4, atol=2e-6)
    forward = jax.jvp(cost, (0.7, data), (1.0, data))[1]
    assert_allclose(forward, ours[0] + ours[1] @ data, rtol=1e-6)


def test_fista_second_order():
    gradient = jax.jit(jax.grad(lambda y: jnp.sum(REGULARIZED["fista"](1.0, y) ** 2)))
    hessian = jax.jacfwd(gradient)(jnp.asarray(y))
    rows = np.stack([difference(lambda v, i=i: gradient(v)[i], y, 1e-5) for i in range(3)])
    assert_allclose(hessian[:3], rows, rtol=1e-5, atol=1e-7)


def test_fista_complex():
    M, data = tall(kind="complex128")

    def cost(y):
        x = sparsity.fista(Mat(M), y + jnp.asarray(data), eps=2.0, niter=3000, tol=1e-15, restart=True)[0]
        return jnp.sum(jnp.abs(x) ** 2)

    assert_allclose(jax.grad(cost)(jnp.zeros(9)), difference(cost, np.zeros(9), 1e-5), rtol=1e-5, atol=1e-7)


def test_derivatives_under_vmap():
    def cost(y, d):
        return jnp.sum(basic.cgls(Mat(A), y, niter=60, damp=d, tol=1e-13).x ** 2)

    damps = jnp.asarray([0.1, 0.5, 1.0])
    batch = jax.vmap(jax.grad(cost, argnums=(0, 1)), in_axes=(None, 0))(jnp.asarray(y), damps)
    for i, d in enumerate(damps):
        alone = jax.grad(cost, argnums=(0, 1))(jnp.asarray(y), d)
        assert_allclose(batch[0][i], alone[0], rtol=1e-9)
        assert_allclose(batch[1][i], alone[1], rtol=1e-9)
    both = jnp.stack([jnp.asarray(y), 2 * jnp.asarray(y)], axis=1)
    trailing = jax.grad(lambda Y: jnp.sum(basic.cgls(Mat(A), Y, niter=60, damp=0.5, tol=1e-13).x ** 2))(both)
    assert_allclose(trailing[:, 0], jax.grad(cost)(jnp.asarray(y), 0.5), rtol=1e-8)


def test_memory_of_a_gradient_does_not_grow_with_the_iterations():
    def temporary(niter):
        f = jax.jit(jax.grad(lambda y: jnp.sum(basic.cgls(Mat(jnp.asarray(A)), y, niter=niter).x ** 2)))
        memory = f.lower(jnp.asarray(y)).compile().memory_analysis()
        return memory.temp_size_in_bytes

    assert temporary(2000) - temporary(20) < 3 * 8 * 2000


def test_the_gradient_of_a_preconditioned_start_is_that_of_the_solution():
    start = jnp.asarray(np.random.default_rng(0).normal(size=6))

    def cost(y, start):
        return jnp.sum(basic.cgls(Mat(A), y, x0=start, niter=60, tol=1e-14).x ** 2)

    plain = jax.grad(lambda y: jnp.sum(_least_squares(jnp.asarray(A), y, 0.0) ** 2))(jnp.asarray(y))
    of_data, of_start = jax.grad(cost, argnums=(0, 1))(jnp.asarray(y), start)
    assert_allclose(of_data, plain, rtol=1e-8)
    assert_allclose(of_start, 0, atol=1e-12)
