"""Complex arrays from real and imaginary parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import astype, complex_dtype, dtype_of
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array


@Kernel
def make_complex(real: Array, imag: Array) -> Array:
    """``real + i imag`` of two real arrays of one shape and dtype. Generic version: by multiplication."""
    dtype = complex_dtype(dtype_of(real))
    return astype(real, dtype) + 1j * astype(imag, dtype)


@make_complex.on("numpy")
def _(real: Any, imag: Any) -> Any:
    # parts are set: a product with i makes NaN of infinite values
    out = np.empty(real.shape, complex_dtype(real.dtype))
    out.real, out.imag = real, imag
    return out


@make_complex.on("jax")
def _(real: Any, imag: Any) -> Any:
    from jax import lax

    return lax.complex(real, imag)
