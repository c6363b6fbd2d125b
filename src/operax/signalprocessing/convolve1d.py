"""Convolution along one axis."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax.signalprocessing._checks import as_axis, as_sizes
from operax.signalprocessing._convolution import Convolution


class Convolve1D(Convolution):
    r"""Convolution with a filter along one axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    h : array of shape (nh,)
        Filter. Where it is longer than the axis, the data get its length along the axis. A leaf: ``jax.grad``
        with respect to the operator differentiates it.
    offset : int, optional
        Index of the filter's sample that meets the sample of the same index in the data.
    axis : int, optional
        Axis of the convolution.
    method : {None, "direct", "fft", "overlapadd"}, optional
        How to compute: None takes the fastest for the lengths at hand; the others insist.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow `h` and the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    nh : int
        Length of the filter.
    hstar : array
        Reversed, conjugated filter of the adjoint.

    Raises
    ------
    ValueError
        If `h` has not one dimension, `offset` lies outside it, `axis` is out of range or `method` unknown.

    Notes
    -----
    :math:`y_t = \sum_k h_k x_{t + o - k}` with offset :math:`o` and zeros outside; the adjoint is the correlation
    :math:`x_t = \sum_k \bar h_k y_{t - o + k}`. Filters of up to some hundred taps are applied as products with blocks
    of the banded matrix, or tap by tap, longer ones by overlap-add [1]_. With blocks and with overlap-add a NaN or an
    infinity reaches all results of its block or line, not only those within reach of the filter.

    References
    ----------
    .. [1] T. G. Stockham, High-speed convolution and correlation, AFIPS Conference Proceedings 28 (1966).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.Convolve1D(5, h=np.array([1.0, 2.0, 3.0]), offset=1)
    >>> Op @ np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    array([0., 1., 2., 3., 0.])
    """

    def __init__(
        self,
        dims: Any,
        h: Any,
        offset: int = 0,
        axis: int = -1,
        method: str | None = None,
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        axis = as_axis(axis, len(as_sizes(dims)))
        super().__init__(dims, h, offset, (axis,), method, dtype, name)
        if self.nh > self.dims[self.axis]:
            self.dimsd = tuple(self.nh if a == self.axis else n for a, n in enumerate(self.dims))

    @property
    def axis(self) -> int:
        """Axis of the convolution, counted from the front."""
        return self.axes[0]

    @property
    def offset(self) -> int:
        """Index of the centre of the filter."""
        return self.offsets[0]

    @property
    def nh(self) -> Any:
        """Length of the filter."""
        return int(self.h.shape[0])

    @property
    def hstar(self) -> Array:
        """Reversed, conjugated filter of the adjoint."""
        return self._reversed()
