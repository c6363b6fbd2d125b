"""All checks of one operator."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable

import numpy as np

from operax._core.operator import LinearOperator
from operax.testing.dottest import check_dottest
from operax.testing.forward import check_adjoint, check_complex_input, check_dtype, check_forward, check_linearity
from operax.testing.identity import check_pickle, check_pytree
from operax.testing.libraries import check_jax, check_read_only_input, check_strict
from operax.testing.sharded import check_sharded
from operax.testing.transforms import check_hessian, check_jit, check_jvp, check_parameters, check_vjp, check_vmap

CHECKS: dict[str, Callable[..., None]] = {
    "forward": check_forward,
    "adjoint": check_adjoint,
    "dottest": check_dottest,
    "linearity": check_linearity,
    "complex input": check_complex_input,
    "dtype": check_dtype,
    "read-only input": check_read_only_input,
    "jax": check_jax,
    "strict": check_strict,
    "jit": check_jit,
    "vmap": check_vmap,
    "vjp": check_vjp,
    "jvp": check_jvp,
    "hessian": check_hessian,
    "parameters": check_parameters,
    "pickle": check_pickle,
    "pytree": check_pytree,
    "sharded": check_sharded,
}

_OPTIONAL = ("array_api_strict", "cloudpickle")
_HINTS = {
    "strict": "CuPy and other libraries need functions of the array's namespace (operax.utils.backend) only, "
    "not methods or functions of NumPy; ",
}


def check_operator(op: LinearOperator, matrix: np.ndarray | None = None, skip: Iterable[str] = ()) -> None:
    """Check everything that operax promises of an operator, yours included.

    Parameters
    ----------
    op : LinearOperator
        A small instance (its matrix is formed); build it with ``dtype="float64"`` or ``"complex128"`` for sharp
        tolerances, and again in 32 bit to see that precision is kept.
    matrix : array, optional
        Its matrix of shape ``op.shape``, made without the operator; without it only consistency is checked.
    skip : iterable of str
        Names of checks to leave out, from `operax.testing.CHECKS`: ``"strict"`` where `array_api_strict` is not
        installed, for example.

    Raises
    ------
    AssertionError
        Naming the check, the operator and the error, at the first check that fails.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.testing import check_operator
    >>> check_operator(operax.FirstDerivative(6, dtype="float64"), skip=["strict"])
    """
    skip = set(skip)
    unknown = skip - set(CHECKS)
    if unknown:
        raise ValueError(f"skip names unknown checks {sorted(unknown)}; known are {sorted(CHECKS)}")
    for name, check in CHECKS.items():
        if name in skip:
            continue
        try:
            if "matrix" in inspect.signature(check).parameters:
                check(op, matrix)
            else:
                check(op)
        except ModuleNotFoundError as error:
            if error.name not in _OPTIONAL:
                raise
            package = error.name.replace("_", "-")
            warnings.warn(f"the check {name!r} was left out: install {package}, or pass skip=[{name!r}]", stacklevel=2)
        except AssertionError:
            raise
        except Exception as error:
            hint = _HINTS.get(name, "")
            raise AssertionError(
                f"the check {name!r} of {op._label()} failed with {type(error).__name__}: {error}; {hint}"
                f"leave it out with skip=[{name!r}] where you do not need it"
            ) from error
