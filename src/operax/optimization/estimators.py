"""Numbers of an operator that is too large for its matrix: trace, diagonal, log-determinant, singular values.

All cost a few applications and say how far off they may be. They run on NumPy and on JAX, there also inside `jax.jit`
and `jax.vmap`; trace, diagonal and log-determinant have derivatives in the operator's arrays.
"""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple

import jax
import numpy as np

from operax._arrays.dtypes import dtype_of, real_dtype
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, as_library, as_numpy, is_array, is_tracer, namespace_of
from operax._core.apply import apply_nd
from operax._core.operator import LinearOperator
from operax._core.spectrum import dtype_of_matrix
from operax.optimization._lanczos import bidiagonal, lanczos
from operax.optimization._space import inner, real

__all__ = ["Estimate", "diagonal", "logdet", "singular_values", "trace"]


class Estimate(NamedTuple):
    """An estimated value and how sure it is.

    Parameters
    ----------
    value : array
        The estimate.
    error : array
        Standard error of a mean over random vectors; for singular values the norm of the residual, which bounds the
        distance to a true one.
    samples : int
        Random vectors, or steps of the iteration.
    """

    value: Any
    error: Any
    samples: int


def trace(Op: LinearOperator, samples: int = 64, seed: Any = 0) -> Estimate:
    r"""Estimate the trace of a square operator.

    Parameters
    ----------
    Op : LinearOperator
        Square operator.
    samples : int, optional
        Number of random vectors, applied in one batch.
    seed : int or numpy.random.Generator or JAX key, optional
        Source of the random vectors.

    Returns
    -------
    Estimate
        Trace and standard error.

    Raises
    ------
    ValueError
        If the operator is not square or `samples` is less than 2.

    See Also
    --------
    operax.LinearOperator.trace : Exact, or by Hutch++.
    operax.utils.estimators.trace_hutchpp : Fewer vectors for the same error, without an estimate of it.

    Notes
    -----
    With random signs :math:`z`, :math:`E[z^T A z] = \mathrm{tr}\,A` [1]_.

    References
    ----------
    .. [1] M. F. Hutchinson, A stochastic estimator of the trace of the influence matrix for Laplacian smoothing
       splines, Communications in Statistics 19 (1990).

    Examples
    --------
    >>> import numpy as np, operax
    >>> found = operax.optimization.estimators.trace(operax.Diagonal(np.arange(4.0)))
    >>> float(found.value), float(found.error)
    (6.0, 0.0)
    """
    z = _signs(Op, samples, seed)
    terms = inner(z, _apply(Op, z), 1)
    return Estimate(*_mean(terms), len(z))


def diagonal(Op: LinearOperator, samples: int = 64, seed: Any = 0) -> Estimate:
    r"""Estimate the diagonal of a square operator.

    Parameters
    ----------
    Op : LinearOperator
        Square operator.
    samples : int, optional
        Number of random vectors, applied in one batch.
    seed : int or numpy.random.Generator or JAX key, optional
        Source of the random vectors.

    Returns
    -------
    Estimate
        Diagonal of shape `dims` and its standard error.

    Raises
    ------
    ValueError
        If the operator is not square or `samples` is less than 2.

    Notes
    -----
    With random signs :math:`z`, :math:`E[z \odot A z] = \mathrm{diag}\,A` [1]_.

    References
    ----------
    .. [1] C. Bekas, E. Kokiopoulou and Y. Saad, An estimator for the diagonal of a matrix, Applied Numerical
       Mathematics 57 (2007).

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.optimization.estimators.diagonal(operax.Diagonal(np.arange(3.0))).value.tolist()
    [0.0, 1.0, 2.0]
    """
    z = _signs(Op, samples, seed)
    return Estimate(*_mean(z * _apply(Op, z)), len(z))


