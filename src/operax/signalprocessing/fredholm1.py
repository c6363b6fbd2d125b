"""Fredholm integral of the first kind."""

from __future__ import annotations

from typing import Any

from operax._arrays.dtypes import is_complex
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_sizes, weights


class Fredholm1(LinearOperator):
    r"""One matrix for each slice of the model: a multi-dimensional Fredholm integral of the first kind.

    Parameters
    ----------
    G : array of shape (nslice, nx, ny)
        Kernel. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    nz : int, optional
        Number of columns that each matrix is applied to.
    saveGt : bool, optional
        Accepted for scripts that give it; the adjoint needs no copy of `G`.
    usematmul : bool, optional
        Accepted for scripts that give it; one batched product is used in any case.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow `G` and the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    nsl, nx, ny : int
        Shape of `G`.

    Raises
    ------
    ValueError
        If `G` has not three dimensions.

    Notes
    -----
    :math:`d_{kxz} = \sum_y G_{kxy} m_{kyz}`; the adjoint is :math:`m_{kyz} = \sum_x \bar G_{kxy} d_{kxz}`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.Fredholm1(np.arange(4.0).reshape(2, 1, 2))
    >>> (Op @ np.ones((2, 2, 1))).ravel()
    array([1., 5.])
    """

    def __init__(
        self,
        G: Any,
        nz: int = 1,
        saveGt: bool = True,
        usematmul: bool = True,
        dtype: Any = None,
        name: str = "F",
    ) -> None:
        super().__init__(dims=1, dimsd=1, dtype=dtype, name=name)
        self.G = self._parameter(G, "G")
        if self.G.ndim != 3:
            raise ValueError(f"G must have shape (nslice, nx, ny), got {tuple(self.G.shape)}")
        self.nsl, self.nx, self.ny = (int(n) for n in self.G.shape)
        self.nz = as_sizes(nz, "nz")[0]
        self.dims, self.dimsd = (self.nsl, self.ny, self.nz), (self.nsl, self.nx, self.nz)

    def _forward(self, x: Array) -> Array:
        return namespace_of(x).matmul(weights(self.G, x), x)

    def _adjoint(self, y: Array) -> Array:
        # (G^H y) = conj(y^H G)^T with the vector on the left: no transposed copy of G is made
        xp = namespace_of(y)
        G = weights(self.G, y)
        complex_kernel = is_complex(G)
        y = xp.conj(y) if complex_kernel and is_complex(y) else y
        x = xp.matrix_transpose(xp.matmul(xp.matrix_transpose(y), G))
        return xp.conj(x) if complex_kernel else x
