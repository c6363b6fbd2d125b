"""One operator, several array libraries."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import numpy as np

from operax._core.operator import LinearOperator
from operax.testing._samples import close, precision, sample_data, sample_model


def check_jax(op: LinearOperator) -> None:
    """On JAX arrays, eagerly, the operator gives JAX arrays equal to those on NumPy, with either kind of parameters."""
    with precision(op):
        x, y = sample_model(op), sample_data(op)
        forward, adjoint = op @ jnp.asarray(x), op.H @ jnp.asarray(y)
        if not (isinstance(forward, jax.Array) and isinstance(adjoint, jax.Array)):
            raise AssertionError(f"JAX arrays into {op._label()} came out as {type(forward)} and {type(adjoint)}")
        close(forward, op @ x, op, "forward on JAX")
        close(adjoint, op.H @ y, op, "adjoint on JAX")
        if forward.dtype != (op @ x).dtype or adjoint.dtype != (op.H @ y).dtype:
            raise AssertionError(
                f"{op._label()} gives {forward.dtype}, {adjoint.dtype} on JAX, "
                f"{(op @ x).dtype}, {(op.H @ y).dtype} on NumPy"
            )
        moved = op.to("jax")
        close(moved @ jnp.asarray(x), op @ x, op, "forward with JAX parameters")
        back = moved @ x
        if not isinstance(back, np.ndarray):
            raise AssertionError(f"a NumPy input of {op._label()} with JAX parameters came out as {type(back)}")
        close(back, op @ x, op, "forward on NumPy with JAX parameters")


def check_strict(op: LinearOperator) -> None:
    """On arrays that have the array API standard and nothing else: no function of one library has crept in."""
    import array_api_strict as strict

    x, y = sample_model(op), sample_data(op)
    with warnings.catch_warnings():
        # comparing its dtypes to NumPy's is unequal, which is what the promotion rule asks for
        warnings.filterwarnings("ignore", message="You are comparing a array_api_strict dtype")
        forward, adjoint = op @ strict.asarray(x), op.H @ strict.asarray(y)
    close(np.asarray(forward), op @ x, op, "forward on the strict namespace")
    close(np.asarray(adjoint), op.H @ y, op, "adjoint on the strict namespace")


def check_read_only_input(op: LinearOperator) -> None:
    """Read-only, non-contiguous and Fortran-ordered input is taken, and never written to."""
    x = sample_model(op)
    expected = op @ x
    frozen = x.copy()
    frozen.flags.writeable = False
    close(op @ frozen, expected, op, "forward of a read-only array")
    close(op @ np.asfortranarray(x), expected, op, "forward of an array in Fortran order")
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    close(op @ wide[..., ::2], expected, op, "forward of a strided array")
    y = sample_data(op)
    kept = y.copy()
    result = op.H @ y
    result = result + 0
    close(y, kept, op, "data after an adjoint")
    close(x, sample_model(op), op, "model after a forward")
