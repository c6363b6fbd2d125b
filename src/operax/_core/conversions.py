"""The part of `LinearOperator` that turns it into something else: a matrix, another library's operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from operax._arrays.namespace import Array
from operax._core.backend import move

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator


class Conversions:
    """Methods that convert an operator."""

    def __array__(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self._label()} is not an array; its matrix is Op.todense()")

    def to(self: Any, library: str, device: Any = None) -> LinearOperator:
        """A copy with every array moved to another library or device.

        Parameters
        ----------
        library : {"numpy", "jax", "cupy"}
            Where the arrays go.
        device : optional
            A device, or for JAX a sharding, in the terms of that library.

        Returns
        -------
        LinearOperator
            The copy; compositions move with all their parts.
        """
        return move(self, library, device)

    def todense(self: Any, backend: str = "numpy") -> Array:
        """The matrix of the operator.

        Parameters
        ----------
        backend : {"numpy", "jax", "cupy"}, optional
            Library of the matrix.

        Returns
        -------
        array
            Matrix of shape ``(M, N)``; in the operator's dtype.

        Examples
        --------
        >>> import operax
        >>> operax.FirstDerivative(3, kind="forward").todense().tolist()
        [[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0], [0.0, 0.0, 0.0]]
        """
        from operax._core.dense import todense

        return todense(self, backend)

    def tosparse(self: Any) -> Any:
        """The matrix of the operator without its zeros.

        Returns
        -------
        scipy.sparse.csr_matrix
            Matrix of shape ``(M, N)``.
        """
        from operax._core.dense import tosparse

        return tosparse(self)

    def to_scipy(self: Any, dtype: Any = None) -> Any:
        """The operator as a ``scipy.sparse.linalg.LinearOperator``; see :func:`operax.interop.to_scipy`."""
        from operax.interop import to_scipy

        return to_scipy(self, dtype)

    def to_lineax(self: Any, tags: Any = None, dtype: Any = None) -> Any:
        """The operator as a ``lineax.AbstractLinearOperator``; see :func:`operax.interop.to_lineax`."""
        from operax.interop import to_lineax

        return to_lineax(self, tags, dtype)

    def to_pylops(self: Any, dtype: Any = None) -> Any:
        """The operator as a ``pylops.LinearOperator``; see :func:`operax.interop.to_pylops`."""
        from operax.interop import to_pylops

        return to_pylops(self, dtype)
