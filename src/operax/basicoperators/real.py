"""The real part."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import astype, complex_dtype, dtype_of, is_complex, real_dtype
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import sizes_of


class Real(LinearOperator):
    r"""Take the real part.

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
    .. math:: y = \mathrm{Re}(x), \qquad x = \mathrm{Re}(y) + 0 i

    The map is linear over the real numbers only (``clinear`` is False): its adjoint is the one of the real inner
    product :math:`\mathrm{Re} \sum \bar u v`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Real(2) @ np.array([1 + 2j, 3 - 1j])
    array([1., 3.])
    """

    def __init__(self, dims: Any, dtype: Any = None, name: str = "R") -> None:
        sizes = sizes_of(dims)
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, clinear=False, name=name)
        if dtype is not None:
            self._model_dtype, self._data_dtype = complex_dtype(self.dtype), real_dtype(self.dtype)

    def _followed_dtype(self) -> np.dtype:
        # the model is complex, whatever else is known
        return self._dtype or np.dtype(np.complex128)

    def _forward(self, x: Array) -> Array:
        return namespace_of(x).real(x) if is_complex(x) else x

    def _adjoint(self, y: Array) -> Array:
        return astype(self._forward(y), complex_dtype(dtype_of(y)))
