"""The complex conjugate."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import is_complex
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import sizes_of


class Conj(LinearOperator):
    r"""Take the complex conjugate.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    dtype : dtype-like, optional
        Precision of the complex model; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math:: y = \bar x, \qquad x = \bar y

    The map is linear over the real numbers only (``clinear`` is False): its adjoint is the one of the real inner
    product :math:`\mathrm{Re} \sum \bar u v`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Conj(2) @ np.array([1 + 2j, 3 - 1j])
    array([1.-2.j, 3.+1.j])
    """

    def __init__(self, dims: Any, dtype: Any = None, name: str = "C") -> None:
        sizes = sizes_of(dims)
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, clinear=False, name=name)

    def _followed_dtype(self) -> np.dtype:
        # the model is complex, whatever else is known
        return self._dtype or np.dtype(np.complex128)

    def _forward(self, x: Array) -> Array:
        return namespace_of(x).conj(x) if is_complex(x) else x

    def _adjoint(self, y: Array) -> Array:
        return self._forward(y)
