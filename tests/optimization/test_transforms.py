"""Solvers inside jax.jit, under jax.vmap, on sharded arrays; what is compiled and how often."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec
from numpy.testing import assert_allclose

import operax
from operax.optimization import basic, krylov, leastsquares, proximal, sparsity
from operax.optimization._implicit import solve_compiled
from operax.optimization.eigs import power_iteration
from optimization._problems import definite, tall

I6 = operax.Identity(6)
D6 = operax.FirstDerivative(6, kind="forward")

SOLVERS = {
    "cg": lambda A, y: basic.cg(A.H @ A, A.H @ y, niter=30),
    "cg damp": lambda A, y: basic.cg(A.H @ A, A.H @ y, niter=30, damp=0.1, x0=A.H @ y),
    "cgls": lambda A, y: basic.cgls(A, y, niter=30),
    "cgls damp": lambda A, y: basic.cgls(A, y, niter=30, damp=0.1),
    "lsqr": lambda A, y: basic.lsqr(A, y, niter=30),
    "normal": lambda A, y: leastsquares.normal_equations_inversion(A, y, [D6], epsRs=[0.1]),
    "regularized": lambda A, y: leastsquares.regularized_inversion(A, y, [D6], epsRs=[0.1]),
    "regularized cgls": lambda A, y: leastsquares.regularized_inversion(A, y, [D6], epsRs=[0.1], engine="pylops"),
    "preconditioned": lambda A, y: leastsquares.preconditioned_inversion(A, y, 2.0 * I6),
    "ista": lambda A, y: sparsity.ista(A, y, niter=20),
    "ista alpha": lambda A, y: sparsity.ista(A, y, niter=20, alpha=0.01),
    "ista hard": lambda A, y: sparsity.ista(A, y, niter=20, threshkind="hard"),
    "ista half": lambda A, y: sparsity.ista(A, y, niter=20, threshkind="half"),
    "ista percentile": lambda A, y: sparsity.ista(A, y, niter=20, threshkind="soft-percentile", perc=50),
    "fista": lambda A, y: sparsity.fista(A, y, niter=20),
    "fista SOp": lambda A, y: sparsity.fista(A, y, niter=20, SOp=I6, decay=np.linspace(1, 0.1, 20)),
    "irls data": lambda A, y: sparsity.irls(A, y, nouter=3, epsR=0.1, epsI=0.1),
    "irls model": lambda A, y: sparsity.irls(A, y, nouter=3, epsI=0.1, kind="model"),
    "omp": lambda A, y: sparsity.omp(A, y, niter_outer=3),
    "mp": lambda A, y: sparsity.omp(A, y, niter_outer=3, niter_inner=0, optimal_coeff=True),
    "spgl1": lambda A, y: sparsity.spgl1(A, y, sigma=1.5, iter_lim=50),
    "splitbregman": lambda A, y: sparsity.splitbregman(A, y, [D6], niter_outer=3),
    "admm": lambda A, y: proximal.admm(A, y, [D6], niter=3, tol=0),
    "primaldual": lambda A, y: proximal.primaldual(A, y, [D6], niter=20),
    "lsmr": lambda A, y: krylov.lsmr(A, y, niter=30),
    "minres": lambda A, y: krylov.minres(A.H @ A, A.H @ y, niter=30),
    "gmres": lambda A, y: krylov.gmres(A.H @ A, A.H @ y, niter=3, restart=6),
    "bicgstab": lambda A, y: krylov.bicgstab(A.H @ A, A.H @ y, niter=30),
}
every = pytest.mark.parametrize("name", SOLVERS)


def _close(ours, expected, name):
    assert_allclose(ours, expected, rtol=1e-5, atol=1e-6, err_msg=name)


@every
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_jit_and_vmap_give_what_numpy_gives(name):
    A, y = tall()
    data = np.stack([y, np.linspace(-1, 1, 9), 1e-3 * y])
    solve = SOLVERS[name]
    expected = [solve(operax.MatrixMult(A), d) for d in data]
    Op = operax.MatrixMult(jnp.asarray(A))
    eager = solve(Op, jnp.asarray(y))
    _close(eager[0], expected[0][0], "eager")
    inside = jax.jit(lambda op, y: solve(op, y))(Op, jnp.asarray(y))
    _close(inside[0], expected[0][0], "jit")
    batch = jax.vmap(lambda y: solve(Op, y))(jnp.asarray(data))
    for i, e in enumerate(expected):
        _close(batch[0][i], e[0], f"vmap lane {i}")
    if name not in ("spgl1", "cg", "cgls", "cg damp", "cgls damp"):
        return
    # each lane stops by itself: it makes the iterations that it makes alone
    alone = [int(jax.jit(lambda y: solve(Op, y))(jnp.asarray(d)).iterations) for d in data]
    assert [int(i) for i in batch.iterations] == alone


@pytest.mark.parametrize("name", ["cgls", "lsqr", "fista", "cg damp"])
def test_vmap_over_operators(name):
    y = tall()[1]
    matrices = np.stack([tall(seed)[0] for seed in range(3)])
    solve = SOLVERS[name]
    ops = jax.tree.map(lambda *v: jnp.stack(v), *[operax.MatrixMult(jnp.asarray(m)) for m in matrices])
    batch = jax.vmap(lambda op: solve(op, jnp.asarray(y)))(ops)
    for i, matrix in enumerate(matrices):
        _close(batch[0][i], solve(operax.MatrixMult(matrix), y)[0], name)


def test_per_lane_stopping_under_vmap():
    S, _ = definite()
    vectors = np.linalg.eigh(S)[1]
    data = np.stack([vectors[:, 0], vectors @ np.ones(6), np.zeros(6)])
    Op = operax.MatrixMult(jnp.asarray(S))
    result = jax.vmap(lambda y: basic.cg(Op, y, niter=40, tol=1e-12))(jnp.asarray(data))
    assert list(np.asarray(result.iterations))[::2] == [1, 0]
    assert int(result.iterations[1]) >= 6
    assert np.all(np.asarray(result.converged))


def test_one_compilation_for_one_structure():
    solve_compiled.clear_cache()
    rng = np.random.default_rng(0)
    for _ in range(3):
        Op = operax.MatrixMult(jnp.asarray(rng.normal(size=(9, 6))))
        basic.cgls(Op, jnp.asarray(rng.normal(size=9)), niter=7, damp=float(rng.uniform(0.1, 1)), tol=rng.uniform())
    assert solve_compiled._cache_size() == 1
    for eps in (0.1, 0.2):
        leastsquares.regularized_inversion(Op, jnp.ones(9), [D6], epsRs=[eps])
    assert solve_compiled._cache_size() == 2


def test_one_loop_and_one_forward_an_iteration():
    A, y = tall()
    Op, y = operax.MatrixMult(jnp.asarray(A)), jnp.asarray(y)

    def walk(jaxpr, inside):
        """Operator applications inside loops, and the number of loops."""
        applied = loops = 0
        for equation in jaxpr.eqns:
            name = equation.primitive.name
            looping = name == "while"
            applied, loops = applied + (inside and name == "apply_linear_operator"), loops + looping
            for value in equation.params.values():
                for sub in value if isinstance(value, tuple | list) else (value,):
                    if hasattr(sub, "eqns") or hasattr(sub, "jaxpr"):
                        more = walk(getattr(sub, "jaxpr", sub), inside or looping)
                        applied, loops = applied + more[0], loops + more[1]
        return applied, loops

    def applications(solve):
        applied, loops = walk(jax.make_jaxpr(lambda op, y: solve(op, y)[0])(Op, y).jaxpr, False)
        assert loops == 1
        return applied

    assert applications(lambda op, y: basic.cgls(op, y, niter=5)) == 2
    assert applications(lambda op, y: basic.lsqr(op, y, niter=5)) == 2
    assert applications(lambda op, y: sparsity.ista(op, y, niter=5, alpha=0.1)) == 2
    assert applications(lambda op, y: sparsity.fista(op, y, niter=5, alpha=0.1)) == 2


def test_history_inside_jit_ends_with_the_last_cost():
    A, y = tall()
    Op = operax.MatrixMult(jnp.asarray(A))
    result = jax.jit(lambda y: basic.cgls(Op, y, niter=50, tol=1e-10))(jnp.asarray(y))
    eager = basic.cgls(Op, jnp.asarray(y), niter=50, tol=1e-10)
    assert result.cost.shape == (51,)
    assert_allclose(result.cost[: eager.iterations + 1], eager.cost)
    assert_allclose(result.cost[eager.iterations :], eager.cost[-1])
    assert result.reason == eager.reason


def test_callbacks_inside_jit_are_refused():
    A, y = tall()
    Op = operax.MatrixMult(jnp.asarray(A))
    with pytest.raises(TypeError, match=r"jax\.jit"):
        jax.jit(lambda y: basic.cgls(Op, y, callback=lambda x: None)[0])(jnp.asarray(y))


def test_power_iteration_on_jax():
    S, _ = definite()
    expected = np.linalg.eigvalsh(S)[-1]
    value, vector, _niter = power_iteration(operax.MatrixMult(S), niter=200, tol=1e-12, dtype="float64", backend="jax")
    assert isinstance(vector, jax.Array)
    assert_allclose(value, expected, rtol=1e-8)
    f = jax.jit(lambda op: power_iteration(op, niter=200, tol=1e-12, dtype="float64")[0])
    assert_allclose(f(operax.MatrixMult(jnp.asarray(S))), expected, rtol=1e-8)
    # the derivative of an eigenvalue is the outer product of its vectors
    gradient = jax.grad(f)(operax.MatrixMult(jnp.asarray(S))).A
    assert_allclose(gradient, np.outer(vector, vector), atol=1e-4)


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
@pytest.mark.parametrize("name", ["cg", "cgls", "lsqr", "fista", "lsmr"])
def test_sharded_arrays_stay_sharded(name, kind):
    mesh = jax.make_mesh((4,), ("i",), axis_types=(kind,))
    rng = np.random.default_rng(0)
    diag, y = rng.uniform(1, 2, size=(8, 3)), rng.normal(size=(8, 3))
    solve = {
        "cg": lambda op, y: basic.cg(op, y, niter=20, tol=1e-10),
        "cgls": lambda op, y: basic.cgls(op, y, niter=20, tol=1e-10, damp=0.1),
        "lsqr": lambda op, y: basic.lsqr(op, y, niter=20),
        "fista": lambda op, y: sparsity.fista(op, y, niter=20, alpha=0.2),
        "lsmr": lambda op, y: krylov.lsmr(op, y, niter=20),
    }[name]
    expected = solve(operax.Diagonal(diag, dims=(8, 3)), y)[0]
    where = NamedSharding(mesh, PartitionSpec("i", None))
    with jax.set_mesh(mesh):
        Op = operax.Diagonal(jax.device_put(diag, where), dims=(8, 3))
        x = jax.jit(lambda op, y: solve(op, y)[0])(Op, jax.device_put(y, where))
        assert_allclose(np.asarray(x), expected, rtol=1e-6, atol=1e-9)
        assert x.sharding.is_equivalent_to(where, 2), x.sharding
