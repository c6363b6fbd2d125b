"""Mixed precision: solve in single precision, and correct in double what that leaves."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from operax._arrays.dtypes import as_dtype, astype, complex_dtype, dtype_of
from operax._arrays.namespace import Array, is_array, library_of, namespace_of
from operax._core.operator import LinearOperator
from operax.optimization._result import Result
from operax.optimization._space import norm
from operax.optimization._status import CONVERGED, MAXITER

__all__ = ["refined"]


def refined(
    solver: Callable[..., Any],
    Op: LinearOperator,
    y: Array,
    rounds: int = 4,
    low: Any = "float32",
    high: Any = "float64",
    goal: float = 0.0,
    **options: Any,
) -> Result:
    r"""Solve in low precision several times over, each time for the residual in high precision.

    Iterations, which cost the time, move half the bytes; only one residual a round is computed in double precision.

    Parameters
    ----------
    solver : callable
        A solver such as `cg`, `cgls` or `lsqr`, called as ``solver(Op, y, **options)``; its first result is the
        solution.
    Op : LinearOperator
        The operator, without an explicit dtype: its arrays are cast to `low` for the solver, and meet vectors of
        precision `high` as they are for the residuals.
    y : array
        Data of shape `dimsd` or ``(M,)``.
    rounds : int, optional
        Number of solves.
    low, high : dtype-like, optional
        Real dtypes of the two precisions; complex data take the complex ones of their width.
    goal : float, optional
        Stop when :math:`\|y - A x\| \le` `goal` :math:`\|y\|` (outside of compiled code).
    **options
        Passed to the solver, for example ``niter=100, tol=1e-5``.

    Returns
    -------
    x : array
        The solution in high precision.
    iit : int
        Number of rounds.
    cost : array
        Residual norms, the first before the first round.

    The returned `Result` unpacks as this tuple and has also `reason` and `converged`.

    Raises
    ------
    ValueError
        If `rounds` is less than 1, the operator does not let itself be cast (it has an explicit dtype), or JAX's
        64-bit mode is off.

    Notes
    -----
    With an approximate solution :math:`S(r) \approx A^{-1} r`,
    :math:`x_{k+1} = x_k + S(y - A x_k)`: each round gains the digits that one solve is good for [1]_, as long as the
    condition number is well below :math:`10^7` in single precision.

    References
    ----------
    .. [1] N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, SIAM (2002), chapter 12.

    Examples
    --------
    >>> import numpy as np, operax
    >>> A = np.diag(np.linspace(1.0, 100.0, 50).astype("float32"))
    >>> x, rounds, cost = operax.optimization.refinement.refined(
    ...     operax.cg, operax.MatrixMult(A), A @ np.ones(50), niter=100, tol=1e-6
    ... )
    >>> float(np.abs(x - 1).max()) < 1e-9
    True
    """
    if operator.index(rounds) < 1:
        raise ValueError(f"rounds={rounds!r} must be at least 1")
    if not is_array(y):
        raise TypeError(f"data must be an array, got {type(y).__name__}; convert it with numpy.asarray")
    low, high = as_dtype(low), as_dtype(high)
    if dtype_of(y).kind == "c":
        low, high = complex_dtype(low), complex_dtype(high)
    if library_of(y) == "jax" and jax.dtypes.canonicalize_dtype(high) != high:
        raise ValueError(f'{high} needs JAX\'s 64-bit mode: jax.config.update("jax_enable_x64", True)')
    light = jax.tree_util.tree_map(lambda leaf: _cast(leaf, low), Op)
    y = astype(y, high)
    size = norm(y)
    residual, x = y, None
    costs = [size]
    done = False
    for _ in range(rounds):
        step = solver(light, astype(residual, low), **options)[0]
        if dtype_of(step).itemsize > low.itemsize:
            raise ValueError(
                f"{Op._label()} solves in {dtype_of(step)} though its arrays were cast to {low}: build it without an "
                "explicit dtype, so that it follows its input"
            )
        x = astype(step, high) if x is None else x + astype(step, high)
        residual = y - Op @ x
        costs.append(norm(residual))
        if not isinstance(costs[-1], jax.core.Tracer) and bool(costs[-1] <= goal * size):
            done = True
            break
    xp = namespace_of(y)
    cost = xp.stack([xp.asarray(c) for c in costs])
    status = np.int32(CONVERGED if done else MAXITER)
    extra = {"iterations": len(costs) - 1, "status": status, "cost": cost}
    return Result(("x", "iit", "cost"), (x, len(costs) - 1, cost), extra)


def _cast(leaf: Any, low: np.dtype) -> Any:
    if not is_array(leaf) or dtype_of(leaf).kind not in "fc":
        return leaf
    if dtype_of(leaf).kind == "c":
        return astype(leaf, complex_dtype(low))
    return astype(leaf, np.dtype(f"f{low.itemsize // 2}") if low.kind == "c" else low)
