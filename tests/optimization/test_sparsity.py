"""Sparsity-promoting solvers: closed forms, optimality conditions, published rates, and PyLops' iterates."""

import jax.numpy as jnp
import numpy as np
import pylops
import pytest
from numpy.testing import assert_allclose

import operax
from operax import MatrixMult
from operax.optimization.krylov import bicgstab, gmres, lsmr, minres
from operax.optimization.proximal import admm, primaldual
from operax.optimization.sparsity import fista, irls, ista, omp, spgl1, splitbregman
from optimization._problems import LIBRARIES, tall

both = pytest.mark.parametrize("library", LIBRARIES)
A, y = tall()
ALPHA = 0.9 / np.linalg.norm(A, 2) ** 2
KINDS = ["soft", "hard", "half", "soft-percentile", "hard-percentile", "half-percentile"]


def soft(x, t):
    return np.sign(x) * np.maximum(np.abs(x) - t, 0)


@both
@pytest.mark.parametrize("name", ["ista", "fista"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("complex_data", [False, True])
def test_iterates_are_those_of_the_reference(library, name, kind, complex_data):
    """Users asked for complex models in ISTA and FISTA, with all thresholds, on JAX as well."""
    to = LIBRARIES[library]
    M, data = tall(kind="complex128") if complex_data else (A, y)
    ours = {"ista": ista, "fista": fista}[name]
    theirs = getattr(pylops, name)
    options = {"niter": 6, "eps": 0.3, "alpha": 0.9 / np.linalg.norm(M, 2) ** 2, "threshkind": kind}
    if "percentile" in kind:
        options["perc"] = 50
    a, b = ours(MatrixMult(to(M)), to(data), **options), theirs(pylops.MatrixMult(M, dtype=M.dtype), data, **options)
    assert_allclose(a[0], b[0], rtol=1e-10, atol=1e-14)
    assert a[1] == b[1]
    decay = np.linspace(1, 0.2, 6)
    a = ours(MatrixMult(to(M)), to(data), decay=decay, x0=to(np.ones(6, M.dtype)), **options)
    b = theirs(pylops.MatrixMult(M, dtype=M.dtype), data, decay=decay, x0=np.ones(6, M.dtype), **options)
    assert_allclose(a[0], b[0], rtol=1e-10, atol=1e-14)


@both
@pytest.mark.parametrize("solver", [ista, fista])
def test_lasso_optimality(library, solver):
    to = LIBRARIES[library]
    options = {"restart": True} if solver is fista else {}
    x = np.asarray(solver(MatrixMult(to(A)), to(y), eps=4.0, niter=5000, tol=1e-14, **options).x)
    g = A.T @ (y - A @ x)
    assert 0 < np.sum(x != 0) < 6
    assert_allclose(g[x != 0], 2.0 * np.sign(x[x != 0]), rtol=1e-8)
    assert np.all(np.abs(g) <= 2.0 + 1e-8)


@both
def test_estimated_step_is_safe(library):
    """Users asked for a step size without knowing the largest eigenvalue."""
    to = LIBRARIES[library]
    rng = np.random.default_rng(0)
    for _ in range(5):
        M = rng.normal(size=(30, 40))
        cost = ista(MatrixMult(to(M)), to(rng.normal(size=30)), niter=50, eps=0.1, monitorres=False).cost
        assert np.all(np.diff(cost) <= 1e-9)
        assert cost[-1] < cost[0]


def test_rate_of_fista():
    rng = np.random.default_rng(0)
    M, truth = rng.normal(size=(40, 100)), np.zeros(100)
    truth[:5] = 3
    data = M @ truth
    L = np.linalg.norm(M, 2) ** 2
    # the objective whose proximal step this is: half the weight
    best = fista(MatrixMult(M), data, eps=1.0, alpha=1 / L, niter=20000, restart=True, tol=1e-14).x

    def objective(x):
        return 0.5 * np.sum((data - M @ x) ** 2) + 0.5 * np.sum(np.abs(x))

    for niter in (10, 40, 160):
        x = fista(MatrixMult(M), data, eps=1.0, alpha=1 / L, niter=niter, tol=0).x
        assert objective(x) - objective(best) <= 2 * L * np.sum(best**2) / (niter + 1) ** 2


def test_restarts_of_fista_save_iterations():
    """Users asked for an adaptive FISTA: with `restart` the momentum is dropped where it points uphill."""
    rng = np.random.default_rng(0)
    M = rng.normal(size=(60, 40)) * np.geomspace(1, 30, 40)
    data = M @ rng.normal(size=40)
    plain, adaptive = (fista(MatrixMult(M), data, eps=1.0, niter=5000, tol=1e-10, restart=r) for r in (False, True))
    assert adaptive.converged
    assert adaptive.iterations < 0.7 * plain.iterations
    # both the conditions of optimality and the cost say that nothing is lost by it
    assert adaptive.cost[-1] <= plain.cost[-1] * (1 + 1e-9)
    gradient = M.T @ (data - M @ adaptive.x)
    assert_allclose(gradient[adaptive.x != 0], 0.5 * np.sign(adaptive.x[adaptive.x != 0]), atol=1e-4)
    assert np.all(np.abs(gradient) <= 0.5 + 1e-4)


def test_one_forward_an_iteration():
    """Users asked that watching the cost costs no second application of the operator."""
    Op = MatrixMult(A)
    calls = []
    forward = type(Op)._forward
    try:
        type(Op)._forward = lambda self, x: calls.append(1) or forward(self, x)
        fista(Op, y, niter=10, alpha=ALPHA, tol=0)
    finally:
        type(Op)._forward = forward
    assert len(calls) == 10


@both
def test_increasing_residual_is_an_error_where_monitored(library):
    to = LIBRARIES[library]
    with pytest.raises(ValueError, match="alpha"):
        ista(MatrixMult(to(A)), to(y), alpha=1.0, niter=20, monitorres=True)
    with pytest.raises(ValueError, match="threshkind='firm'"):
        ista(MatrixMult(to(A)), to(y), threshkind="firm")
    with pytest.raises(ValueError, match="perc"):
        ista(MatrixMult(to(A)), to(y), threshkind="soft-percentile")
    with pytest.raises(ValueError, match="decay"):
        ista(MatrixMult(to(A)), to(y), decay=np.ones(3))
    with pytest.raises(ValueError, match="SOp"):
        ista(MatrixMult(to(A)), to(y), SOp=operax.Identity(5))


@both
def test_synthesis_in_an_orthogonal_transform(library):
    to = LIBRARIES[library]
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]
    x = fista(operax.Identity(6), to(y[:6]), SOp=MatrixMult(Q), eps=1.0, alpha=1.0, niter=100, tol=1e-12).x
    assert_allclose(x, Q @ soft(Q.T @ y[:6], 0.5), atol=1e-10)


@both
@pytest.mark.parametrize(
    "options", [{}, {"threshR": True}, {"warm": True}, {"kind": "model"}], ids=["data", "clipped", "warm", "model"]
)
def test_irls_is_that_of_the_reference(library, options):
    to = LIBRARIES[library]
    rows = 4 if options.get("kind") == "model" else 9
    common = {"nouter": 4, "epsR": 1e-2, "epsI": 1e-1, "atol": 0, "btol": 0, **options}
    ours = irls(MatrixMult(to(A[:rows])), to(y[:rows]), **common)
    theirs = pylops.irls(pylops.MatrixMult(A[:rows]), y[:rows], **common)
    assert_allclose(ours[0], theirs[0], rtol=1e-8)
    assert ours[1] == theirs[1]


@both
def test_irls_ignores_outliers_and_finds_sparse_models(library):
    to = LIBRARIES[library]
    rng = np.random.default_rng(0)
    M, truth = rng.normal(size=(40, 3)), np.array([1.0, -2.0, 3.0])
    data = M @ truth
    data[[3, 17]] += 100
    assert_allclose(irls(MatrixMult(to(M)), to(data), nouter=50, epsR=1e-6).x, truth, atol=1e-4)
    M, truth = rng.normal(size=(15, 30)), np.zeros(30)
    truth[[4, 20]] = [1, -2]
    x = irls(MatrixMult(to(M)), to(M @ truth), nouter=50, epsI=1e-6, kind="model").x
    assert_allclose(x, truth, atol=1e-3)
    with pytest.raises(ValueError, match="kind='both'"):
        irls(MatrixMult(M), M @ truth, kind="both")


@both
@pytest.mark.parametrize(
    "options",
    [{}, {"normalizecols": True}, {"niter_inner": 0, "optimal_coeff": True}],
    ids=["omp", "normalised", "mp"],
)
def test_omp_is_that_of_the_reference(library, options):
    to = LIBRARIES[library]
    ours = omp(MatrixMult(to(A)), to(y), niter_outer=3, sigma=0, **options)
    theirs = pylops.omp(pylops.MatrixMult(A), y, niter_outer=3, sigma=0, **options)
    assert_allclose(ours[0], theirs[0], rtol=1e-9, atol=1e-14)
    assert ours[1] == theirs[1]
    assert_allclose(ours[2], theirs[2], rtol=1e-9)


@both
def test_omp_recovers_a_sparse_model(library):
    to = LIBRARIES[library]
    rng = np.random.default_rng(0)
    M, truth = rng.normal(size=(30, 60)), np.zeros(60)
    truth[[3, 30, 44]] = [2.0, -1.0, 1.5]
    result = omp(MatrixMult(to(M)), to(M @ truth), niter_outer=10, sigma=1e-8)
    assert_allclose(result.x, truth, atol=1e-8)
    assert result.iterations == 3
    assert result.converged
    several = omp(MatrixMult(to(M)), to(np.stack([M @ truth, M[:, 7]], 1)), niter_outer=10, sigma=1e-8)
    assert list(several.iterations) == [3, 1]


@both
def test_spgl1_on_its_three_problems(library):
    to = LIBRARIES[library]
    rng = np.random.default_rng(0)
    M, truth = rng.normal(size=(20, 50)), np.zeros(50)
    truth[[3, 17, 40]] = [1, -2, 3]
    data = M @ truth
    x, p, info = spgl1(MatrixMult(to(M)), to(data))
    assert_allclose(x, truth, atol=1e-3)
    assert info["stat"] == 3
    assert p is not None
    x, _, info = spgl1(MatrixMult(to(M)), to(data), tau=4.0, opt_tol=1e-9)
    x = np.asarray(x)
    g = M.T @ (data - M @ x)
    assert info["stat"] == 4
    assert_allclose(np.sum(np.abs(x)), 4.0, rtol=1e-6)
    # optimality on the ball: the gradient is largest, with the right sign, where the model is not zero
    assert_allclose((np.sign(x) * g)[np.abs(x) > 1e-4], np.max(np.abs(g)), rtol=1e-3)
    x, _, info = spgl1(MatrixMult(to(M)), to(data + 0.01 * rng.normal(size=20)), sigma=0.05)
    assert info["stat"] == 1
    assert_allclose(info["rnorm"], 0.05, rtol=1e-3)
    assert np.sum(np.abs(np.asarray(x))) < 6
    Q = np.linalg.qr(rng.normal(size=(50, 50)))[0]
    x, p, info = spgl1(MatrixMult(to(M @ Q.T)), to(data), SOp=MatrixMult(Q))
    assert_allclose(p, truth, atol=1e-3)
    assert_allclose(x, Q @ truth, atol=1e-3)


@both
def test_split_bregman_is_that_of_the_reference(library):
    to = LIBRARIES[library]
    rng = np.random.default_rng(0)
    R, Q, d = np.diff(np.eye(6), axis=0), rng.normal(size=(3, 6)), rng.normal(size=3)
    options = {
        "niter_outer": 3, "niter_inner": 2, "mu": 1.5, "epsRL1s": [0.7], "epsRL2s": [0.4], "dataregsL2": [d],
        "tau": 0.9, "atol": 0, "btol": 0,
    }  # fmt: skip
    ours = splitbregman(MatrixMult(to(A)), to(y), [MatrixMult(R)], RegsL2=[MatrixMult(Q)], **options)
    theirs = pylops.splitbregman(
        pylops.MatrixMult(A), y, [pylops.MatrixMult(R)], RegsL2=[pylops.MatrixMult(Q)], **options
    )
    assert_allclose(ours[0], theirs[0], rtol=1e-9)
    assert ours[1] == theirs[1]


@both
def test_total_variation_by_three_methods(library):
    to = LIBRARIES[library]
    rng = np.random.default_rng(0)
    data = np.repeat([0.0, 2.0, -1.0], 8) + 0.02 * rng.normal(size=24)
    D, I = operax.FirstDerivative(24, kind="forward"), operax.Identity(24)
    one = np.asarray(admm(I, to(data), [D], epsRL1s=[0.5], niter=2000, tol=1e-10, engine="scipy").x)
    two = np.asarray(primaldual(I, to(data), [D], epsRL1s=[0.5], niter=20000, tol=1e-10).x)
    three = np.asarray(
        splitbregman(I, to(data), [D], epsRL1s=[0.5**0.5], niter_outer=2000, niter_inner=1, tol=1e-10)[0]
    )
    assert_allclose(one, two, atol=1e-6)
    assert_allclose(three, two, atol=1e-6)
    # closed form: pieces stay constant, and each mean moves by the jumps' subgradients over the length
    means = data.reshape(3, 8).mean(axis=1) + 0.5 * np.array([1, -2, 1]) / 8
    assert_allclose(one.reshape(3, 8), np.tile(means[:, None], 8), atol=1e-6)


@both
def test_primal_dual_with_positive_models(library):
    import scipy.optimize

    to = LIBRARIES[library]
    x = primaldual(MatrixMult(to(A)), to(y), nonnegative=True, niter=20000, tol=1e-10).x
    assert_allclose(x, scipy.optimize.nnls(A, y)[0], atol=1e-6)


@both
@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_square_krylov_solvers(library, kind):
    to = LIBRARIES[library]
    M, data = tall(rows=8, columns=8, kind=kind)
    general = M + 4 * np.eye(8)
    hermitian = M + M.conj().T  # indefinite
    Y = np.stack([data, 2 * data[::-1]], axis=1)
    for damp in (0.0, 0.3):
        expected = np.linalg.solve(general + damp * np.eye(8), Y)
        for solver, options in ((gmres, {"restart": 5, "niter": 100}), (gmres, {}), (bicgstab, {"niter": 200})):
            result = solver(MatrixMult(to(general)), to(Y), tol=1e-11, damp=damp, **options)
            assert_allclose(result.x, expected, rtol=1e-7, atol=1e-9)
            assert result.converged.all()
            one = solver(MatrixMult(to(general)), to(data), tol=1e-11, damp=damp, x0=to(data), **options)
            assert_allclose(one.x, expected[:, 0], rtol=1e-7, atol=1e-9)
        shifted = hermitian + damp * np.eye(8)
        result = minres(MatrixMult(to(hermitian)), to(Y), tol=1e-12, damp=damp)
        assert_allclose(result.x, np.linalg.solve(shifted, Y), rtol=1e-6, atol=1e-8)
    M = 1 / np.diag(general)
    assert_allclose(
        gmres(MatrixMult(to(general)), to(data), M=to(M)).x, np.linalg.solve(general, data), rtol=1e-5, atol=1e-7
    )


@both
@pytest.mark.parametrize("damp", [0.0, 0.5])
def test_lsmr(library, damp):
    import scipy.sparse.linalg as sla

    to = LIBRARIES[library]
    for kind in ("float64", "complex128"):
        M, data = tall(kind=kind)
        result = lsmr(MatrixMult(to(M)), to(data), damp=damp, tol=1e-13)
        expected = np.linalg.solve(M.conj().T @ M + damp**2 * np.eye(6), M.conj().T @ data)
        assert_allclose(result.x, expected, rtol=1e-9)
    three = lsmr(MatrixMult(to(A)), to(y), damp=damp, niter=3, tol=0)
    assert_allclose(three.x, sla.lsmr(A, y, damp=damp, maxiter=3, atol=0, btol=0)[0], rtol=1e-10)


def test_single_precision_stays():
    M, data = jnp.asarray(A, jnp.float32), jnp.asarray(y, jnp.float32)
    for to in (np.asarray, jnp.asarray):
        Op, d = MatrixMult(to(M)), to(data)
        D = operax.FirstDerivative(6, kind="forward")
        results = [
            ista(Op, d, decay=np.ones(10)), fista(Op, d, alpha=np.float64(0.01), eps=np.float64(0.1)),
            irls(Op, d, epsR=0.1, epsI=0.1, nouter=3), omp(Op, d, niter_outer=2),
            splitbregman(Op, d, [D], niter_outer=2), primaldual(Op, d, [D], niter=5, epsRL1s=[np.float64(0.1)]),
            spgl1(Op, d, tau=1.0, iter_lim=5), lsmr(Op, d, niter=5), gmres(Op.H @ Op, Op.H @ d, niter=2),
            minres(Op.H @ Op, Op.H @ d, niter=5), bicgstab(Op.H @ Op, Op.H @ d, niter=5),
        ]  # fmt: skip
        for result in results:
            assert result[0].dtype == np.float32, result


@pytest.mark.parametrize("kind", ["soft", "half", "hard"])
def test_cost_is_what_is_minimised_and_falls(kind):
    rng = np.random.default_rng(5)
    A, y, eps = rng.normal(size=(20, 30)), rng.normal(size=20), 1.5
    result = ista(MatrixMult(A), y, niter=60, eps=eps, threshkind=kind, tol=0.0)
    size = np.abs(result.x)
    penalty = {"soft": size.sum(), "half": 0.5 * np.sqrt(size).sum(), "hard": np.count_nonzero(size)}[kind]
    np.testing.assert_allclose(result.cost[-1], 0.5 * np.sum((y - A @ result.x) ** 2) + 0.5 * eps * penalty)
    assert np.all(np.diff(result.cost) <= 1e-12) and result.cost[-1] < 0.95 * result.cost[0]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_real_guess_of_a_complex_model(library):
    rng = np.random.default_rng(5)
    A = rng.normal(size=(8, 6)) + 1j * rng.normal(size=(8, 6))
    op, truth = MatrixMult(A), rng.normal(size=6) + 1j * rng.normal(size=6)
    data, guess = LIBRARIES[library](A @ truth), LIBRARIES[library](np.ones(6))
    identity = [operax.Identity(6)]
    for result in (
        ista(op, data, x0=guess, eps=1e-10, niter=400, tol=0.0),
        fista(op, data, x0=guess, eps=1e-10, niter=400, tol=0.0),
        irls(op, data, x0=guess, epsI=1e-8, nouter=3),
        splitbregman(op, data, identity, x0=guess, epsRL1s=[1e-6], niter_outer=3),
        primaldual(op, data, identity, x0=guess, epsRL1s=[1e-10], niter=2000, tol=1e-12),
    ):
        assert_allclose(result[0], truth, atol=2e-3)


@pytest.mark.parametrize("scale", [1e-3, 1.0])
def test_both_engines_of_split_bregman_go_on_to_the_same_solution(scale):
    rng = np.random.default_rng(0)
    A, D = rng.normal(size=(30, 20)), operax.FirstDerivative(20, kind="forward")
    data = scale * (A @ np.repeat([0.0, 2.0, -1.0, 1.0], 5) + 0.05 * rng.normal(size=30))
    options = {"niter_outer": 60, "epsRL1s": [scale**0.5], "tol": 1e-10}
    scipy, pylops = (splitbregman(MatrixMult(A), data, [D], engine=e, **options) for e in ("scipy", "pylops"))
    # an inner solve that does nothing is no convergence
    assert pylops.iterations > 30
    assert_allclose(pylops.x, scipy.x, atol=1e-4 * scale)
