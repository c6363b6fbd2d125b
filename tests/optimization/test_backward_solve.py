"""The solve that a gradient makes: it uses the preconditioner of the forward solve, and a starting guess if given.

What users asked for: a preconditioner for conjugate gradients, which must serve their gradients as well.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose

import operax
from operax.optimization import basic, krylov
from optimization._problems import definite, tall

SIZE = 40
STEEP = np.geomspace(1.0, 1e8, SIZE)  # without a preconditioner hopeless in a few iterations
y = jnp.asarray(np.random.default_rng(0).normal(size=SIZE))

SOLVERS = {
    "cg": (basic.cg, 1 / STEEP, {}),
    "cgls": (basic.cgls, 1 / STEEP**2, {}),
    "bicgstab": (krylov.bicgstab, 1 / STEEP, {}),
    "gmres": (krylov.gmres, 1 / STEEP, {"restart": 3}),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_the_preconditioner_serves_the_gradient(name):
    solver, M, options = SOLVERS[name]
    d = jnp.asarray(STEEP)

    def cost(d, M):
        return jnp.sum(jnp.sin(solver(operax.Diagonal(d), y, niter=3, tol=1e-13, M=M, **options)[0] * d))

    truth = jax.grad(lambda d: jnp.sum(jnp.sin(y / d * jax.lax.stop_gradient(d))))(d)
    # only the operator's own dependence: the factor d in the cost has its own share
    share = jax.grad(lambda d: jnp.sum(jnp.sin(y / jax.lax.stop_gradient(d) * d)))(d)
    assert_allclose(jax.grad(cost)(d, jnp.asarray(M)), truth + share, rtol=1e-8, atol=1e-9)


def test_transposed_preconditioner_for_systems_without_symmetry():
    rng = np.random.default_rng(0)
    A = jnp.asarray(np.diag(STEEP) @ (np.eye(SIZE) + 0.1 * rng.normal(size=(SIZE, SIZE))))  # rows of all sizes
    M = operax.MatrixMult(jnp.linalg.inv(A))

    def cost(A):
        return jnp.sum(krylov.bicgstab(operax.MatrixMult(A), y, niter=4, tol=1e-13, M=M)[0] ** 2)

    x = jnp.linalg.solve(A, y)
    assert_allclose(jax.grad(cost)(A), -jnp.outer(jnp.linalg.solve(A.T, 2 * x), x), rtol=1e-4, atol=1e-12)


def test_a_starting_guess_for_the_gradient():
    S, b = definite()
    A, data = tall()
    weights = jnp.arange(1.0, 7.0)
    guess = jnp.zeros(6)
    normal = A.T @ A + 0.25 * np.eye(6)
    cases = {
        "cg": (S, lambda g, n: basic.cg(operax.MatrixMult(S).to("jax"), b, niter=n, tol=1e-13, adjoint_x0=g)[0]),
        "cgls": (
            normal,
            lambda g, n: basic.cgls(
                operax.MatrixMult(A).to("jax"), data, niter=n, damp=0.5, tol=1e-13, adjoint_x0=g
            )[0],
        ),
        "lsqr": (
            normal,
            lambda g, n: basic.lsqr(
                operax.MatrixMult(A).to("jax"), data, niter=n, damp=0.5, atol=1e-13, btol=0, adjoint_x0=g
            )[0],
        ),
    }  # fmt: skip
    for matrix, solve in cases.values():
        next_guess = jax.grad(lambda g, solve=solve: weights @ solve(g, 60))(guess)
        assert_allclose(next_guess, np.linalg.solve(matrix, weights), rtol=1e-8)
        # a guess does not change the solution
        assert_allclose(solve(next_guess, 60), solve(guess, 60), rtol=0, atol=0)


def test_a_good_guess_saves_the_iterations_of_the_gradient():
    d = jnp.asarray(np.geomspace(1.0, 1e4, SIZE))
    counted = []

    class Counting(operax.LinearOperator):
        def __init__(self, d):
            super().__init__(dims=SIZE, dimsd=SIZE)
            self.d = d

        def _forward(self, x):
            jax.debug.callback(lambda: counted.append(1))
            return self.d * x

        _adjoint = _forward

    def cost(d, guess):
        return jnp.sum(basic.cg(Counting(d), y, niter=500, tol=1e-10, adjoint_x0=guess)[0] ** 2)

    gradient = jax.jit(jax.grad(cost, argnums=(0, 1)))

    def applications(guess):
        counted.clear()
        slope, following = jax.block_until_ready(gradient(d, guess))
        jax.effects_barrier()
        return len(counted), slope, following

    cold, slope, guess = applications(jnp.zeros(SIZE))
    warm, again, _ = applications(guess)
    assert warm < 0.7 * cold
    assert_allclose(again, slope, rtol=1e-6)
    assert_allclose(slope, -2 * y**2 / d**3, rtol=1e-6, atol=1e-12)


def test_guess_for_complex_models_and_for_several_right_hand_sides():
    S, b = definite(kind="complex128")
    op = operax.MatrixMult(S).to("jax")
    cost = lambda y, g: jnp.sum(jnp.abs(basic.cg(op, y, niter=60, tol=1e-13, adjoint_x0=g)[0]) ** 4)
    slope, guess = jax.grad(cost, argnums=(0, 1))(jnp.asarray(b), jnp.zeros(6, "complex128"))
    assert_allclose(guess, slope, rtol=1e-10)  # data and right-hand side are one
    # with the guess the backward solve is done before it starts: not one iteration is needed
    one = lambda y, g: jnp.sum(jnp.abs(basic.cg(op, y, niter=60, tol=1e-8, adjoint_x0=g)[0]) ** 4)
    assert_allclose(jax.grad(one)(jnp.asarray(b), guess), slope, rtol=1e-7)
    several = jnp.stack([jnp.asarray(b), 2 * jnp.asarray(b)], axis=-1)
    both = jax.grad(cost, argnums=1)(several, jnp.zeros((6, 2), "complex128"))
    assert_allclose(both[:, 0], guess, rtol=1e-10)
    assert_allclose(both[:, 1], 8 * guess, rtol=1e-10)


def test_errors():
    op = operax.MatrixMult(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"adjoint_x0 needs a unique solution.*give damp"):
        operax.cgls(op, np.ones(2), adjoint_x0=np.zeros(3))
    with pytest.raises(ValueError, match=r"adjoint_x0 has shape \(2,\)"):
        operax.cgls(op, np.ones(2), damp=1.0, adjoint_x0=np.zeros(2))
    with pytest.raises(TypeError, match="adjoint_x0 must be an array"):
        operax.cgls(op, np.ones(2), damp=1.0, adjoint_x0=0.0)
