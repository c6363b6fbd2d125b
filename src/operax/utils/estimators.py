"""Traces of operators from random vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import as_library, as_numpy

SAMPLERS = ("gaussian", "rayleigh", "rademacher", "unitvector")


def _sketch(Op: Any, count: int, sampler: str, backend: str, rng: Any, accepted: tuple[str, ...] = SAMPLERS[:3]) -> Any:
    """Random vectors as columns, with ``E[z z^T]`` the identity."""
    if sampler not in accepted:
        raise NotImplementedError(f"sampler={sampler!r} is unknown; give one of {', '.join(map(repr, accepted))}")
    size = Op.shape[1]
    if sampler == "rademacher":
        z = rng.choice([-1.0, 1.0], size=(size, count))
    elif sampler == "unitvector":
        z = np.zeros((size, count))
        z[rng.choice(size, size=count, replace=False), np.arange(count)] = np.sqrt(size)
    else:
        z = rng.standard_normal((size, count))
        if sampler == "rayleigh":
            z *= np.sqrt(size) / np.linalg.norm(z, axis=0)
    return as_library(z.astype(np.empty(0, Op.dtype).real.dtype if Op.dtype.kind in "fc" else np.float64), backend)


def _number_of(Op: Any, neval: int | None) -> int:
    if Op.shape[0] != Op.shape[1]:
        raise ValueError(f"only a square operator has a trace, got shape {Op.shape}")
    found = max(int(np.round(Op.shape[1] * 0.1)), 3) if neval is None else int(neval)
    if found < 3:
        raise ValueError(f"neval={neval!r} must be at least 3")
    return found


def _products(Op: Any, X: Any) -> np.ndarray:
    return as_numpy(Op.matmat(X))


def trace_hutchinson(
    Op: Any,
    neval: int | None = None,
    batch_size: int | None = None,
    sampler: str = "rademacher",
    backend: str = "numpy",
    *,
    rng: Any = None,
) -> Any:
    r"""Estimate the trace of an operator by Hutchinson's method.

    Parameters
    ----------
    Op : LinearOperator
        Square operator.
    neval : int, optional
        Number of products with the operator; by default a tenth of its size.
    batch_size : int, optional
        Products made in one call (default 100 at most).
    sampler : {"rademacher", "gaussian", "rayleigh", "unitvector"}, optional
        Distribution of the vectors: random signs, normal, normal of fixed length, unit vectors without replacement.
    backend : {"numpy", "jax", "cupy"}, optional
        Library that the operator is applied in.
    rng : int or numpy.random.Generator, optional
        Seed or source of the random numbers.

    Returns
    -------
    float or complex
        The estimate.

    Raises
    ------
    ValueError
        If `neval` is smaller than 3, or the operator is not square.
    NotImplementedError
        If the sampler is unknown.

    Notes
    -----
    .. math:: \operatorname{tr}(A) \approx \frac{1}{k} \sum_{i=1}^k z_i^T A z_i, \qquad E[z z^T] = I

    References
    ----------
    .. [1] M. F. Hutchinson, "A stochastic estimator of the trace of the influence matrix for Laplacian smoothing
       splines", Communications in Statistics 19, 1990.
    .. [2] H. Avron and S. Toledo, "Randomized algorithms for estimating the trace of an implicit symmetric positive
       semi-definite matrix", Journal of the ACM 58, 2011.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.utils.estimators import trace_hutchinson
    >>> float(trace_hutchinson(operax.Diagonal(np.arange(50.0))))
    1225.0
    """
    count = _number_of(Op, neval)
    if sampler == "unitvector":
        count = min(count, Op.shape[1])
    rng = np.random.default_rng(rng)
    batch = min(100 if batch_size is None else int(batch_size), count)
    if batch < 1:
        raise ValueError(f"batch_size={batch_size!r} must be at least 1")
    Z = _sketch(Op, count, sampler, "numpy", rng, SAMPLERS)
    total: Any = 0.0
    for start in range(0, count, batch):
        z = Z[:, start : start + batch]
        total = total + np.sum(z * _products(Op, as_library(z, backend)))
    return total / count


def trace_hutchpp(
    Op: Any,
    neval: int | None = None,
    sampler: str = "rademacher",
    backend: str = "numpy",
    *,
    rng: Any = None,
) -> Any:
    r"""Estimate the trace of an operator by the Hutch++ method.

    Parameters
    ----------
    Op : LinearOperator
        Square operator.
    neval : int, optional
        Number of products with the operator; by default a tenth of its size.
    sampler : {"rademacher", "gaussian", "rayleigh"}, optional
        Distribution of the vectors.
    backend : {"numpy", "jax", "cupy"}, optional
        Library that the operator is applied in.
    rng : int or numpy.random.Generator, optional
        Seed or source of the random numbers.

    Returns
    -------
    float or complex
        The estimate.

    Raises
    ------
    ValueError
        If `neval` is smaller than 3, or the operator is not square.
    NotImplementedError
        If the sampler is unknown.

    Notes
    -----
    With an orthonormal basis :math:`Q` of :math:`A S` for a third of the vectors, :math:`S`, and another third,
    :math:`G`,

    .. math::
        \operatorname{tr}(A) \approx \operatorname{tr}(Q^H A Q)
        + \frac{3}{k} \operatorname{tr}(G^T (I - Q Q^H) A (I - Q Q^H) G)

    so that what the dominant directions hold is summed exactly.

    References
    ----------
    .. [1] R. A. Meyer, C. Musco, C. Musco and D. P. Woodruff, "Hutch++: optimal stochastic trace estimation",
       Symposium on Simplicity in Algorithms, 2021, Algorithm 1.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.utils.estimators import trace_hutchpp
    >>> Op = operax.Diagonal(np.r_[np.ones(3), np.zeros(47)])
    >>> bool(abs(trace_hutchpp(Op, neval=15, rng=0) - 3) < 1e-9)
    True
    """
    third = max(_number_of(Op, neval) // 3, 1)
    rng = np.random.default_rng(rng)
    S = _sketch(Op, third, sampler, backend, rng)
    G = as_numpy(_sketch(Op, third, sampler, "numpy", rng))
    Q = np.linalg.qr(_products(Op, S))[0]
    G = G - Q @ (Q.conj().T @ G)
    both = _products(Op, as_library(np.concatenate([Q, G], axis=1), backend))
    exact = np.sum(Q.conj() * both[:, :third])
    return exact + np.sum(G.conj() * both[:, third:]) / third


def trace_nahutchpp(
    Op: Any,
    neval: int | None = None,
    sampler: str = "rademacher",
    c1: float = 1.0 / 6.0,
    c2: float = 1.0 / 3.0,
    backend: str = "numpy",
    *,
    rng: Any = None,
) -> Any:
    r"""Estimate the trace of an operator by the non-adaptive variant of Hutch++: all products at once.

    Parameters
    ----------
    Op : LinearOperator
        Square operator.
    neval : int, optional
        Number of products with the operator; by default a tenth of its size.
    sampler : {"rademacher", "gaussian", "rayleigh"}, optional
        Distribution of the vectors.
    c1, c2 : float, optional
        Fractions of `neval` for the sketches :math:`S` and :math:`R`; `c2` should be about twice `c1`.
    backend : {"numpy", "jax", "cupy"}, optional
        Library that the operator is applied in.
    rng : int or numpy.random.Generator, optional
        Seed or source of the random numbers.

    Returns
    -------
    float or complex
        The estimate.

    Raises
    ------
    ValueError
        If `neval` leaves no vector for one of the three sketches, or the operator is not square.
    NotImplementedError
        If the sampler is unknown.

    Notes
    -----
    With :math:`Z = A R`, :math:`W = A^H S`, and :math:`Y = (S^T Z)^+`, the operator is close to
    :math:`Z Y W^H`, and

    .. math::
        \operatorname{tr}(A) \approx \operatorname{tr}(Y W^H Z)
        + \frac{1}{c_3 k} \left( \operatorname{tr}(G^T A G) - \operatorname{tr}(G^T Z Y W^H G) \right)

    References
    ----------
    .. [1] R. A. Meyer, C. Musco, C. Musco and D. P. Woodruff, "Hutch++: optimal stochastic trace estimation",
       Symposium on Simplicity in Algorithms, 2021, Algorithm 2.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.utils.estimators import trace_nahutchpp
    >>> Op = operax.Diagonal(np.r_[np.ones(3), np.zeros(47)])
    >>> bool(abs(trace_nahutchpp(Op, neval=40, rng=0) - 3) < 1e-6)
    True
    """
    count = _number_of(Op, neval)
    sizes = [int(np.round(count * c)) for c in (c1, c2)]
    sizes.append(count - sum(sizes))
    if min(sizes) < 1:
        raise ValueError(f"neval={count} is too small for the fractions c1={c1} and c2={c2}; take a larger neval")
    rng = np.random.default_rng(rng)
    S, R, G = (as_numpy(_sketch(Op, size, sampler, "numpy", rng)) for size in sizes)
    forward = _products(Op, as_library(np.concatenate([R, G], axis=1), backend))
    Z, AG = forward[:, : sizes[1]], forward[:, sizes[1] :]
    W = as_numpy(Op.rmatmat(as_library(S, backend)))
    Y = np.linalg.pinv(S.T @ Z)
    low = np.trace(Y @ (W.conj().T @ Z))
    rest = np.sum(G * AG) - np.trace((G.T @ Z) @ Y @ (W.conj().T @ G))
    return low + rest / sizes[2]
