"""The imaginary part."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.complexes import make_complex
from operax._arrays.dtypes import complex_dtype, floating, is_complex, real_dtype
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import sizes_of


class Imag(LinearOperator):
    r"""Take the imaginary part.

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
    .. math:: y = \mathrm{Im}(x), \qquad x = 0 + i \, \mathrm{Re}(y)

    The map is linear over the real numbers only (``clinear`` is False): its adjoint is the one of the real inner
    product :math:`\mathrm{Re} \sum \bar u v`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Imag(2) @ np.array([1 + 2j, 3 - 1j])
    array([ 2., -1.])
    """

    def __init__(self, dims: Any, dtype: Any = None, name: str = "I") -> None:
        sizes = sizes_of(dims)
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, clinear=False, name=name)
        if dtype is not None:
            self._model_dtype, self._data_dtype = complex_dtype(self.dtype), real_dtype(self.dtype)

    def _followed_dtype(self) -> np.dtype:
        # the model is complex, whatever else is known
        return self._dtype or np.dtype(np.complex128)

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        return xp.imag(x) if is_complex(x) else xp.zeros_like(x)

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        y = xp.real(y) if is_complex(y) else floating(y)
        # a product with the unit i would turn infinite values into NaN
        return make_complex(xp.zeros_like(y), y)
