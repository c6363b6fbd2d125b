"""Between NumPy and CuPy."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, as_library, as_numpy, library_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import sizes_of


class ToCupy(LinearOperator):
    r"""Move NumPy arrays to a GPU as CuPy arrays; the adjoint moves them back.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.
    device : int, optional
        Number of the GPU; by default the current one.

    Notes
    -----
    .. math:: y = x

    For chains in which some operators work on the GPU and others on the host. JAX arrays are left where they are.

    Examples
    --------
    >>> import operax
    >>> operax.ToCupy((2, 3)).shape
    (6, 6)
    """

    def __init__(self, dims: Any, dtype: Any = None, name: str = "C", *, device: int | None = None) -> None:
        sizes = sizes_of(dims)
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, name=name)
        self.device = device

    def _forward(self, x: Array) -> Array:
        if library_of(x) != "numpy":
            return x
        try:
            return as_library(x, "cupy", self.device)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"{self._label()} needs CuPy: pip install cupy-cuda12x ({error})") from None

    def _adjoint(self, y: Array) -> Array:
        return as_numpy(y) if library_of(y) == "cupy" else y
