"""Running means along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax.basicoperators._smoothing import RunningMean, odd_lengths
from operax.signalprocessing.convolve1d import Convolve1D


class Smoothing1D(RunningMean, Convolve1D):
    r"""Running mean along an axis.

    Parameters
    ----------
    nsmooth : int
        Number of samples of the mean; an even number is increased by one.
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis to smooth along (default the last).
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math:: y_i = \frac{1}{n} \sum_{j = -(n-1)/2}^{(n-1)/2} x_{i+j}

    with zeros outside the model.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.Smoothing1D(3, 4) @ np.array([3.0, 3.0, 6.0, 6.0])
    array([2., 4., 5., 4.])
    """

    def __init__(self, nsmooth: int, dims: Any, axis: int = -1, dtype: Any = None, name: str = "S") -> None:
        (n,) = odd_lengths(nsmooth, 1)
        super().__init__(dims, h=np.full(n, 1.0 / n), offset=(n - 1) // 2, axis=axis, dtype=dtype, name=name)
        self._set_lengths((n,))
