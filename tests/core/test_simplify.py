"""What products and sums become, that results stay the same, and what is known of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax._core.compose import Product, Scaled, Sum
from operax._core.simplify import structure_of
from operax.signalprocessing import FFT

rng = np.random.default_rng(0)
A = operax.MatrixMult(rng.standard_normal((4, 6)))
B = operax.MatrixMult(rng.standard_normal((6, 6)))
C = operax.MatrixMult(rng.standard_normal((6, 6)) + 1j * rng.standard_normal((6, 6)))
D = operax.Diagonal(rng.standard_normal((2, 3)))
E = operax.Diagonal(rng.standard_normal((2, 3)) + 1j)
D6, E6 = (operax.Diagonal(d.diag.reshape(-1)) for d in (D, E))
R = operax.Restriction((2, 3), [2, 0], axis=1)
R2 = operax.Restriction((2, 2), [1], axis=1)
P = operax.Pad((2, 3), ((1, 0), (2, 2)))
T = operax.Transpose((2, 3), (1, 0))
F = FFT(6)
I, Z = operax.Identity((2, 3)), operax.Zero((2, 3))

CASES = {
    "D D": (D, E, "@", "Diagonal"),
    "D I": (D, I, "@", "Diagonal"),
    "I D": (I, D, "@", "Diagonal"),
    "I I": (I, I, "@", "Identity"),
    "Z D kept": (D, Z, "@", "Product"),
    "Z flip": (operax.Flip((2, 3)), Z, "@", "Zero"),
    "flip flip": (operax.Flip((2, 3)), operax.Flip((2, 3)), "@", "Identity"),
    "flips of two axes": (operax.Flip((2, 3), axis=0), operax.Flip((2, 3)), "@", "Product"),
    "roll roll": (operax.Roll((2, 3)), operax.Roll((2, 3)), "@", "Roll"),
    "roll back": (operax.Roll((2, 3)).H, operax.Roll((2, 3)), "@", "Identity"),
    "transpose back": (T.H, T, "@", "Identity"),
    "R R.H": (R, R.H, "@", "Identity"),
    "R.H R": (R.H, R, "@", "Mask"),
    "R R": (R2, R, "@", "Restriction"),
    "P.H P": (P.H, P, "@", "Identity"),
    "P P.H kept": (P, P.H, "@", "Product"),
    "D + D": (D, E, "+", "Diagonal"),
    "D + 0": (D, Z, "+", "Diagonal"),
    "A + A": (A, A, "+", "Scaled"),
    "A - A kept": (A, -1 * A, "+", "Sum"),
    "2A 3B": (2 * A, 3 * B, "@", "Scaled"),
    "complex number and conj": ((1 + 2j) * C, operax.Conj(6), "@", "Product"),
    "F.H D F + F.H E F": (F.H @ D6 @ F, F.H @ E6 @ F, "+", "Product"),
    "F.H D F F.H E F": (F.H @ D6 @ F, F.H @ E6 @ F, "@", "Product"),
    "blocks": (operax.BlockDiag([A, D6]), operax.BlockDiag([B, E6]), "@", "BlockDiag"),
    "kronecker": (operax.Kronecker(A, D6), operax.Kronecker(B, E6), "@", "Kronecker"),
    "conj conj kept": (operax.Conj(6), operax.Conj(6), "@", "Product"),
    "gridded identity beside a flat one": (operax.Identity(6), D, "@", "Product"),
}


@pytest.mark.parametrize("name", CASES)
def test_result_and_form(name):
    left, right, sign, expected = CASES[name]
    op = left @ right if sign == "@" else left + right
    assert type(op).__name__ == expected
    plain = Product(left, right) if sign == "@" else Sum(left, right)
    assert (op.dims, op.dimsd, op.clinear) == (plain.dims, plain.dimsd, plain.clinear)
    for dtype in ("float64", "complex128", "float32"):
        x, y = (
            (rng.standard_normal(n) + (1j * rng.standard_normal(n) if dtype[0] == "c" else 0)).astype(dtype)
            for n in (op.dims, op.dimsd)
        )
        for a, b, v in ((op, plain, x), (op.H, plain.H, y), (op.to("jax"), plain.to("jax"), jnp.asarray(x))):
            np.testing.assert_allclose(a @ v, b @ v, atol=2e-5 if dtype == "float32" else 1e-12)
            assert (a @ v).dtype == (b @ v).dtype


def test_lengths_of_what_remains():
    assert len((F.H @ D6 @ F @ F.H @ E6 @ F).ops) == 3
    assert len((A @ D6 @ E6 @ operax.Identity(6)).ops) == 2
    assert (2 * (3 * A)).factor == 6
    negative = -A
    assert -negative is A
    assert ((2 * A) @ (3 * B)).factor == 6
    assert B**1 is B
    assert A.H.H is A
    assert type((A @ B).H @ (A @ B)) is Product
    assert ((F.H @ D6 @ F) + (F.H @ E6 @ F)).ops[1].diag.shape == (6,)


def test_a_real_transform_is_not_taken_for_the_identity():
    # on real input F.H F gives complex results, which the identity would not
    assert (F.H @ F @ np.ones(6)).dtype == np.complex128
    assert type(F.H @ F) is Product
    G = FFT(6, dtype="complex64")
    assert type(G.H @ G).__name__ == "Identity"
    assert (G.H @ G @ np.ones(6, "float32")).dtype == np.complex64


def test_explicit_dtypes_keep_operators_apart_where_they_matter():
    wide = operax.Identity(6, dtype="float64")
    narrow = operax.Flip(6, dtype="float32")
    assert (wide @ narrow @ np.ones(6, "float32")).dtype == np.float64
    assert (operax.Diagonal(np.arange(6)) @ operax.Diagonal(np.ones(6, "f")) @ np.ones(6, "f")).dtype == np.float32


def test_what_was_not_sampled_may_be_nan():
    x = np.array([[1.0, np.nan, 2], [3, np.nan, 4]])
    np.testing.assert_array_equal(R.H @ R @ x, [[1, 0, 2], [3, 0, 4]])
    np.testing.assert_array_equal((R.H @ R @ R.H @ R) @ x, [[1, 0, 2], [3, 0, 4]])


def test_forced_shapes_are_left_alone():
    op = operax.Identity((2, 3), forceflat=True) @ operax.Identity((2, 3))
    assert type(op) is Product


def test_inside_jit_and_grad():
    def loss(d, e, x):
        op = operax.Diagonal(d) @ operax.Diagonal(e)
        assert type(op) is operax.Diagonal
        normal = A.H @ A
        assert structure_of(normal) == {"hermitian", "psd"}
        return jnp.sum(op @ x) + jnp.sum(normal @ x)

    d, e, x = (jnp.asarray(rng.standard_normal(6)) for _ in range(3))
    np.testing.assert_allclose(jax.jit(jax.grad(loss))(d, e, x), e * x, rtol=1e-10)

    @jax.jit
    def same_structure(op):
        assert structure_of(op) == {"hermitian", "psd"}  # kept through the flattening of the argument
        return op @ x

    np.testing.assert_allclose(same_structure(A.H @ A), A.H @ (A @ x), rtol=1e-10)


@pytest.mark.parametrize(
    ("op", "known"),
    [
        (A.H @ A, {"hermitian", "psd"}),
        ((A @ B).H @ (A @ B), {"hermitian", "psd"}),
        (A @ A.H, {"hermitian", "psd"}),
        (A @ D6 @ A.H, {"hermitian"}),
        (A @ (B.H @ B) @ A.H, {"hermitian", "psd"}),
        (2 * (A.H @ A) + 0.5 * operax.Identity(6), {"hermitian", "psd"}),
        (-1 * (A.H @ A), {"hermitian"}),
        (1j * (A.H @ A), set()),
        (D6 + operax.Identity(6), {"diagonal", "hermitian"}),
        (E6, {"diagonal"}),
        (operax.Roll(6) @ operax.Flip(6), {"unitary"}),
        (operax.Flip(6), {"hermitian", "unitary"}),
        (F, {"unitary"}),
        (F.H @ D6 @ F, {"hermitian"}),
        (FFT(6, nfft=8), set()),
        (FFT(6, norm="none"), set()),
        (operax.BlockDiag([A.H @ A, B.H @ B]), {"hermitian", "psd"}),
        (operax.BlockDiag([A, B]), set()),
        (operax.Kronecker(A.H @ A, operax.Identity(3)), {"hermitian", "psd"}),
        ((A.H @ A) ** 2, {"hermitian", "psd"}),
        (A, set()),
        (A @ B, set()),
    ],
    ids=lambda value: "-".join(sorted(value)) if isinstance(value, set) else repr(value),  # the same in every process
)
def test_what_is_known(op, known):
    assert structure_of(op) == known
    matrix = op.todense()
    if "hermitian" in known:
        np.testing.assert_allclose(matrix, matrix.conj().T, atol=1e-12)
    if "psd" in known:
        assert np.linalg.eigvalsh(matrix).min() > -1e-12
    if "unitary" in known:
        np.testing.assert_allclose(matrix.conj().T @ matrix, np.eye(len(matrix)), atol=1e-12)
    if "diagonal" in known:
        np.testing.assert_allclose(matrix, np.diag(np.diag(matrix)), atol=1e-12)


def test_declared_knowledge_is_believed():
    op = operax.FunctionOperator(lambda x: 3 * x, lambda y: 3 * y, 4)
    op.known = {"psd", "hermitian"}
    assert structure_of(op + operax.Identity(4)) == {"hermitian", "psd"}


def test_inverses():
    K = operax.Kronecker(
        operax.MatrixMult(rng.standard_normal((2, 2)) + 3 * np.eye(2)), operax.Diagonal(np.ones(3) * 2)
    )
    np.testing.assert_allclose((K.inv() @ K).todense(), np.eye(6), atol=1e-12)
    with pytest.raises(TypeError, match="has no method inv"):
        operax.Kronecker(operax.FirstDerivative(3), D6).inv()


def test_scaling_by_an_array_stays_differentiable():
    found = jax.grad(lambda a: jnp.sum((a * (2 * A)) @ jnp.ones(6)))(jnp.asarray(3.0))
    np.testing.assert_allclose(found, 2 * A.A.sum(), rtol=1e-10)
    assert type(np.float32(2) * A) is Scaled