def logdet(Op: LinearOperator, samples: int = 32, steps: int = 30, seed: Any = 0) -> Estimate:
    r"""Estimate the logarithm of the determinant of a positive definite operator.

    Parameters
    ----------
    Op : LinearOperator
        Hermitian, positive definite operator.
    samples : int, optional
        Number of random vectors, applied in one batch.
    steps : int, optional
        Steps of the Lanczos iteration; more for a large condition number.
    seed : int or numpy.random.Generator or JAX key, optional
        Source of the random vectors.

    Returns
    -------
    Estimate
        Log-determinant and standard error over the random vectors.

    Raises
    ------
    ValueError
        If the operator is not square, is found to be not positive definite (outside of compiled code, where the value
        is NaN), or `samples` or `steps` are too small.

    Notes
    -----
    :math:`\log\det A = \mathrm{tr}\log A` with random vectors :math:`z`, and :math:`z^H \log(A) z` by the Gauss
    quadrature that the Lanczos iteration started in :math:`z` gives [1]_. Its first derivative is
    :math:`\mathrm{tr}(A^{-1} \mathrm{d}A)`, from the same vectors and iterations.

    References
    ----------
    .. [1] S. Ubaru, J. Chen and Y. Saad, Fast estimation of tr(f(A)) via stochastic Lanczos quadrature, SIAM Journal
       on Matrix Analysis and Applications 38 (2017).

    Examples
    --------
    >>> import numpy as np, operax
    >>> found = operax.optimization.estimators.logdet(operax.Diagonal(np.array([1.0, 2.0, 4.0])))
    >>> bool(np.isclose(found.value, np.log(8.0)))
    True
    """
    z = _signs(Op, samples, seed)
    if operator.index(steps) < 1:
        raise ValueError(f"steps={steps!r} must be at least 1")
    size = math.prod(Op.dims)
    basis, tridiagonal = lanczos(_fixed(Op), constant(z), min(steps, size))
    xp = namespace_of(tridiagonal)
    nodes, vectors = xp.linalg.eigh(tridiagonal)
    first = vectors[:, 0, :]
    # an iteration that came to its end leaves nodes without weight
    used = first**2 > np.finfo(np.dtype(str(dtype_of(first)))).eps ** 2
    if not is_tracer(nodes) and bool(xp.any(used & (nodes <= 0))):
        raise ValueError(
            f"{Op._label()} is not positive definite: an eigenvalue estimate is {float(xp.min(nodes)):.3g}; "
            "logdet takes Hermitian operators with positive eigenvalues, such as A.H @ A + damp * Identity"
        )
    logs = xp.log(xp.where(used, nodes, xp.ones_like(nodes)))
    terms = size * xp.sum(first**2 * logs, axis=-1)
    # the derivative is that of z^H A^-1 A z with the first factor held fixed
    weights = xp.sum(vectors * (first / xp.where(used, nodes, xp.ones_like(nodes)))[:, None, :], axis=-1)
    solved = math.sqrt(size) * xp.sum(xp.astype(weights, basis.dtype)[:, :, None] * basis, axis=1)
    slope = real(inner(constant(solved), xp.reshape(_apply(Op, z), solved.shape), 1))
    return Estimate(*_mean(constant(terms) + (slope - constant(slope))), len(z))


def singular_values(
    Op: LinearOperator, count: int = 6, steps: int | None = None, method: str = "lanczos", seed: Any = 0
) -> Estimate:
    r"""The largest singular values of an operator, with bounds of their errors.

    Parameters
    ----------
    Op : LinearOperator
        Any operator that is linear over its numbers.
    count : int, optional
        How many.
    steps : int, optional
        Iterations. Default: 2 `count` + 20, or 100 for LOBPCG.
    method : {"lanczos", "lobpcg"}, optional
        Bidiagonalisation after Golub and Kahan with full reorthogonalisation, which runs in every library, or SciPy's
        LOBPCG on the normal operator, on the host, which takes less memory.
    seed : int or numpy.random.Generator or JAX key, optional
        Source of the starting vectors.

    Returns
    -------
    Estimate
        Singular values, largest first, and for each the norm of its residual: a true singular value is no farther.

    Raises
    ------
    ValueError
        If `count` or `steps` are out of range or `method` is unknown.

    References
    ----------
    .. [1] G. Golub and W. Kahan, Calculating the singular values and pseudo-inverse of a matrix, SIAM Journal on
       Numerical Analysis 2 (1965).
    .. [2] A. Knyazev, Toward the optimal preconditioned eigensolver: locally optimal block preconditioned conjugate
       gradient method, SIAM Journal on Scientific Computing 23 (2001).

    Examples
    --------
    >>> import numpy as np, operax
    >>> found = operax.optimization.estimators.singular_values(operax.Diagonal(np.arange(1.0, 41.0)), count=2)
    >>> found.value.round(6).tolist()
    [40.0, 39.0]
    """
    smaller = min(Op.shape)
    if not 1 <= operator.index(count) <= smaller:
        raise ValueError(f"count={count!r} must be at least 1 and at most {smaller} for {Op._label()}")
    if method not in ("lanczos", "lobpcg"):
        raise ValueError(f"method={method!r} is unknown; give 'lanczos' or 'lobpcg'")
    if steps is not None and operator.index(steps) < count:
        raise ValueError(f"steps={steps!r} must be at least count={count}")
    if method == "lobpcg":
        return _by_lobpcg(Op, count, 100 if steps is None else steps, seed)
    steps = min(2 * count + 20 if steps is None else steps, smaller)
    start = _normal(Op, seed)
    matrix, rest = bidiagonal(Op, start, steps)
    xp = namespace_of(matrix)
    left, values, _ = xp.linalg.svd(matrix, full_matrices=False)
    rounding = np.finfo(str(dtype_of(values))).eps * values[0] * math.sqrt(steps)
    return Estimate(values[:count], rest * xp.abs(left[-1, :count]) + rounding, steps)


