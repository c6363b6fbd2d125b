"""From a user's arguments to a problem: libraries, shapes, batches, dtypes, and what is wrong with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from operax._arrays.dtypes import astype, dtype_of, real_dtype
from operax._arrays.namespace import Array, as_jax, as_library, is_array, is_tracer, library_of, namespace_of
from operax._core.backend import form_for, has_tracers
from operax._core.compose import with_shapes
from operax._core.operator import LinearOperator


@dataclass(frozen=True)
class Layout:
    """How data came in and how models go out."""

    dims: tuple[int, ...]
    dimsd: tuple[int, ...]
    batch: int
    flat: bool = False

    def model(self, x: Array) -> Array:
        """A model ``(*batch, *dims)`` in the style of the data that the user gave."""
        xp = namespace_of(x)
        if not self.batch:
            return x
        if self.flat:
            x = xp.reshape(x, (x.shape[0], math.prod(self.dims)))
        return xp.moveaxis(x, 0, -1)

    def internal_model(self, x: Any, like: Array, name: str) -> Array:
        """A user's model, of shape `dims`, flat, or with columns, as ``(*batch, *dims)``."""
        xp, size = namespace_of(like), math.prod(self.dims)
        shape = tuple(x.shape)
        if shape == self.dims or shape == (size,):
            x = xp.reshape(x, self.dims)
            if self.batch:
                x = xp.broadcast_to(x, (like.shape[0], *self.dims))
            return x
        if self.batch and shape[:-1] in (self.dims, (size,)) and shape[-1] == like.shape[0]:
            return xp.reshape(xp.moveaxis(x, -1, 0), (shape[-1], *self.dims))
        raise ValueError(
            f"{name} has shape {shape}, but models of this operator have shape {either(self.dims)}"
            + (f", with {like.shape[0]} columns at the end for {like.shape[0]} right-hand sides" if self.batch else "")
        )


def either(dims: tuple[int, ...]) -> str:
    """The shapes in which an array of `dims` may come, in words."""
    return f"{dims}" if len(dims) == 1 else f"{dims} or ({math.prod(dims)},)"


def check_operator(op: Any, name: str = "Op") -> LinearOperator:
    """`op` if it is an operator; an error with the cure where it is something else."""
    if isinstance(op, LinearOperator):
        return op
    hint = "wrap a matrix with operax.MatrixMult" if hasattr(op, "shape") else "give an operax operator"
    if hasattr(op, "matvec"):
        hint = "convert operators of other libraries with operax.aslinearoperator"
    raise TypeError(f"{name} must be a linear operator, got {type(op).__name__}; {hint}")


def library_for(op: LinearOperator, *values: Any) -> str:
    """The library to solve in: JAX as soon as something is traced or a JAX array, else that of the data."""
    arrays = [v for v in values if is_array(v)]
    libraries = {library_of(v) for v in arrays}
    if "jax" in libraries or any(isinstance(v, LinearOperator) and has_tracers(v) for v in (op, *values)):
        return "jax"
    return next(iter(libraries - {"numpy"}), "numpy")


def moved(value: Any, library: str) -> Any:
    """An array or operator in `library`; tracers, numbers and None pass."""
    if isinstance(value, LinearOperator):
        return value if has_tracers(value) else form_for(value, library)
    if not is_array(value) or is_tracer(value):
        return value
    return as_jax(value) if library == "jax" else as_library(value, library)


def floating(y: Array) -> Array:
    """`y`, integers as the default float of its library."""
    if dtype_of(y).kind in "fcV":
        return y
    dtype = np.dtype(jax.dtypes.canonicalize_dtype(np.float64)) if library_of(y) == "jax" else np.dtype(np.float64)
    return astype(y, dtype)


