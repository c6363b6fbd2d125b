"""Rows of the basic operators."""

import numpy as np
import scipy.sparse

import operax.basicoperators as ob
from catalogue._dense import along, by_columns, first_difference, numbers, second_difference
from catalogue._row import Row
from operax._arrays.namespace import namespace_of


def _sparse(dtype: str) -> np.ndarray:
    A = numbers((5, 4), dtype, 3)
    A[np.abs(A) < 0.7] = 0
    return A


def _bcoo(dtype: str):
    from jax.experimental.sparse import BCOO

    return BCOO.fromdense(_sparse(dtype))


def _first(dims, axis, sampling=1.0, **options):
    return Row(
        f"FirstDerivative {dims} axis={axis} {options}",
        lambda dtype: ob.FirstDerivative(dims, axis=axis, sampling=sampling, dtype=dtype, **options),
        lambda dtype: along(first_difference(dims[axis], **options), dims, axis) / sampling,
    )


def _second(dims, axis, sampling=1.0, **options):
    return Row(
        f"SecondDerivative {dims} axis={axis} {options}",
        lambda dtype: ob.SecondDerivative(dims, axis=axis, sampling=sampling, dtype=dtype, **options),
        lambda dtype: along(second_difference(dims[axis], **options), dims, axis) / sampling**2,
    )


def _laplacian(dims, axes, weights, sampling, **options):
    def matrix(dtype):
        return sum(
            w / h**2 * along(second_difference(dims[a], **options), dims, a) for a, w, h in zip(axes, weights, sampling)
        )

    return Row(
        f"Laplacian {dims} axes={axes} {options}",
        lambda dtype: ob.Laplacian(dims, axes, weights, sampling, dtype=dtype, **options),
        matrix,
    )


def _gradient(dims, sampling, **options):
    steps = np.broadcast_to(sampling, len(dims))

    def matrix(dtype):
        return np.vstack([along(first_difference(n, **options), dims, a) / steps[a] for a, n in enumerate(dims)])

    return Row(f"Gradient {dims} {options}", lambda dtype: ob.Gradient(dims, sampling, dtype=dtype, **options), matrix)


def _two(dtype):
    return numbers((3, 4), dtype, 1), numbers((2, 4), dtype, 2)


def _square(dtype):
    return numbers((3, 4), dtype, 1), numbers((3, 4), dtype, 2)


def _blocks(A, B):
    return np.block([[A, np.zeros((A.shape[0], B.shape[1]))], [np.zeros((B.shape[0], A.shape[1])), B]])


def _pair(x):
    return namespace_of(x).stack([x[0] + x[1], x[1] - x[2]])


def _pair_adjoint(y):
    return namespace_of(y).stack([y[0], y[0] + y[1], -y[1]])


def _integral(n, kind):
    matrix = np.tril(np.ones((n, n)))
    if kind != "full":
        matrix -= 0.5 * np.eye(n)
    if kind == "trapezoidal":
        matrix[1:, 0] -= 0.5
    return matrix


def _mirror(n):
    return np.eye(n)[np.abs(np.arange(2 * n - 1) - n + 1)]