# ---- random vectors


def _library(Op: LinearOperator) -> str:
    return "jax" if any(isinstance(leaf, jax.Array) for leaf in jax.tree_util.tree_leaves(Op)) else "numpy"


def _is_key(seed: Any) -> bool:
    return isinstance(seed, jax.Array)


def _signs(Op: LinearOperator, samples: int, seed: Any) -> Array:
    """Vectors of random signs, as a batch in front of the model's axes."""
    if Op.shape[0] != Op.shape[1]:
        raise ValueError(f"a square operator is needed, {Op._label()} has shape {Op.shape}")
    if operator.index(samples) < 2:
        raise ValueError(f"samples={samples!r} must be at least 2: their scatter is the error")
    shape, dtype = (samples, *Op.dims), dtype_of_matrix(Op)
    if _is_key(seed):
        return jax.random.rademacher(seed, shape, dtype=jax.dtypes.canonicalize_dtype(real_dtype(dtype)))
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=shape).astype(real_dtype(dtype))
    return as_library(signs, _library(Op))


def _normal(Op: LinearOperator, seed: Any) -> Array:
    dtype = real_dtype(dtype_of_matrix(Op))
    if _is_key(seed):
        return jax.random.normal(seed, Op.dims, dtype=jax.dtypes.canonicalize_dtype(dtype))
    return as_library(np.random.default_rng(seed).standard_normal(Op.dims).astype(dtype), _library(Op))


def _mean(terms: Array) -> tuple[Array, Array]:
    xp = namespace_of(terms)
    mean = xp.mean(terms, axis=0)
    away = xp.abs(terms - mean)
    n = terms.shape[0]
    return mean, xp.sqrt(xp.sum(away**2, axis=0) / (n * (n - 1)))


@Kernel
def constant(x: Array) -> Array:
    """`x` without derivatives."""
    return x


@constant.on("jax")
def _(x: Any) -> Any:
    return jax.lax.stop_gradient(x)


def _apply(Op: LinearOperator, z: Array) -> Array:
    y = apply_nd(Op, z)
    return y if y.shape == z.shape else namespace_of(y).reshape(y, z.shape)


def _fixed(Op: LinearOperator) -> LinearOperator:
    """The operator without derivatives."""
    return jax.tree_util.tree_map(lambda leaf: constant(leaf) if is_array(leaf) else leaf, Op)


def _by_lobpcg(Op: LinearOperator, count: int, steps: int, seed: Any) -> Estimate:
    import scipy.sparse.linalg as sla

    from operax._core.spectrum import _normal as normal_operator

    if 5 * count >= min(Op.shape):
        raise ValueError(
            f"count={count!r} is too large for LOBPCG, which needs an operator more than five times as large; "
            "use method='lanczos'"
        )
    normal = normal_operator(Op)
    rng = np.random.default_rng(as_numpy(seed).ravel() if is_array(seed) else seed)
    start = rng.standard_normal((normal.shape[0], count)).astype(normal.dtype)
    squares, vectors = sla.lobpcg(normal, start, maxiter=steps, largest=True)
    residual = np.linalg.norm(normal @ vectors - vectors * squares, axis=0)
    values = np.sqrt(np.maximum(squares, 0.0))
    order = np.argsort(-values)
    with np.errstate(divide="ignore", invalid="ignore"):
        # a square that is off by r is a value off by no more than r over itself
        error = np.where(values > 0, residual / values, np.sqrt(residual))
    return Estimate(values[order], error[order], steps)
