"""The part of `LinearOperator` that applies it: products with arrays, and how often they were taken."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, is_array, namespace_of
from operax._core.algebra import is_scalar
from operax._core.apply import RMATMAT, RMATVEC, apply, apply_nd


class Products:
    """Methods that apply an operator to arrays, and their counters."""

    def __matmul__(self: Any, other: Any) -> Any:
        if isinstance(other, Products):
            return self._times(other)
        return apply(self, other)

    def __mul__(self: Any, other: Any) -> Any:
        if isinstance(other, Products):
            return self._times(other)
        if is_scalar(other):
            return self._scaled(other)
        return apply(self, other)

    def __rmul__(self: Any, other: Any) -> Any:
        if is_scalar(other):
            return self._scaled(other)
        return NotImplemented

    def __rmatmul__(self: Any, other: Any) -> Any:
        """``x @ Op``: rows of `x`, of shape ``(M,)`` or ``(k, M)``, times the matrix."""
        if not is_array(other):
            return NotImplemented
        xp = namespace_of(other)
        if other.ndim not in (1, 2) or other.shape[-1] != self.shape[0]:
            raise ValueError(
                f"x @ Op takes rows of {self.shape[0]} values for {self._label()}, got shape {tuple(other.shape)}"
            )
        y = apply_nd(self.T, xp.reshape(other, (*other.shape[:-1], *self.dimsd)))
        return xp.reshape(y, (*other.shape[:-1], self.shape[1]))

    def __call__(self: Any, x: Array) -> Array:
        """The same as ``Op @ x``."""
        return self @ x

    def dot(self: Any, x: Any) -> Any:
        """The product with a scalar, an operator or an array."""
        return self * x

    def matvec(self: Any, x: Array) -> Array:
        """Forward on a vector of shape ``(N,)`` or ``(N, 1)``, or on an array of shape `dims`."""
        self._check_vector(x, self.shape[1], self.dims)
        y = apply(self, x)
        return y if x.ndim == 2 and x.shape == (self.shape[1], 1) else namespace_of(y).reshape(y, (-1,))

    def rmatvec(self: Any, x: Array) -> Array:
        """Adjoint on a vector of shape ``(M,)`` or ``(M, 1)``, or on an array of shape `dimsd`."""
        self._check_vector(x, self.shape[0], self.dimsd)
        self._counts[RMATVEC] += 1
        y = apply(self.H, x)
        return y if x.ndim == 2 and x.shape == (self.shape[0], 1) else namespace_of(y).reshape(y, (-1,))

    def matmat(self: Any, X: Array) -> Array:
        """Forward on the columns of `X` of shape ``(N, k)``, in one vectorised call."""
        self._check_matrix(X, self.shape[1])
        return apply(self, X)

    def rmatmat(self: Any, X: Array) -> Array:
        """Adjoint on the columns of `X` of shape ``(M, k)``, in one vectorised call."""
        self._check_matrix(X, self.shape[0])
        self._counts[RMATMAT] += 1
        return apply(self.H, X)

    def batched(self: Any, x: Array) -> Array:
        """Forward on `x` of shape ``(*batch, *dims)``: one vectorised call, the batch axes stay in front.

        Examples
        --------
        >>> import numpy as np, operax
        >>> operax.FirstDerivative(5).batched(np.ones((2, 3, 5))).shape
        (2, 3, 5)
        """
        n = len(self.dims)
        if not is_array(x):
            return apply(self, x)  # which says what is wrong
        if x.ndim < n or tuple(x.shape[x.ndim - n :]) != self.dims:
            raise ValueError(f"{self._label()} takes batches of shape (*batch, {self.dims}), got {tuple(x.shape)}")
        return apply_nd(self, x)

    def _check_vector(self: Any, x: Any, size: int, dims: tuple[int, ...]) -> None:
        if is_array(x) and tuple(x.shape) not in ((size,), (size, 1), dims):
            raise ValueError(f"{self._label()} takes a vector of shape ({size},) here, got {tuple(x.shape)}")

    def _check_matrix(self: Any, x: Any, size: int) -> None:
        if is_array(x) and (x.ndim != 2 or x.shape[0] != size):
            raise ValueError(f"{self._label()} takes a matrix of shape ({size}, k) here, got {tuple(x.shape)}")

    @property
    def matvec_count(self: Any) -> int:
        """Forward applications to a single input since the last `reset_count`."""
        return self._counts[0]

    @property
    def rmatvec_count(self: Any) -> int:
        """Adjoint applications to a single input since the last `reset_count`."""
        return self._counts[1] + (self._memo["H"]._counts[0] if "H" in self._memo else 0)

    @property
    def matmat_count(self: Any) -> int:
        """Forward applications to several inputs at once since the last `reset_count`."""
        return self._counts[2]

    @property
    def rmatmat_count(self: Any) -> int:
        """Adjoint applications to several inputs at once since the last `reset_count`."""
        return self._counts[3] + (self._memo["H"]._counts[2] if "H" in self._memo else 0)

    def reset_count(self: Any) -> None:
        """Set all call counters to zero."""
        self._counts[:] = [0, 0, 0, 0]
        if "H" in self._memo:
            self._memo["H"]._counts[:] = [0, 0, 0, 0]