def _mean(length, n):
    return sum(np.eye(n, k=k) for k in range(-(length // 2), length // 2 + 1)) / length


def _table(last=4):
    table = np.random.default_rng(5).integers(0, last + 1, (2, 3, 4)).astype(float)
    table[0, 1, 2] = np.nan
    return table


def _fractions():
    return np.random.default_rng(6).random((2, 3, 4))


def _spread(table, fractions=None):
    nx0, nt0, nx = table.shape
    matrix = np.zeros((nx, 5, nx0, nt0))
    for i, j, k in np.argwhere(~np.isnan(table)):
        fraction = 0 if fractions is None else fractions[i, j, k]
        at = int(table[i, j, k])
        matrix[k, at, i, j] += 1 - fraction
        if fractions is not None:
            matrix[k, at + 1, i, j] += fraction
    return matrix.reshape(nx * 5, nx0 * nt0)


def _directional(second, shape, **options):
    dims, steps = (4, 5), (1.0, 2.0)
    cls = ob.SecondDirectionalDerivative if second else ob.FirstDirectionalDerivative

    def matrix(dtype):
        v = numbers(shape, dtype, 4).reshape(2, -1)
        parts = [along(first_difference(n, **options), dims, a) / steps[a] for a, n in enumerate(dims)]
        first = sum(vk[:, None] * part for vk, part in zip(v, parts))
        return -first.conj().T @ first if second else first

    return Row(
        f"{cls.__name__} {'one direction' if len(shape) == 1 else 'directions'} {options}",
        lambda dtype: cls(dims, numbers(shape, dtype, 4), sampling=steps, dtype=dtype, **options),
        matrix,
    )


ROWS: list[Row] = [
    Row("MatrixMult", lambda d: ob.MatrixMult(numbers((3, 5), d), dtype=d), lambda d: numbers((3, 5), d)),
    Row(
        "MatrixMult otherdims",
        lambda d: ob.MatrixMult(numbers((3, 4), d), otherdims=(2, 2), dtype=d),
        lambda d: np.kron(numbers((3, 4), d), np.eye(4)),
    ),
    Row("MatrixMult sparse", lambda d: ob.MatrixMult(scipy.sparse.csr_matrix(_sparse(d)), dtype=d), _sparse),
    Row(
        "MatrixMult sparse otherdims",
        lambda d: ob.MatrixMult(scipy.sparse.coo_array(_sparse(d)), otherdims=3, dtype=d),
        lambda d: np.kron(_sparse(d), np.eye(3)),
    ),
    Row("MatrixMult BCOO", lambda d: ob.MatrixMult(_bcoo(d), dtype=d), _sparse),
    Row("Identity", lambda d: ob.Identity((2, 3), dtype=d), lambda d: np.eye(6)),
    Row("Identity N<M", lambda d: ob.Identity(3, 5, dtype=d), lambda d: np.eye(3, 5)),
    Row(
        "Identity N>M n-d",
        lambda d: ob.Identity((4, 3), (2, 3), dtype=d),
        lambda d: np.kron(np.eye(4, 2), np.eye(3)),
    ),
    Row("Identity not in place", lambda d: ob.Identity(4, inplace=False, dtype=d), lambda d: np.eye(4)),
    Row("Zero", lambda d: ob.Zero((2, 3), (4,), dtype=d), lambda d: np.zeros((6, 4))),
    Row("Diagonal", lambda d: ob.Diagonal(numbers((2, 3), d), dtype=d), lambda d: np.diag(numbers((2, 3), d).ravel())),
    Row(
        "Diagonal dims axis=0",
        lambda d: ob.Diagonal(numbers(3, d), dims=(3, 4), axis=0, dtype=d),
        lambda d: np.kron(np.diag(numbers(3, d)), np.eye(4)),
    ),
    Row("Restriction", lambda d: ob.Restriction(6, [4, 0, 3], dtype=d), lambda d: np.eye(6)[[4, 0, 3]]),
    Row(
        "Restriction axis=0",
        lambda d: ob.Restriction((5, 3), [0, -1, 2], axis=0, dtype=d),
        lambda d: along(np.eye(5)[[0, 4, 2]], (5, 3), 0),
    ),
    Row(
        "Restriction repeated",
        lambda d: ob.Restriction((3, 5), [1, 1, 4], axis=1, dtype=d),
        lambda d: along(np.eye(5)[[1, 1, 4]], (3, 5), 1),
    ),
    Row(
        "Restriction repeated axis=0",
        lambda d: ob.Restriction((5, 2), [3, 3, 0, 3], axis=0, dtype=d),
        lambda d: along(np.eye(5)[[3, 3, 0, 3]], (5, 2), 0),
    ),
    Row("Pad", lambda d: ob.Pad(4, (1, 2), dtype=d), lambda d: np.eye(7, 4, -1)),
    Row(
        "Pad n-d",
        lambda d: ob.Pad((2, 3), ((1, 0), (2, 1)), dtype=d),
        lambda d: np.kron(np.eye(3, 2, -1), np.eye(6, 3, -2)),
    ),
    Row("Sum axis=0", lambda d: ob.Sum((3, 4), axis=0, dtype=d), lambda d: along(np.ones((1, 3)), (3, 4), 0)),
    Row("Sum axis=-1", lambda d: ob.Sum((3, 4), dtype=d), lambda d: along(np.ones((1, 4)), (3, 4), 1)),
    Row("Sum 1-d", lambda d: ob.Sum(5, dtype=d), lambda d: np.ones((1, 5))),
    Row("Flip", lambda d: ob.Flip((3, 4), axis=0, dtype=d), lambda d: along(np.eye(3)[::-1], (3, 4), 0)),
    Row("Roll", lambda d: ob.Roll((3, 5), shift=2, dtype=d), lambda d: along(np.roll(np.eye(5), 2, axis=0), (3, 5), 1)),
    Row(
        "Roll negative axis=0",
        lambda d: ob.Roll((4, 2), axis=0, shift=-5, dtype=d),
        lambda d: along(np.roll(np.eye(4), -5, axis=0), (4, 2), 0),
    ),
    Row(
        "Transpose",
        lambda d: ob.Transpose((2, 3, 4), (-1, 0, 1), dtype=d),
        lambda d: by_columns(lambda x: np.transpose(x, (2, 0, 1)), (2, 3, 4)),
    ),
    _first((7,), 0, 0.5),
    _first((4, 5), 0, 0.5, edge=True),
    _first((4, 5), 1, edge=True),
    _first((7, 2), 0, 2.0, order=5),
    _first((2, 8), 1, 2.0, order=5, edge=True),
    _first((4, 5), 1, 0.5, kind="forward"),
    _first((4, 5), 0, kind="backward"),
    Row(
        "FirstDerivative sampling as a parameter",
        lambda d: ob.FirstDerivative((4, 5), sampling=np.asarray(0.5, np.dtype(d).char.lower()), dtype=d),
        lambda d: along(first_difference(5), (4, 5), 1) * 2,
    ),
    _second((6,), 0, 0.5),
    _second((4, 5), 1, 0.5, edge=True),
    _second((4, 5), 0, kind="forward"),
    _second((4, 5), 1, kind="backward"),
    _laplacian((4, 5), (0, 1), (1.0, 1.0), (1.0, 1.0)),
    _laplacian((4, 3, 5), (0, -1), (1.0, 2.0), (0.5, 1.0), edge=True),
    _gradient((4, 5), 0.5),
    _gradient((3, 4), (1.0, 2.0), edge=True),
    _gradient((3, 4), 1.0, kind="forward"),
    Row(
        "VStack",
        lambda d: ob.VStack([ob.MatrixMult(a, dtype=d) for a in _two(d)], dtype=d),
        lambda d: np.vstack(_two(d)),
    ),
    Row(
        "VStack n-d",
        lambda d: ob.VStack([ob.Identity((2, 3), dtype=d), ob.Sum((2, 3), axis=0, dtype=d), ob.Zero(2, (2, 3))]),
        lambda d: np.vstack([np.eye(6), along(np.ones((1, 2)), (2, 3), 0), np.zeros((2, 6))]),
    ),
    Row("HStack", lambda d: ob.HStack(list(_square(d)), dtype=d), lambda d: np.hstack(_square(d))),
    Row(
        "HStack n-d",
        lambda d: ob.HStack([ob.Flip((2, 3), axis=1, dtype=d), ob.Zero((2, 3), 2), ob.Identity((2, 3))]),
        lambda d: np.hstack([np.kron(np.eye(2), np.eye(3)[::-1]), np.zeros((6, 2)), np.eye(6)]),
    ),
    Row(
        "Block",
        lambda d: ob.Block([[ob.MatrixMult(_two(d)[0]), ob.Zero(3, 2)], [_two(d)[1], ob.Identity(2)]], dtype=d),
        lambda d: np.block([[_two(d)[0], np.zeros((3, 2))], [_two(d)[1], np.eye(2)]]),
    ),
    Row("BlockDiag", lambda d: ob.BlockDiag(list(_two(d)), dtype=d), lambda d: _blocks(*_two(d))),
    Row(
        "BlockDiag n-d",
        lambda d: ob.BlockDiag([ob.Flip((2, 3), dtype=d), ob.Identity((2, 3))], nproc=2),
        lambda d: _blocks(np.kron(np.eye(2), np.eye(3)[::-1]), np.eye(6)),
    ),
    Row(
        "Kronecker",
        lambda d: ob.Kronecker(ob.MatrixMult(_two(d)[0]), ob.MatrixMult(_two(d)[1]), dtype=d),
        lambda d: np.kron(*_two(d)),
    ),
    Row(
        "FunctionOperator",
        lambda d: ob.FunctionOperator(_pair, _pair_adjoint, 2, 3, dtype=d),
        lambda d: np.array([[1.0, 1, 0], [0, 1, -1]]),
    ),
    *[
        Row(
            f"CausalIntegration {kind}{' removefirst' * first}",
            lambda d, kind=kind, first=first, axis=axis: ob.CausalIntegration(
                (4, 5), axis=axis, sampling=0.5, kind=kind, removefirst=first, dtype=d
            ),
            lambda d, kind=kind, first=first, axis=axis: along(
                0.5 * _integral((4, 5)[axis], kind)[first:], (4, 5), axis
            ),
        )
        for kind, first, axis in (("full", 0, 0), ("half", 1, 1), ("trapezoidal", 0, 1), ("trapezoidal", 1, 0))
    ],
    Row("Symmetrize", lambda d: ob.Symmetrize((4, 3), axis=0, dtype=d), lambda d: along(_mirror(4), (4, 3), 0)),
    Row("Symmetrize axis=-1", lambda d: ob.Symmetrize((2, 4), dtype=d), lambda d: along(_mirror(4), (2, 4), 1)),
    Row(
        "Regression",
        lambda d: ob.Regression(np.linspace(-1, 2, 5).astype(d), order=3, dtype=d),
        lambda d: np.vander(np.linspace(-1, 2, 5), 4, increasing=True),
    ),
    Row(
        "LinearRegression",
        lambda d: ob.LinearRegression(np.linspace(-1, 2, 5).astype(d), dtype=d),
        lambda d: np.vander(np.linspace(-1, 2, 5), 2, increasing=True),
    ),
    Row("Spread table", lambda d: ob.Spread((2, 3), (4, 5), table=_table(), dtype=d), lambda d: _spread(_table())),
    Row(
        "Spread table with fractions",
        lambda d: ob.Spread((2, 3), (4, 5), table=_table(3), dtable=_fractions(), dtype=d),
        lambda d: _spread(_table(3), _fractions()),
    ),
    Row(
        "Spread function",
        lambda d: ob.Spread((2, 3), (4, 5), fh=lambda i, j: _table()[i, j], dtype=d),
        lambda d: _spread(_table()),
    ),
    # values of the maps that are linear over the reals only: tests/basicoperators/test_values.py
    Row("Real", lambda d: ob.Real((2, 3), dtype=d), None, ("complex128",)),
    Row("Imag", lambda d: ob.Imag((2, 3), dtype=d), None, ("complex128",)),
    Row("Conj", lambda d: ob.Conj((2, 3), dtype=d), None, ("complex128",)),
    Row("Smoothing1D", lambda d: ob.Smoothing1D(3, (4, 5), axis=0, dtype=d), lambda d: along(_mean(3, 4), (4, 5), 0)),
    Row("Smoothing2D", lambda d: ob.Smoothing2D((3, 2), (4, 5), dtype=d), lambda d: np.kron(_mean(3, 4), _mean(3, 5))),
    Row(
        "SmoothingND",
        lambda d: ob.SmoothingND((3, 3, 1), (3, 4, 2), axes=(0, 1, 2), dtype=d),
        lambda d: np.kron(np.kron(_mean(3, 3), _mean(3, 4)), np.eye(2)),
    ),
    _directional(False, (2,)),
    _directional(False, (2, 4, 5), edge=True),
    _directional(True, (2,), kind="forward"),
    _directional(True, (2, 4, 5)),
    Row(
        "MemoizeOperator",
        lambda d: ob.MemoizeOperator(ob.MatrixMult(numbers((3, 4), d), dtype=d), max_neval=2),
        lambda d: numbers((3, 4), d),
    ),
]
