"""Cosine transform."""

from __future__ import annotations

from typing import Any

from operax._arrays.dct import INVERSE, dct, dct_factors
from operax._arrays.namespace import Array
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axes, as_sizes, behind, one_of


class DCT(LinearOperator):
    r"""Orthonormal discrete cosine transform along one or several axes.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model and of the data.
    type : {2, 1, 3, 4}, optional
        Type of the transform.
    axes : int or tuple of int, optional
        Axes of the transform. Default: all.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    workers : int, optional
        Accepted for scripts that give it, and without effect.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If `type` is unknown, an axis is out of range, or type 1 is asked along an axis of one sample.

    Notes
    -----
    Type 2 is :math:`y_k = s_k \sum_j x_j \cos \frac{\pi k (2j + 1)}{2n}` with :math:`s_0 = \sqrt{1/n}`,
    :math:`s_k = \sqrt{2/n}`; type 3 is its inverse, types 1 and 4 are their own. All are orthogonal: the adjoint is the
    inverse. Long axes are transformed with one FFT of their length [1]_.

    References
    ----------
    .. [1] J. Makhoul, A fast cosine transform in one and two dimensions, IEEE Transactions on Acoustics, Speech, and
       Signal Processing 28 (1980).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.DCT(4)
    >>> np.round(Op @ np.ones(4), 6) + 0.0
    array([2., 0., 0., 0.])
    """

    def __init__(
        self,
        dims: Any,
        type: int = 2,
        axes: Any = None,
        dtype: Any = None,
        workers: int | None = None,
        name: str = "C",
    ) -> None:
        dims = as_sizes(dims)
        self.type = one_of(type, INVERSE, "type")
        self.axes = as_axes(range(len(dims)) if axes is None else axes, len(dims))
        if self.type == 1 and any(dims[a] < 2 for a in self.axes):
            raise ValueError(f"type=1 needs at least two samples along each of axes={self.axes}, got dims={dims}")
        super().__init__(dims=dims, dimsd=dims, dtype=dtype, name=name)
        self.factors = tuple(dct_factors(dims[a], self.type) for a in self.axes)

    def _forward(self, x: Array) -> Array:
        return self._transform(x, self.type)

    def _adjoint(self, y: Array) -> Array:
        return self._transform(y, INVERSE[self.type])

    def _transform(self, x: Array, kind: int) -> Array:
        for axis, factors in zip(behind(self.axes, len(self.dims)), self.factors):
            x = dct(x, factors, kind, axis)
        return x