def prepare(op: Any, y: Any, *others: Any, square: bool = False) -> tuple[LinearOperator, Array, Layout, str]:
    """The operator and data in one library, the data as ``(*batch, *dimsd)``, and the layout for the way back."""
    op = check_operator(op)
    if isinstance(y, list | tuple):
        y = np.asarray(y)
    if not is_array(y):
        raise TypeError(f"the data y must be an array of NumPy, CuPy or JAX, got {type(y).__name__}")
    if square and op.shape[0] != op.shape[1]:
        raise ValueError(
            f"this solver takes square operators, {op._label()} has shape {op.shape}; "
            "for least squares use cgls or lsqr"
        )
    library = library_for(op, y, *others)
    op, y = moved(op, library), floating(moved(y, library))
    dims = op.dims
    xp, shape, size = namespace_of(y), tuple(y.shape), op.shape[0]
    inner = dims if square else op.dimsd
    if shape == op.dimsd or shape == (size,):
        return op, y if shape == inner else xp.reshape(y, inner), Layout(dims, op.dimsd, 0), library
    if shape[:-1] == op.dimsd or shape[:-1] == (size,):
        y = xp.reshape(xp.moveaxis(y, -1, 0), (shape[-1], *inner))
        return op, y, Layout(dims, op.dimsd, 1, flat=len(shape) == 2 and len(op.dimsd) != 1), library
    raise ValueError(
        f"y has shape {shape}, but the data of {op._label()} have shape {either(op.dimsd)}, "
        "with one more axis at the end for several right-hand sides"
    )


def start(x0: Any, layout: Layout, op: LinearOperator, y: Array, library: str) -> Array | None:
    """The starting guess: an array, or an operator that makes it from the data."""
    from operax._core.apply import apply_nd

    if x0 is None:
        return None
    if isinstance(x0, LinearOperator):
        if x0.shape != (op.shape[1], op.shape[0]):
            raise ValueError(f"x0 as an operator must map data to models, shape {op.shape[::-1]}; it has {x0.shape}")
        x = apply_nd(moved(x0, library), namespace_of(y).reshape(y, (*y.shape[: layout.batch], *x0.dims)))
        return namespace_of(x).reshape(x, (*x.shape[: layout.batch], *layout.dims))
    if not is_array(x0):
        raise TypeError(f"x0 must be an array or an operator from data to models, got {type(x0).__name__}")
    return layout.internal_model(floating(moved(x0, library)), y, "x0")


def adjoint_start(adjoint_x0: Any, layout: Layout, y: Array, library: str, wide: bool = False) -> Array | None:
    """The starting guess of the solve that a derivative makes."""
    if adjoint_x0 is None:
        return None
    if not is_array(adjoint_x0):
        raise TypeError(
            f"adjoint_x0 must be an array in the shape of the model, got {type(adjoint_x0).__name__}; start with zeros"
        )
    if wide:
        raise ValueError(
            "adjoint_x0 needs a unique solution: derivatives of an underdetermined problem solve another system; "
            "give damp, or leave adjoint_x0 away"
        )
    return layout.internal_model(floating(moved(adjoint_x0, library)), y, "adjoint_x0")


def preconditioner(M: Any, op: LinearOperator, library: str) -> Any:
    """A preconditioner on models: an operator, or an array as its diagonal."""
    if M is None:
        return None
    if is_array(M):
        if tuple(M.shape) not in (op.dims, (op.shape[1],)):
            raise ValueError(f"M as an array is a diagonal of shape {op.dims}, got {tuple(M.shape)}")
        from operax.basicoperators import Diagonal

        M = Diagonal(M.reshape(op.dims), dims=op.dims)
    M = check_operator(M, "M")
    if M.shape != (op.shape[1], op.shape[1]):
        raise ValueError(f"the preconditioner M must have shape {(op.shape[1],) * 2}, got {M.shape}")
    return moved(with_shapes(M, op.dims, op.dims), library)


def scalar(value: Any, like: Array) -> Any:
    """A parameter of a solver that does not widen the data: a Python number, or an array in their real dtype."""
    if value is None:
        return None
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    if is_array(value):
        return astype(value, real_dtype(dtype_of(like)))
    if isinstance(value, int | float):
        return value
    raise TypeError(f"expected a number or an array, got {value!r}")


def is_zero(value: Any) -> bool:
    """Whether `value` is the number zero (not an array, which may be differentiated)."""
    return isinstance(value, int | float | np.number) and value == 0


def is_wide(op: LinearOperator, damped: bool) -> bool:
    """Whether least squares with `op` has many solutions by its shape."""
    return op.shape[0] < op.shape[1] and not damped


def check_count(value: Any, name: str) -> int:
    """A number of iterations."""
    if is_tracer(value):
        raise TypeError(
            f"{name} is a value that is being traced, but it decides what is compiled: pass a Python integer, "
            f"for an argument of a jitted function with jax.jit(f, static_argnames={name!r})"
        )
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        cure = f"; pass int({name})" if isinstance(value, float | np.floating) else ""
        raise ValueError(f"{name} must be a whole number of iterations that is not negative, got {value!r}{cure}")
    return int(value)
