"""The algebra against dense matrices."""

import numpy as np
import pytest

from operax import LinearOperator


class Matrix(LinearOperator):
    def __init__(self, A, dims=None, dimsd=None):
        super().__init__(dims=dims or A.shape[1], dimsd=dimsd or A.shape[0])
        self.A = A

    def _forward(self, x):
        x = x.reshape(*x.shape[: x.ndim - len(self.dims)], -1)
        return (x @ self.A.T).reshape(*x.shape[:-1], *self.dimsd)

    def _adjoint(self, y):
        y = y.reshape(*y.shape[: y.ndim - len(self.dimsd)], -1)
        return (y @ self.A.conj()).reshape(*y.shape[:-1], *self.dims)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def complex_matrix(rng, m, n):
    return rng.standard_normal((m, n)) + 1j * rng.standard_normal((m, n))


def test_every_expression_has_the_matrix_of_its_formula(rng):
    A, B, C = complex_matrix(rng, 4, 6), complex_matrix(rng, 4, 6), complex_matrix(rng, 6, 6)
    a, b, c = Matrix(A, dims=(2, 3)), Matrix(B, dims=(2, 3)), Matrix(C, dims=(2, 3), dimsd=(3, 2))
    cases = [
        (a + b, A + B),
        (a - b, A - B),
        (-a, -A),
        (2 * a, 2 * A),
        (a * (1 - 2j), (1 - 2j) * A),
        (np.float64(3) * a, 3 * A),
        (np.asarray(1j) * a, 1j * A),
        (a @ c, A @ C),
        (a * c, A @ C),
        (a.dot(c), A @ C),
        (a.H @ b, A.conj().T @ B),
        ((a @ c).H, (A @ C).conj().T),
        ((a @ c).T, (A @ C).T),
        ((a @ c).conj(), (A @ C).conj()),
        (a.T, A.T),
        (a.T.H, A.conj()),
        (a.H.T, A.conj()),
        (a.T.T, A),
        (a.conj().conj(), A),
        (a.adjoint(), A.conj().T),
        (a.transpose(), A.T),
        (c**3, C @ C @ C),
        (c**0, np.eye(6)),
        ((c**2).H, (C @ C).conj().T),
        (a.apply_columns([0, 5, 2]), A[:, [0, 5, 2]]),
        (a.apply_columns([-1]), A[:, [-1]]),
        ((2j * a).H, (2j * A).conj().T),
        ((2j * (a + b)).T, (2j * (A + B)).T),
        (a @ c @ c - 2 * b @ c, A @ C @ C - 2 * B @ C),
    ]
    for op, expected in cases:
        assert op.shape == expected.shape
        np.testing.assert_allclose(op.todense(), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(op.H.todense(), expected.conj().T, rtol=1e-12, atol=1e-12)


def test_toreal_and_toimag(rng):
    A, x, y = complex_matrix(rng, 4, 6), complex_matrix(rng, 6, 1)[:, 0], complex_matrix(rng, 4, 1)[:, 0]
    a = Matrix(A)
    np.testing.assert_allclose(a.toreal() @ x, (A @ x).real)
    np.testing.assert_allclose(a.toreal().H @ y, (A.conj().T @ y).real)
    np.testing.assert_allclose(a.toreal(forw=True, adj=False).H @ y, A.conj().T @ y)
    np.testing.assert_allclose(a.toreal(forw=False) @ x, A @ x)
    np.testing.assert_allclose(a.toimag() @ x, (A @ x).imag)
    np.testing.assert_allclose(a.toimag().H @ y.real, A.imag.T @ y.real)
    u = rng.standard_normal(6)
    np.testing.assert_allclose((a.toimag() @ u) @ y.real, u @ (a.toimag().H @ y.real))
    np.testing.assert_allclose(a.toimag(adj=False).H @ y, A.conj().T @ y)


def test_rows_times_an_operator(rng):
    A = complex_matrix(rng, 4, 6)
    rows = complex_matrix(rng, 3, 4)
    op = Matrix(A, dims=(2, 3), dimsd=(2, 2))
    np.testing.assert_allclose(rows @ op, rows @ A)
    np.testing.assert_allclose(rows[0] @ op, rows[0] @ A)
    with pytest.raises(ValueError, match="rows of 4 values"):
        np.ones(5) @ op


def test_shapes_that_do_not_fit_are_named(rng):
    a, b = Matrix(rng.standard_normal((4, 6))), Matrix(rng.standard_normal((5, 6)))
    with pytest.raises(ValueError, match="takes 6 values, the right one gives 5"):
        a @ b
    with pytest.raises(ValueError, match=r"cannot add.*\(4, 6\) and \(5, 6\)"):
        a + b
    with pytest.raises(ValueError, match="square"):
        a**2
    with pytest.raises(ValueError, match="power"):
        Matrix(np.eye(2)) ** -1
    with pytest.raises(ValueError, match="cols"):
        a.apply_columns([6])
    with pytest.raises(TypeError, match="only operators can be added"):
        a + 3


def test_results_keep_the_style_of_the_input(rng):
    A = rng.standard_normal((6, 6))
    op = Matrix(A, dims=(2, 3), dimsd=(3, 2))
    assert (op @ np.ones(6)).shape == (6,)
    assert (op @ np.ones((2, 3))).shape == (3, 2)
    assert (op @ np.ones((6, 4))).shape == (6, 4)
    assert (op @ np.ones((2, 3, 4))).shape == (3, 2, 4)
    assert op.batched(np.ones((7, 8, 2, 3))).shape == (7, 8, 3, 2)
    with pytest.raises(ValueError, match=r"\(\*batch, \(2, 3\)\)"):
        op.batched(np.ones((3, 2)))


def test_a_flat_model_with_gridded_data_and_forceflat(rng):
    A = rng.standard_normal((6, 5))
    assert (Matrix(A, dimsd=(2, 3)) @ np.ones(5)).shape == (2, 3)
    forced = Matrix(A, dimsd=(2, 3))
    forced.forceflat = True
    assert (forced @ np.ones(5)).shape == (6,)


def test_scalar_factors_never_widen_the_result(rng):
    A = rng.standard_normal((4, 6)).astype(np.float32)
    op = Matrix(A)
    x = np.ones(6, np.float32)
    for factor in (2, 2.5, np.float64(2.5), np.asarray(2.5)):
        assert ((factor * op) @ x).dtype == np.float32
    assert ((2j * op) @ x).dtype == np.complex64
    assert (2 * op).dtype == np.float32


def test_small_integers_do_not_wrap_around():
    import jax.numpy as jnp

    import operax

    pixels = np.full((3, 4), 200, np.uint8)
    total = operax.Sum((3, 4), axis=0)
    np.testing.assert_array_equal(total @ pixels, np.full(4, 600.0))
    np.testing.assert_array_equal(total @ jnp.asarray(pixels), np.full(4, 600.0))
    stack = operax.VStack([operax.Identity(3), operax.Identity(3)])
    np.testing.assert_array_equal(stack.H @ np.full(6, 200, np.uint8), np.full(3, 400.0))
    np.testing.assert_array_equal((2 * operax.Flip(3)) @ np.full(3, 200, np.uint8), np.full(3, 400.0))
    np.testing.assert_array_equal(total @ np.ones((3, 4), bool), np.full(4, 3.0))


def test_writing_into_an_array_after_construction_changes_nothing():
    import jax.numpy as jnp

    import operax

    d = np.arange(3.0)
    op = operax.Diagonal(d)
    op @ jnp.ones(3)
    d[0] = 50
    np.testing.assert_array_equal(op @ np.ones(3), [0, 1, 2])
    np.testing.assert_array_equal(op @ jnp.ones(3), [0, 1, 2])
    op.diag = d
    np.testing.assert_array_equal(op @ jnp.ones(3), [50, 1, 2])


@pytest.mark.parametrize("kind", ["Laplacian", "Gradient", "SecondDerivative", "Convolve2D"])
def test_stencils_in_a_row_cost_what_they_cost_one_after_the_other(kind):
    # fused, each would compute the ones before it for every neighbour that it reads
    import jax
    import jax.numpy as jnp

    import operax

    single = {
        "Laplacian": lambda: operax.Laplacian((40, 40)),
        "Gradient": lambda: operax.Gradient((40, 40)),
        "SecondDerivative": lambda: operax.SecondDerivative((40, 40)),
        "Convolve2D": lambda: operax.signalprocessing.Convolve2D((40, 40), np.ones((3, 3)), offset=(1, 1)),
    }[kind]().to("jax")

    def work(op):
        x = jnp.ones(op.dims)
        compiled = jax.jit(lambda op, x: op @ x).lower(op, x).compile()
        return compiled.cost_analysis()["flops"]

    once, chain = single.H @ single, single.H @ single @ single.H @ single
    assert work(once) <= 1.5 * (work(single) + work(single.H))
    assert work(chain) <= 2.5 * work(once)
