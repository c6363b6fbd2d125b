"""The dot test: whether forward and adjoint of an operator belong together."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import dtype_of
from operax._arrays.namespace import Array, as_library, as_numpy


def dottest(
    Op: Any,
    nr: int | None = None,
    nc: int | None = None,
    rtol: float = 1e-6,
    atol: float = 1e-21,
    complexflag: int = 0,
    raiseerror: bool = True,
    verb: bool = False,
    backend: str = "numpy",
) -> bool:
    r"""Check with random vectors that adjoint and transpose of an operator fit its forward.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape ``(M, N)``: any object with `shape`, `matvec`, `rmatvec` and, optionally, `T`.
    nr, nc : int, optional
        Number of rows and columns that the operator should have.
    rtol, atol : float, optional
        Tolerances of the comparison. Rounding in the precision that the operator computes in is allowed on top.
    complexflag : int, optional
        Real model and data (0), complex model (1), complex data (2), both complex (3).
    raiseerror : bool, optional
        Raise where the test fails; else return False.
    verb : bool, optional
        Print the numbers that are compared.
    backend : str, optional
        Array library to test on: ``"numpy"``, ``"jax"`` or ``"cupy"``.

    Returns
    -------
    passed : bool
        Whether the identities hold.

    Raises
    ------
    AssertionError
        If an identity does not hold and `raiseerror` is True.
    ValueError
        If `nr` and `nc` contradict the shape of the operator, or `complexflag` or `backend` is unknown.

    Notes
    -----
    For random :math:`u` and :math:`v`,

    .. math::
        (A u)^H v = u^H (A^H v), \qquad (A u)^T v = u^T (A^T v).

    Operators that are linear over the real numbers only (``clinear=False``, such as the FFT of real signals) have the
    adjoint of the real inner product: of both sides the real parts are compared. The vectors are the same in every
    call.

    References
    ----------
    J. F. Claerbout, "Earth soundings analysis: processing versus inversion" (1992), chapter 5.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.utils.dottest(operax.MatrixMult(np.ones((3, 2))), 3, 2)
    True
    """
    rows, columns = Op.shape
    if (nr is not None and nr != rows) or (nc is not None and nc != columns):
        raise ValueError(f"nr={nr} and nc={nc} do not fit the operator, whose shape is {(rows, columns)}")
    if complexflag not in (0, 1, 2, 3):
        raise ValueError(f"complexflag={complexflag!r} must be 0, 1, 2 or 3 (real, complex model, complex data, both)")
    if backend not in ("numpy", "jax", "cupy"):
        raise ValueError(f"backend={backend!r} must be 'numpy', 'jax' or 'cupy'")
    rng = np.random.default_rng(42)
    u, v = (
        rng.standard_normal(n) + (1j * rng.standard_normal(n) if complexflag & bit else 0)
        for n, bit in ((columns, 1), (rows, 2))
    )
    model, data = as_library(u, backend), as_library(v, backend)
    forward = _flat(Op.matvec(model))
    checks = [("adjoint", "v^H (Op u)", "(Op^H v)^H u", np.vdot(v, forward[0]), _adjoint_side(Op.rmatvec(data), u))]
    transposed = getattr(Op, "T", None)
    if transposed is not None:
        back, precision = _flat(transposed.matvec(data))
        checks.append(("transpose", "v^T (Op u)", "(Op^T v)^T u", v @ forward[0], (back @ u, precision)))
    scale = float(np.linalg.norm(v) * np.linalg.norm(forward[0]))
    return all(
        [
            _compare(Op, check, forward[1], scale, rtol=rtol, atol=atol, raiseerror=raiseerror, verb=verb)
            for check in checks
        ]
    )


def _flat(x: Array) -> tuple[np.ndarray, float]:
    """A result on the host in double precision, and the rounding unit of the precision it came in."""
    dtype = dtype_of(x)
    eps = float(np.finfo(dtype).eps) if dtype.kind in "fc" else float(np.finfo(float).eps)
    values = as_numpy(x).reshape(-1)
    return values.astype(np.complex128 if dtype.kind == "c" else np.float64), eps


def _adjoint_side(back: Array, u: np.ndarray) -> tuple[Any, float]:
    values, eps = _flat(back)
    return np.vdot(values, u), eps


def _compare(
    Op: Any,
    check: tuple[str, str, str, Any, tuple[Any, float]],
    eps: float,
    scale: float,
    *,
    rtol: float,
    atol: float,
    raiseerror: bool,
    verb: bool,
) -> bool:
    which, left_name, right_name, left, (right, eps_back) = check
    if not getattr(Op, "clinear", True):
        left, right = np.real(left), np.real(right)
    parameters = getattr(Op, "dtype", None)
    if parameters is not None and np.dtype(parameters).kind in "fc":
        eps = max(eps, float(np.finfo(parameters).eps))
    allowed = atol + rtol * abs(right) + 8 * max(eps, eps_back) * scale
    passed = bool(abs(left - right) <= allowed)  # False for NaN
    text = f"dot test of the {which} {'passed' if passed else 'failed'}: {left_name} = {left}, {right_name} = {right}"
    if verb:
        print(text)
    if not passed and raiseerror:
        raise AssertionError(f"{text}; the {which} of {Op!r} is not the one of its forward")
    return passed
