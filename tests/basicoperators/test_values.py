"""Values that the catalogue's matrices do not cover: real-linear maps, memory, odd inputs, errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse

import operax

z = np.array([[1 + 2j, -3j, 2], [0.5, 4 - 1j, 1j]])


@pytest.mark.parametrize("library", [np, jnp])
def test_parts_of_complex_numbers(library):
    x = library.asarray(z)
    y = library.asarray(z.real)
    assert (operax.Real((2, 3)) @ x).dtype == np.float64
    np.testing.assert_array_equal(operax.Real((2, 3)) @ x, z.real)
    np.testing.assert_array_equal(operax.Real((2, 3)).H @ y, z.real.astype(complex))
    np.testing.assert_array_equal(operax.Imag((2, 3)) @ x, z.imag)
    np.testing.assert_array_equal(operax.Imag((2, 3)).H @ y, 1j * z.real)
    np.testing.assert_array_equal(operax.Conj((2, 3)) @ x, z.conj())
    np.testing.assert_array_equal(operax.Conj((2, 3)).H @ x, z.conj())
    assert not operax.Real(2).clinear
    assert (operax.Imag((2, 3), dtype="complex64") @ x.astype("complex64")).dtype == np.float32
    assert (operax.Imag((2, 3)).H @ y.astype("float32")).dtype == np.complex64


def test_infinite_imaginary_parts_stay_clean():
    found = operax.Imag(1).H @ np.array([np.inf])
    assert found.real[0] == 0
    assert found.imag[0] == np.inf


def test_memoize_counts_and_forgets():
    A = operax.MatrixMult(np.arange(6.0).reshape(3, 2))
    Op = operax.MemoizeOperator(A, max_neval=2)
    x = np.ones(2)
    y = Op @ x
    y[:] = -1  # results are the caller's
    np.testing.assert_allclose(Op @ x, A @ x)
    assert Op.neval == 1
    np.testing.assert_allclose(Op.H @ (A @ x), A.H @ (A @ x))  # not x, although (x, A x) is in the store
    assert Op.neval == 2
    Op.H @ (A @ x)
    assert (Op.neval, len(Op.store)) == (2, 2)
    Op @ (2 * x)
    assert (Op.neval, len(Op.store)) == (3, 2)
    Op @ x
    assert Op.neval == 4
    A.A = 2 * A.A
    np.testing.assert_allclose(Op @ x, A @ x)
    assert Op.neval == 1
    with pytest.raises(ValueError, match="max_neval=0"):
        operax.MemoizeOperator(A, max_neval=0)


def test_memoize_on_jax():
    Op = operax.MemoizeOperator(operax.MatrixMult(jnp.arange(6.0).reshape(3, 2)))
    x = jnp.ones(2)
    Op @ x
    Op @ x
    Op.H @ jnp.ones(3)
    Op.H @ jnp.ones(3)
    assert Op.neval == 2
    jax.jit(lambda v: Op @ v)(x)
    jax.grad(lambda v: jnp.sum(Op @ v))(x)
    assert Op.neval == 2


def test_restriction_mask():
    Op = operax.Restriction((4, 3), [0, 2], axis=0)
    x = np.arange(12.0).reshape(4, 3)
    masked = Op.mask(x)
    np.testing.assert_array_equal(np.ma.getmaskarray(masked), np.array([0, 1, 0, 1], bool)[:, None] * np.ones(3, bool))
    np.testing.assert_array_equal(masked.filled(-1)[[0, 2]], x[[0, 2]])
    np.testing.assert_array_equal(Op.mask(jnp.asarray(x)), Op.H @ (Op @ x))
    with pytest.raises(ValueError, match="repeat"):
        operax.Restriction(3, [0, 0]).mask(np.ones(3))


def test_restriction_positions():
    with pytest.raises(ValueError, match=r"\[0, 4\), got 0 to 4"):
        operax.Restriction(4, [0, 4])
    with pytest.raises(TypeError, match="flatnonzero"):
        operax.Restriction(2, [True, False])
    with pytest.raises(TypeError, match="float64"):
        operax.Restriction(4, [0.5])
    assert operax.Restriction(4, []).shape == (0, 4)
    assert operax.Restriction(4, jnp.array([1, 3])).iava.dtype == np.int32
    x = jnp.arange(4.0)
    found = jax.jit(lambda i: operax.Restriction(4, i).H @ (operax.Restriction(4, i) @ x))(jnp.array([1, 3]))
    np.testing.assert_array_equal(found, [0, 1, 0, 3])


@pytest.mark.parametrize("name", ["Diagonal", "FirstDerivative", "Restriction", "CausalIntegration", "VStack", "Sum"])
def test_odd_memory_layouts(name):
    Op = {
        "Diagonal": operax.Diagonal(np.asfortranarray(np.arange(12.0).reshape(3, 4))),
        "FirstDerivative": operax.FirstDerivative((3, 4), axis=0, kind="forward"),
        "Restriction": operax.Restriction((3, 4), [2, 0], axis=0),
        "CausalIntegration": operax.CausalIntegration((3, 4)),
        "VStack": operax.VStack([operax.Identity((3, 4)), operax.Flip((3, 4))]),
        "Sum": operax.Sum((3, 4)),
    }[name]
    x = np.arange(12.0).reshape(3, 4)
    expected = Op @ x
    frozen = x.copy()
    frozen.flags.writeable = False
    for odd in (np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[::-1].copy()[::-1], frozen):
        np.testing.assert_array_equal(Op @ odd, expected)
        np.testing.assert_array_equal(odd, x)
    np.testing.assert_array_equal(Op.to("jax") @ x, expected)


def test_results_never_share_memory_with_the_input():
    x = np.arange(12.0).reshape(3, 4)
    for Op in (
        operax.Flip((3, 4)),
        operax.Transpose((3, 4), (1, 0)),
        operax.Transpose((3, 4), (0, 1)),
        operax.Roll((3, 4), shift=0),
        operax.Pad((3, 4), ((0, 0), (0, 0))),
        operax.Restriction((3, 4), [0, 1, 2, 3]),
        operax.Identity((3, 4), inplace=False),
        operax.Identity((2, 4), (3, 4), inplace=False),
    ):
        assert not np.shares_memory(Op @ x, x), Op
        y = np.ones(Op.dimsd)
        assert not np.shares_memory(Op.H @ y, y), Op


@pytest.mark.parametrize("library", [np, jnp])
def test_sizes_of_zero(library):
    for Op in (
        operax.Identity((0, 3)),
        operax.Zero(0, 3),
        operax.Zero(3, 0),
        operax.Diagonal(np.ones(0)),
        operax.MatrixMult(np.ones((0, 3))),
        operax.MatrixMult(np.ones((3, 0))),
        operax.FirstDerivative((0, 3)),
        operax.FirstDerivative((3, 0)),
        operax.Laplacian((0, 3)),
        operax.Gradient((2, 0)),
        operax.Pad((0, 2), ((1, 1), (0, 0))),
        operax.Sum((3, 0), axis=0),
        operax.Roll((2, 0)),
        operax.CausalIntegration((0, 3)),
        operax.VStack([operax.MatrixMult(np.ones((0, 3))), operax.Identity(3)]),
    ):
        assert (Op @ library.ones(Op.dims)).shape == Op.dimsd
        assert (Op.H @ library.ones(Op.dimsd)).shape == Op.dims
        assert Op.todense().shape == Op.shape


def test_integers_meet_floats():
    for Op in (
        operax.MatrixMult(np.arange(6).reshape(2, 3)),
        operax.Diagonal(np.arange(3)),
        operax.Regression(np.arange(3), 2),
        operax.FirstDirectionalDerivative((1, 3), np.array([0, 1])),
    ):
        x = np.ones(Op.dims, "float32")
        assert (Op @ x).dtype == np.float32
        assert (Op @ jnp.asarray(x)).dtype == np.float32
    assert (operax.FirstDerivative(3) @ np.arange(3)).dtype == np.float64
    assert (operax.CausalIntegration(3) @ np.arange(3)).dtype == np.float64


def test_default_dtype_follows_the_input():
    for Op in (
        operax.FirstDerivative(6),
        operax.SecondDerivative(6),
        operax.Laplacian((3, 4)),
        operax.Smoothing1D(3, 6),
        operax.Gradient((3, 4)),
        operax.CausalIntegration(6, sampling=0.1, kind="half"),
        operax.Symmetrize(4),
        operax.Spread((1, 2), (3, 4), table=np.ones((1, 2, 3)), dtable=np.full((1, 2, 3), 0.3)),
    ):
        for dtype in ("float32", "complex64", "float64"):
            x = np.ones(Op.dims, dtype)
            assert (Op @ x).dtype == dtype
            assert (Op.H @ (Op @ jnp.asarray(x))).dtype == dtype


def test_complex_input_of_real_operators_keeps_its_imaginary_part():
    x = np.ones(4) * (1 + 1j)
    for Op in (
        operax.VStack([operax.Identity(4, dtype="float64")] * 2),
        operax.Symmetrize(4, dtype="float64"),
        operax.FirstDerivative(4, edge=True, dtype="float64"),
        operax.Pad(4, (1, 1), dtype="float64"),
    ):
        np.testing.assert_allclose(Op @ x, (Op @ x.real) + 1j * (Op @ x.imag))
        assert (Op @ x).dtype == np.complex128


def test_stacks():
    I, M = operax.Identity((2, 3)), np.ones((2, 6))
    assert operax.VStack([I, M]).dims == (6,)
    assert operax.VStack([I, I]).dims == (2, 3)
    assert operax.BlockDiag([I, I]).dims == (2, 2, 3)
    assert operax.HStack([I, I]).dimsd == (2, 3)
    assert operax.VStack([I, scipy.sparse.eye_array(6).tocsr()]).shape == (12, 6)
    with pytest.raises(ValueError, match=r"columns, got \[6, 5\]"):
        operax.VStack([I, np.ones((2, 5))])
    with pytest.raises(ValueError, match=r"rows, got \[6, 2\]"):
        operax.HStack([I, M])
    with pytest.raises(TypeError, match=r"VStack\(\[Op\]\)"):
        operax.VStack(I)
    with pytest.raises(TypeError, match="aslinearoperator"):
        operax.VStack([I, "M"])
    with pytest.raises(ValueError, match="empty"):
        operax.HStack([])
    with pytest.raises(ValueError, match="parallel_kind='mpi'"):
        operax.VStack([I], parallel_kind="mpi")
    with pytest.raises(ValueError, match="nproc=0"):
        operax.VStack([I], nproc=0)


def test_threads_give_the_same():
    ops = [operax.Diagonal(np.arange(4.0) + k) for k in range(5)]
    x, y = np.arange(4.0), np.arange(20.0)
    for make in (operax.VStack, operax.HStack, operax.BlockDiag):
        one, two = make(ops), make(ops, nproc=2)
        for a, b in ((one, two), (one.H, two.H)):
            v = np.arange(float(a.shape[1]))
            np.testing.assert_array_equal(a @ v, b @ v)
        two.nproc = 3
        assert two.nproc == 3
        two.close()
    assert (x.sum(), y.sum()) == (6.0, 190.0)


def test_stack_results_in_a_chosen_library():
    Op = operax.VStack([operax.Identity(2)] * 2, inoutengine=("jax", "numpy"))
    assert isinstance(Op @ np.ones(2), jax.Array)
    assert isinstance(Op.H @ np.ones(4), np.ndarray)


def test_function_operator_forms():
    twice = operax.FunctionOperator(lambda x: 2 * x, 3)
    np.testing.assert_array_equal(twice @ np.ones(3), 2 * np.ones(3))
    with pytest.raises(NotImplementedError, match="second argument"):
        twice.H @ np.ones(3)
    rows = jnp.arange(6.0).reshape(2, 3) * (1 + 1j)
    derived = operax.FunctionOperator(lambda x: rows @ x, 2, 3)
    np.testing.assert_allclose(derived.H @ jnp.array([1.0 + 0j, 2.0]), rows.conj().T @ jnp.array([1.0, 2.0]))
    nd = operax.FunctionOperator(lambda x: x.T, lambda y: y.T, (3, 2), (2, 3), dtype="complex64")
    assert (nd @ np.ones((2, 3))).shape == (3, 2)
    assert nd.dtype == np.complex64
    for bad in ((), (1, 2, 3), (np.sum, 1, 2, 3)):
        with pytest.raises(TypeError, match="FunctionOperator takes"):
            operax.FunctionOperator(np.sum, *bad)
    with pytest.raises(TypeError, match=r"no keyword 'dims', 'n': functions and sizes go by position"):
        operax.FunctionOperator(np.sum, n=3, dims=3)


def test_function_operator_that_is_linear_over_the_real_numbers_only():
    flip = operax.FunctionOperator(lambda x: x.conj(), lambda y: y.conj(), 3, clinear=False)
    assert not flip.clinear
    np.testing.assert_array_equal(flip @ np.array([1j, 2, 3]), [-1j, 2, 3])


def test_matrix_forms():
    A = np.arange(6.0).reshape(2, 3)
    Op = operax.MatrixMult(A, otherdims=(4, 5))
    assert (Op.dims, Op.dimsflatten, Op.dimsdflatten) == ((3, 4, 5), (3, 20), (2, 20))
    S = operax.MatrixMult(scipy.sparse.csr_matrix(A))
    assert scipy.sparse.issparse(S.A)
    S.A = scipy.sparse.csr_matrix(2 * A)
    np.testing.assert_allclose(S @ np.ones(3), 2 * A.sum(1))
    np.testing.assert_allclose(S.to("jax").A.todense(), 2 * A)
    B = np.array([[2.0, 1], [0, 4]])
    for M in (operax.MatrixMult(B), operax.MatrixMult(scipy.sparse.csc_matrix(B)), operax.MatrixMult(jnp.asarray(B))):
        np.testing.assert_allclose((M.inv() @ M).todense(), np.eye(2), atol=1e-12)
    with pytest.raises(ValueError, match="square"):
        Op.inv()
    with pytest.raises(ValueError, match="two axes"):
        operax.MatrixMult(np.ones(3))


def test_a_sparse_matrix_with_repeated_and_padded_entries():
    from jax.experimental.sparse import BCOO

    indices = jnp.array([[0, 1], [0, 1], [1, 0], [2, 2]])
    A = BCOO((jnp.array([1.0, 2, 3, 4]), indices), shape=(2, 2))
    np.testing.assert_allclose(operax.MatrixMult(A).todense(), [[0, 3], [3, 0]])
    C = scipy.sparse.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    np.testing.assert_allclose(operax.MatrixMult(C).todense(), [[0, 3], [0, 0]])


def test_gradient_in_the_values_of_a_sparse_matrix():
    A = scipy.sparse.csr_matrix(np.array([[0, 2.0], [3, 0]]))
    # the positions are whole numbers, which JAX asks to be allowed; they have no derivative
    found = jax.grad(lambda op: jnp.sum(jnp.array([1.0, 10.0]) * (op @ jnp.array([5.0, 7.0]))), allow_int=True)(
        operax.MatrixMult(A).to("jax")
    )
    np.testing.assert_allclose(found.values, [7.0, 50.0])


def test_spread_says_what_is_wrong():
    table = np.zeros((1, 2, 3))
    with pytest.raises(NotImplementedError, match="fh"):
        operax.Spread((1, 2), (3, 4))
    with pytest.raises(ValueError, match=r"\(1, 2, 3\), got \(2, 3\)"):
        operax.Spread((1, 2), (3, 4), table=table[0])
    with pytest.raises(ValueError, match=r"\[0, 3\]"):
        operax.Spread((1, 2), (3, 4), table=table + 4)
    with pytest.raises(ValueError, match=r"\[0, 2\] with fractions"):
        operax.Spread((1, 2), (3, 4), table=table + 3, dtable=table)
    with pytest.raises(ValueError, match="engine='cuda'"):
        operax.Spread((1, 2), (3, 4), table=table, engine="cuda")
    with pytest.raises(ValueError, match="interp=True"):
        operax.Spread((1, 2), (3, 4), table=table, interp=True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: operax.FirstDerivative((3, 4), axis=2), "axis=2 is out of range for 2 axis"),
        (lambda: operax.FirstDerivative(4, kind="middle"), "kind='middle'.*'centered'"),
        (lambda: operax.FirstDerivative(4, order=4), "order=4"),
        (lambda: operax.FirstDerivative(1, edge=True), "too short"),
        (lambda: operax.SecondDerivative(4, sampling=0), "sampling=0"),
        (lambda: operax.Laplacian((3, 4), axes=(0, 0)), "twice"),
        (lambda: operax.Laplacian((3, 4), weights=(1, 1, 1)), "weights="),
        (lambda: operax.Gradient((3, 4), sampling=(1.0,)), "sampling="),
        (lambda: operax.Identity((2, 3), (3, 2)), "larger"),
        (lambda: operax.Identity((2, 3), 6), "same number of axes"),
        (lambda: operax.Pad(3, (-1, 0)), "negative"),
        (lambda: operax.Pad((3, 4), ((1, 1),)), "pair"),
        (lambda: operax.Diagonal(np.ones(3), dims=(2, 4)), "fits neither"),
        (lambda: operax.Transpose((2, 3), (0,)), "each of the 2 axes"),
        (lambda: operax.CausalIntegration(3, kind="simpson"), "kind='simpson'"),
        (lambda: operax.FirstDirectionalDerivative((3, 4), np.ones(3)), "one direction"),
        (lambda: operax.Smoothing2D(3, (4, 5)), "nsmooth=3"),
        (lambda: operax.Regression(np.ones(3), order=-1), "order=-1"),
    ],
)
def test_wrong_values_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: operax.Flip("ab"), "dims='ab'"),
        (lambda: operax.Flip(3, axis=0.5), "axis=0.5"),
        (lambda: operax.Roll(3, shift=0.5), "shift=0.5"),
        (lambda: operax.Regression([1.0, 2.0], order=1), "list"),
        (lambda: operax.Kronecker(operax.Identity(2), np.ones((2, 2))), "Op2"),
        (lambda: operax.FirstDerivative(4, sampling="fine"), "sampling='fine'"),
    ],
)
def test_wrong_types_are_named(make, message):
    with pytest.raises(TypeError, match=message.replace(".", r"\.")):
        make()


def test_kronecker_of_real_linear_maps():
    Op = operax.Kronecker(operax.MatrixMult(np.array([[1.0, 2], [3, 4]])), operax.Conj(3))
    x = np.arange(6.0) * (1 + 2j)
    np.testing.assert_allclose(Op @ x, np.kron([[1, 2], [3, 4]], np.eye(3)) @ x.conj())
    assert not Op.clinear


def test_stencil_on_long_and_short_axes_of_large_arrays():
    rng = np.random.default_rng(0)
    for shape, axis in (((40000, 3), 0), ((40000, 3), 1), ((3, 50000), 1), ((7, 1000, 11), 1), ((100000,), 0)):
        x = rng.standard_normal(shape)
        for options in ({"kind": "forward"}, {"order": 5, "edge": True}, {"edge": True}):
            if options.get("order") == 5 and shape[axis] < 4:
                continue
            Op = operax.FirstDerivative(shape, axis=axis, **options)
            for a, v in ((Op, x), (Op.H, x)):
                np.testing.assert_allclose(a @ v, a @ jnp.asarray(v), atol=1e-12)
        np.testing.assert_allclose(
            operax.FirstDerivative(shape, axis=axis, kind="forward") @ x,
            np.diff(x, axis=axis, append=np.take(x, [-1], axis)),
            atol=1e-12,
        )
    x = rng.standard_normal((500, 300))
    for Op in (operax.Laplacian((500, 300), edge=True), operax.Gradient((500, 300))):
        np.testing.assert_allclose(Op @ x, Op @ jnp.asarray(x), atol=1e-12)
        y = rng.standard_normal(Op.dimsd)
        np.testing.assert_allclose(Op.H @ y, Op.H @ jnp.asarray(y), atol=1e-12)


def test_running_sums_of_every_shape_agree():
    rng = np.random.default_rng(1)
    for shape, axis in (((2000,), 0), ((40, 100), 0), ((40, 100), 1), ((5, 700), 1), ((2, 900, 3), 1), ((17,), 0)):
        x = rng.standard_normal(shape)
        Op = operax.CausalIntegration(shape, axis=axis, kind="trapezoidal")
        np.testing.assert_allclose(Op @ jnp.asarray(x), Op @ x, atol=1e-10)
        np.testing.assert_allclose(Op.H @ jnp.asarray(x), Op.H @ x, atol=1e-10)
        np.testing.assert_allclose(operax.CausalIntegration(shape, axis=axis) @ x, np.cumsum(x, axis), atol=1e-10)


def test_nothing_before_a_nan_is_touched():
    x = np.ones(3000)
    x[1500] = np.nan
    for v in (x, jnp.asarray(x)):
        y = operax.CausalIntegration(3000) @ v
        assert not np.isnan(y[:1500]).any()
        assert np.isnan(y[1500:]).all()
        assert np.isnan(operax.FirstDerivative(3000) @ v).sum() == 2


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (5, 5)])
@pytest.mark.parametrize("offsets", [(), (0,), (-2, 0, 1), (-3, 3)], ids=str)
def test_sparse_matrices_of_few_diagonals(shape, offsets):
    rng = np.random.default_rng(0)
    A = np.zeros(shape, complex)
    for d in offsets:
        A += np.eye(*shape, k=d) * (rng.normal(size=shape) + 1j * rng.normal(size=shape))
    A[1, :] = 0  # and an empty row
    Op = operax.MatrixMult(scipy.sparse.csr_matrix(A))
    x, y = rng.normal(size=shape[1]), rng.normal(size=shape[0])
    for to in (np.asarray, jnp.asarray):
        np.testing.assert_allclose(Op @ to(x), A @ x, atol=1e-12)
        np.testing.assert_allclose(Op.H @ to(y), A.conj().T @ y, atol=1e-12)
