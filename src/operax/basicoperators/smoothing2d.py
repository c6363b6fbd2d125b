"""Running means along two axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from operax.basicoperators._smoothing import RunningMean, odd_lengths
from operax.signalprocessing.convolve2d import Convolve2D


class Smoothing2D(RunningMean, Convolve2D):
    r"""Running mean along two axes.

    Parameters
    ----------
    nsmooth : tuple of int
        Numbers of samples of the mean along the two axes; even numbers are increased by one.
    dims : tuple of int
        Shape of the model.
    axes : tuple of int, optional
        Axes to smooth along (default the last two).
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math::
        y_{i,j} = \frac{1}{n_1 n_2} \sum_{k = -(n_1-1)/2}^{(n_1-1)/2} \; \sum_{l = -(n_2-1)/2}^{(n_2-1)/2}
        x_{i+k, j+l}

    with zeros outside the model.

    Examples
    --------
    >>> import numpy as np, operax
    >>> y = operax.Smoothing2D((3, 3), (5, 5)) @ np.ones((5, 5))
    >>> bool(np.isclose(y[2, 2], 1))
    True
    """

    def __init__(self, nsmooth: Any, dims: Any, axes: Any = (-2, -1), dtype: Any = None, name: str = "S") -> None:
        sizes = odd_lengths(nsmooth, 2)
        h = np.full(sizes, 1.0 / math.prod(sizes))
        super().__init__(
            dims, h=h, offset=((sizes[0] - 1) // 2, (sizes[1] - 1) // 2), axes=axes, dtype=dtype, name=name
        )
        self._set_lengths(sizes)
