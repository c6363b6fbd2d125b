"""Functions as an operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from operax._arrays.namespace import Array, library_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import sizes_of


class FunctionOperator(LinearOperator):
    r"""A pair of functions as an operator.

    Call it as ``FunctionOperator(f, n)``, ``FunctionOperator(f, n, m)``, ``FunctionOperator(f, fc, n)`` or
    ``FunctionOperator(f, fc, n, m)``.

    Parameters
    ----------
    f : callable
        Forward: from a flat model to flat data (arrays of shape `m` to `n` where these are tuples).
    fc : callable, optional
        Adjoint. Without it JAX derives the adjoint from `f`, if `f` is written in JAX.
    n : int or tuple of int
        Length (shape) of the data.
    m : int or tuple of int, optional
        Length (shape) of the model, where it differs.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.
    **kwargs
        `clinear` (False for functions that are linear over the real numbers only) and `forceflat`, as for
        `LinearOperator`.

    Raises
    ------
    TypeError
        For other keywords, and for sizes in another form than the four above.
    NotImplementedError
        In the adjoint on NumPy arrays, where `fc` was not given.

    Notes
    -----
    .. math:: y = f(x), \qquad x = f_c(y), \qquad \langle f(x), y \rangle = \langle x, f_c(y) \rangle

    The functions are part of the operator's identity: make the operator once, not in a loop, or JAX compiles anew.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.FunctionOperator(lambda x: 2 * x, lambda y: 2 * y, 3) @ np.ones(3)
    array([2., 2., 2.])
    """

    def __init__(self, f: Callable[[Any], Any], *args: Any, dtype: Any = None, name: str = "F", **kwargs: Any) -> None:
        if not callable(f):
            raise TypeError(f"f must be callable, got {type(f).__name__}")
        unknown = sorted(kwargs.keys() - {"clinear", "forceflat"})
        if unknown:
            raise TypeError(
                f"FunctionOperator has no keyword {', '.join(map(repr, unknown))}: functions and sizes go by position, "
                "(f, fc, n, m); dtype, name, clinear and forceflat go by keyword"
            )
        rest = list(args)
        fc = rest.pop(0) if rest and callable(rest[0]) else None
        if len(rest) not in (1, 2):
            raise TypeError(
                "FunctionOperator takes (f, n), (f, n, m), (f, fc, n) or (f, fc, n, m), and dtype and name by keyword; "
                f"got {len(args)} argument(s) after f"
            )
        dimsd = sizes_of(rest[0], "n")
        dims = sizes_of(rest[1], "m") if len(rest) == 2 else dimsd
        super().__init__(dtype=dtype, dims=dims, dimsd=dimsd, name=name, **kwargs)
        self.f, self.fc = f, fc

    def _forward(self, x: Array) -> Array:
        return self._by_vectors(self._nd(self.f, self.dims), x, self.dims, self.dimsd)

    def _adjoint(self, y: Array) -> Array:
        if self.fc is not None:
            return self._by_vectors(self._nd(self.fc, self.dimsd), y, self.dimsd, self.dims)
        if library_of(y) != "jax":
            raise NotImplementedError(
                f"{self._label()} has no adjoint: give it as the second argument, FunctionOperator(f, fc, n); "
                "for JAX arrays it is derived"
            )
        import jax
        import jax.numpy as jnp

        forward = self._nd(self.f, self.dims)
        size = self.shape[1]

        def one(v: Any) -> Any:
            model = jax.ShapeDtypeStruct((size,), v.dtype)
            return jnp.conj(jax.linear_transpose(lambda x: forward(x).reshape(-1), model)(jnp.conj(v))[0])

        return self._by_vectors(one, y, self.dimsd, self.dims)

    def _nd(self, function: Callable[[Any], Any], dims: tuple[int, ...]) -> Callable[[Any], Any]:
        """`function` for flat vectors, where it takes arrays."""
        return function if len(dims) == 1 else lambda x: function(x.reshape(dims))
