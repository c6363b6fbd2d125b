"""Flat operators beside n-dimensional ones: sizes decide, not shapes, in every solver that takes several operators."""

import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax.optimization.proximal import admm, primaldual

N = 6
Y = np.random.default_rng(0).normal(size=N * N)
FLAT, GRID = operax.Identity(N * N), operax.Diagonal(np.ones((N, N)))
# a derivative along rows, once as a grid operator and once as a matrix on flat models
D = operax.FirstDerivative((N, N), axis=1)
MATRIX = operax.MatrixMult(D.todense())
S = operax.MatrixMult(np.linalg.qr(np.random.default_rng(1).normal(size=(N * N, N * N)))[0])
S_GRID = operax.aslinearoperator(S.A, dims=(N, N), dimsd=(N, N))

CALLS = {
    "regularized_inversion": lambda op, y, D, S: operax.regularized_inversion(op, y, [D], epsRs=[0.5])[0],
    "normal_equations_inversion": lambda op, y, D, S: operax.normal_equations_inversion(op, y, [D], epsRs=[0.5])[0],
    "normal equations, NRegs": lambda op, y, D, S: operax.normal_equations_inversion(
        op, y, None, NRegs=[D.H @ D], epsNRs=[0.5]
    )[0],
    "preconditioned_inversion": lambda op, y, D, S: operax.preconditioned_inversion(op, y, S)[0],
    "splitbregman": lambda op, y, D, S: operax.splitbregman(
        op, y, [D], RegsL2=[D], epsRL2s=[0.1], epsRL1s=[0.1], niter_outer=3, niter_inner=2, iter_lim=5
    )[0],
    "admm": lambda op, y, D, S: admm(op, y, [D], epsRL1s=[0.1], niter=5)[0],
    "primaldual": lambda op, y, D, S: primaldual(op, y, [D], epsRL1s=[0.1], niter=5)[0],
    "ista": lambda op, y, D, S: operax.ista(op, y, niter=5, eps=0.5, alpha=1.0, SOp=S)[0],
    "fista": lambda op, y, D, S: operax.fista(op, y, niter=5, eps=0.5, alpha=1.0, SOp=S)[0],
    "spgl1": lambda op, y, D, S: operax.spgl1(op, y, SOp=S, tau=2.0, iter_lim=10)[0],
    "cgls with M": lambda op, y, D, S: operax.cgls(2 * op, y, niter=3, M=S @ S.H)[0],
    "irls": lambda op, y, D, S: operax.irls(op, y, nouter=2, kind="data")[0],
}


@pytest.mark.parametrize("to", [np.asarray, jnp.asarray], ids=["numpy", "jax"])
@pytest.mark.parametrize("name", CALLS)
def test_shapes_of_the_parts_do_not_matter(name, to):
    call, y = CALLS[name], to(Y)
    truth = np.ravel(call(FLAT, y, MATRIX, S))
    assert np.abs(truth).max() > 1e-3
    for op, derivative, transform in ((FLAT, D, S_GRID), (GRID, MATRIX, S), (GRID, D, S_GRID)):
        np.testing.assert_allclose(np.ravel(call(op, y, derivative, transform)), truth, atol=1e-6)
