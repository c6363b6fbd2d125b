"""The operator that gives zeros."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import sizes_of


class Zero(LinearOperator):
    r"""Give zeros, whatever the model.

    Parameters
    ----------
    N : int or tuple of int
        Shape of the data (and of the model).
    M : int or tuple of int, optional
        Shape of the model, where it differs.
    forceflat : bool, optional
        Give flat results for flat inputs where an operator composed with this one is n-dimensional.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math:: y = 0_N, \qquad x = 0_M

    Stacks and sums leave it out of their work.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Zero(2, 3) @ np.ones(3)
    array([0., 0.])
    """

    def __init__(
        self, N: Any, M: Any = None, forceflat: bool | None = None, dtype: Any = None, name: str = "Z"
    ) -> None:
        dimsd = sizes_of(N, "N")
        dims = dimsd if M is None else sizes_of(M, "M")
        super().__init__(dtype=dtype, dims=dims, dimsd=dimsd, forceflat=forceflat, name=name)

    def _forward(self, x: Array) -> Array:
        return self._zeros(x, self.dims, self.dimsd)

    def _adjoint(self, y: Array) -> Array:
        return self._zeros(y, self.dimsd, self.dims)

    def _zeros(self, x: Array, old: tuple[int, ...], new: tuple[int, ...]) -> Array:
        return namespace_of(x).zeros((*x.shape[: x.ndim - len(old)], *new), dtype=x.dtype)
