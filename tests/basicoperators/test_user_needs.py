"""What users of operator libraries asked for, where it concerns the basic operators: one test a need."""

import importlib.util

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse

import operax

rng = np.random.default_rng(0)


def test_operators_with_numpy_parameters_run_on_jax_and_the_reverse():
    A, d = rng.standard_normal((5, 6)), rng.standard_normal(6)
    for op in (
        operax.MatrixMult(A),
        operax.Diagonal(d),
        operax.Restriction(6, np.array([1, 4])),
        operax.CausalIntegration(6, kind="trapezoidal"),
        operax.Regression(d, 3),
        operax.Spread((2, 3), (4, 5), table=np.ones((2, 3, 4))),
        operax.Smoothing1D(3, 6),
        operax.FirstDirectionalDerivative((2, 3), np.ones((2, 2, 3))),
        operax.VStack([A, operax.Diagonal(d)]),
        operax.MemoizeOperator(operax.MatrixMult(A)),
    ):
        x = rng.standard_normal(op.dims)
        expected = op @ x
        for form in (op, op.to("jax")):
            assert isinstance(form @ jnp.asarray(x), jax.Array)
            assert isinstance(form @ x, np.ndarray)
            np.testing.assert_allclose(form @ jnp.asarray(x), expected, atol=1e-12)
            np.testing.assert_allclose(form @ x, expected, atol=1e-12)
            np.testing.assert_allclose(jax.jit(lambda v, form=form: form @ v)(x), expected, atol=1e-12)


def test_single_precision_stays_single():
    for op in (
        operax.FirstDerivative(6),
        operax.Laplacian((3, 4)),
        operax.Smoothing2D((3, 3), (4, 5)),
        operax.CausalIntegration(5, sampling=0.1),
    ):
        assert (op @ np.ones(op.dims, "float32")).dtype == np.float32
        assert (op.H @ np.ones(op.dimsd, "float32")).dtype == np.float32
    y = rng.standard_normal(5).astype("float32")
    assert (operax.MatrixMult(rng.standard_normal((5, 5)).astype("float32")) / y).dtype == np.float32
    assert ((operax.Diagonal(np.ones(5, "f")) + 0.1 * operax.FirstDerivative(5)) / y).dtype == np.float32


def test_batches_in_front_and_column_vectors():
    op = operax.FirstDerivative((3, 4))
    x = rng.standard_normal((2, 5, 3, 4))
    np.testing.assert_allclose(op.batched(x)[1, 2], op @ x[1, 2])
    assert op.matvec(np.ones((12, 1))).shape == (12, 1)


def test_flat_inputs_can_give_flat_results():
    op = operax.Identity((5, 5), forceflat=True) @ operax.Identity(25)
    assert (op @ np.zeros(25)).shape == (25,)
    stack = operax.HStack([operax.Flip((2, 3))] * 2, forceflat=True)
    assert (stack @ np.zeros(12)).shape == (6,)


def test_move_to_a_chosen_device():
    op = operax.ToCupy((2, 3), device=0)
    x = jnp.ones((2, 3))
    assert isinstance(op @ x, jax.Array)
    np.testing.assert_array_equal(op.H @ (op @ x), x)
    device = jax.devices()[-1]
    moved = operax.Diagonal(np.ones(3)).to("jax", device=device)
    assert moved.diag.devices() == {device}


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_move_to_the_gpu_says_what_is_missing():
    with pytest.raises(ModuleNotFoundError, match="pip install cupy"):
        operax.ToCupy(3) @ np.ones(3)


def test_results_of_complex_input_keep_both_parts():
    x = rng.standard_normal(4) + 1j * rng.standard_normal(4)
    for op in (
        operax.VStack([operax.Identity(4, dtype="float64")] * 2),
        operax.Symmetrize(4, dtype="float64"),
        operax.FirstDerivative(4, dtype="float64"),
    ):
        for v in (x, jnp.asarray(x)):
            np.testing.assert_allclose(op @ v, (op @ x.real) + 1j * (op @ x.imag))


def test_sparse_matrices_of_jax():
    from jax.experimental.sparse import BCOO, BCSR

    S = scipy.sparse.random_array((6, 5), density=0.4, rng=rng)
    dense = jnp.asarray(S.toarray())
    x, y = rng.standard_normal(5), rng.standard_normal(6)
    for A in (BCOO.fromdense(dense), BCSR.fromdense(dense), S, S.tocsc()):
        op = operax.MatrixMult(A)
        for xp in (np, jnp):
            np.testing.assert_allclose(op @ xp.asarray(x), dense @ x, atol=1e-12)
            np.testing.assert_allclose(op.H @ xp.asarray(y), dense.T @ y, atol=1e-12)
        np.testing.assert_allclose(op.batched(np.ones((2, 5))), (dense @ jnp.ones((5, 2))).T)
        np.testing.assert_allclose(op.tosparse().toarray(), dense)


def test_many_columns_are_one_call():
    calls = []

    def forward(x):
        calls.append(x.shape)
        return 2 * x

    class Counted(operax.LinearOperator):
        def __init__(self):
            super().__init__(dims=3, dimsd=3)

        def _forward(self, x):
            return forward(x)

        def _adjoint(self, y):
            return forward(y)

    Counted() @ np.ones((3, 50))
    assert calls == [(50, 3)]
    assert operax.VStack([Counted(), Counted()]).matmat(np.ones((3, 50))).shape == (6, 50)
    assert len(calls) == 3
