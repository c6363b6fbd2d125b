"""Operators of other libraries, and functions of NumPy arrays, as operators that JAX can transform."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from operax._arrays.dtypes import as_dtype, dtype_of, float_dtype, promote, real_dtype
from operax._arrays.namespace import Array, as_numpy, library_of, namespace_of
from operax._core.operator import LinearOperator

FORWARD, ADJOINT = False, True


class ForeignOperator(LinearOperator):
    r"""An operator that is carried out by code which knows nothing of JAX.

    Parameters
    ----------
    forward : callable
        ``forward(X)`` for a NumPy array `X` of shape ``(k, *dims)``; gives ``(k, *dimsd)``.
    adjoint : callable or None
        ``adjoint(Y)`` for `Y` of shape ``(k, *dimsd)``; gives ``(k, *dims)``. None where it is not known: the
        operator can then be applied, but neither its adjoint nor a gradient through it exist.
    dims, dimsd : int or tuple of int
        Shapes of the model and of the data.
    dtype : dtype-like
        Precision of the operator; it takes part in promotion, ``result_type(dtype, x.dtype)``. A real dtype says
        that the matrix is real: the two parts of complex inputs are then given to the code one beside the other.
    clinear : bool, optional
        Whether the map is linear over the complex numbers. Where it is not (a real part, the Fourier transform of
        real signals), the dtype of a result is asked of the code itself, once for each dtype of the input, by
        applying it to zeros.
    source : object, optional
        The object that was wrapped, given back by the conversion in the other direction.
    name : str, optional
        Symbol in error texts.

    Notes
    -----
    On JAX arrays the code is called through :func:`jax.pure_callback` inside the operator primitive: the derivative
    of the call is the call itself, its transpose is the adjoint, and leading batch axes go to the code in one call.
    So ``jax.jit``, ``jax.vmap``, ``jax.grad`` and ``jax.jvp`` work to any order, on the host at the price of one
    crossing a call. The code must have no side effects that matter: JAX may call it twice, or not at all. Arrays
    inside it are invisible to JAX, so there is no gradient with respect to them.

    Examples
    --------
    >>> import numpy as np, jax, jax.numpy as jnp
    >>> from operax.interop import ForeignOperator
    >>> Op = ForeignOperator(lambda X: np.cumsum(X, 1), lambda Y: np.cumsum(Y[:, ::-1], 1)[:, ::-1], 3, 3, "float32")
    >>> jax.jit(jax.grad(lambda x: jnp.sum((Op @ x) ** 2)))(jnp.ones(3))
    Array([12., 10.,  6.], dtype=float32)
    """

    def __init__(
        self,
        forward: Callable[[Any], Any],
        adjoint: Callable[[Any], Any] | None,
        dims: Any,
        dimsd: Any,
        dtype: Any,
        clinear: bool = True,
        source: Any = None,
        name: str | None = None,
    ) -> None:
        if not callable(forward) or not (adjoint is None or callable(adjoint)):
            wrong = forward if not callable(forward) else adjoint
            raise TypeError(f"forward and adjoint must be functions of NumPy arrays, got {type(wrong).__name__}")
        super().__init__(dims=dims, dimsd=dimsd, dtype=as_dtype(dtype), clinear=bool(clinear), name=name)
        self.host_forward, self.host_adjoint, self.source = forward, adjoint, source
        if not clinear:
            # a real-linear map may take real inputs only: they reach the code as they are
            self.__dict__["_model_dtype"] = self.__dict__["_data_dtype"] = None

    def _forward(self, x: Array) -> Array:
        return self._call(FORWARD, x)

    def _adjoint(self, y: Array) -> Array:
        if self.host_adjoint is None:
            raise ValueError(
                f"{self._label()} was made from a forward function alone and has no adjoint, which adjoints, gradients "
                "and least-squares solvers need; give the adjoint function too"
            )
        return self._call(ADJOINT, y)

    def _call(self, side: bool, x: Array) -> Array:
        library = library_of(x)
        dims, dimsd = (self.dimsd, self.dims) if side else (self.dims, self.dimsd)
        batch = tuple(x.shape[: x.ndim - len(dims)])
        if library == "jax":
            dtype = jax.dtypes.canonicalize_dtype(self._result_dtype(side, dtype_of(x)))
            run = functools.partial(_on_host, self, side, dtype)
            return jax.pure_callback(run, jax.ShapeDtypeStruct((*batch, *dimsd), dtype), x, vmap_method="expand_dims")
        dtype = self._result_dtype(side, dtype_of(x))
        if library in ("numpy", "cupy"):
            return self._evaluate(side, x, dtype)
        return namespace_of(x).asarray(self._evaluate(side, as_numpy(x), dtype))

    def _evaluate(self, side: bool, x: Any, dtype: np.dtype) -> Any:
        """Run the code on `x` of shape ``(*batch, *dims)``; the result has `dtype`."""
        dims, dimsd = (self.dimsd, self.dims) if side else (self.dims, self.dimsd)
        call: Any = self.host_adjoint if side else self.host_forward
        batch = x.shape[: x.ndim - len(dims)]
        stacked = x.reshape((math.prod(batch), *dims))
        # code for real numbers often drops imaginary parts: a real matrix acts on both parts alike
        parts = self.clinear and self.dtype.kind != "c" and x.dtype.kind == "c"
        if parts:
            xp = x.__array_namespace__()
            stacked, dtype = xp.concatenate([stacked.real, stacked.imag]), real_dtype(dtype)
        y: Any = call(stacked) if len(stacked) else x.__array_namespace__().zeros((0, *dimsd), dtype=dtype)
        y = self._checked(side, y if hasattr(y, "dtype") else np.asarray(y), len(stacked), dimsd, dtype)
        if parts:
            y = y[: len(y) // 2] + 1j * y[len(y) // 2 :]
        return y.reshape((*batch, *dimsd))

    def _checked(self, side: bool, y: Any, count: int, dimsd: tuple[int, ...], dtype: np.dtype) -> Any:
        """What the code gave, as `count` arrays of shape `dimsd` and `dtype`."""
        if y.size != count * math.prod(dimsd):
            self._broken("adjoint" if side else "forward", tuple(y.shape[1:]), dimsd)
        if y.dtype.kind == "c" and dtype.kind != "c":
            raise TypeError(
                f"the {'adjoint' if side else 'forward'} of {self._label()} gave complex numbers, but its dtype is "
                f"{self.dtype}: give dtype='complex128' (or 'complex64')"
            )
        return y.astype(dtype, copy=False).reshape((count, *dimsd))

    def _result_dtype(self, side: bool, dtype: np.dtype) -> np.dtype:
        if self.clinear:
            return promote(float_dtype(dtype), self.dtype)
        key = f"result {side} {dtype}"
        found = self._memo.get(key)
        if found is None:
            dims = self.dimsd if side else self.dims
            call: Any = self.host_adjoint if side else self.host_forward
            found = self._memo[key] = float_dtype(np.asarray(call(np.zeros((1, *dims), dtype))).dtype)
        return found


def _on_host(op: ForeignOperator, side: bool, dtype: np.dtype, x: Any) -> np.ndarray:
    # JAX's buffers are read-only, which foreign code may not expect
    return op._evaluate(side, np.array(x), dtype)


class Columns:
    """Calls of an object with ``matvec`` and ``matmat`` (SciPy's and PyLops' protocol) on stacked n-d arrays."""

    def __init__(self, source: Any, vector: str, matrix: str) -> None:
        self.source, self.vector, self.matrix = source, vector, matrix

    def __call__(self, x: Any) -> Any:
        rows = x.reshape((x.shape[0], -1))
        many = getattr(self.source, self.matrix, None)
        if len(rows) == 1 or many is None:
            one = getattr(self.source, self.vector)
            found = [np.asarray(one(row)) if isinstance(row, np.ndarray) else one(row) for row in rows]
            return found[0][None] if len(found) == 1 else x.__array_namespace__().stack(found)
        return many(rows.T).T

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is Columns
            and other.source is self.source
            and (other.vector, other.matrix) == (self.vector, self.matrix)
        )

    def __hash__(self) -> int:
        return hash((id(self.source), self.vector))


class EachSample:
    """Calls of a function of one n-d array, for each of the stacked arrays."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, x: Any) -> Any:
        if len(x) == 1:
            return np.asarray(self.function(x[0]))[None]
        return np.stack([np.asarray(self.function(one)) for one in x])

    def __eq__(self, other: object) -> bool:
        return type(other) is EachSample and other.function is self.function

    def __hash__(self) -> int:
        return hash((EachSample, id(self.function)))
