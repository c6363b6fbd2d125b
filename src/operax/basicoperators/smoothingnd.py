"""Running means along several axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from operax.basicoperators._smoothing import RunningMean, odd_lengths
from operax.signalprocessing.convolvend import ConvolveND


class SmoothingND(RunningMean, ConvolveND):
    r"""Running mean along several axes.

    Parameters
    ----------
    nsmooth : tuple of int
        Numbers of samples of the mean along the axes; even numbers are increased by one.
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
    .. math:: y_i = \frac{1}{\prod_k n_k} \sum_{|j_k| \le (n_k - 1)/2} x_{i+j}

    with zeros outside the model.

    Examples
    --------
    >>> import numpy as np, operax
    >>> y = operax.SmoothingND((3, 3, 3), (3, 3, 3), axes=(0, 1, 2)) @ np.ones((3, 3, 3))
    >>> bool(np.isclose(y[1, 1, 1], 1))
    True
    """

    def __init__(self, nsmooth: Any, dims: Any, axes: Any = (-2, -1), dtype: Any = None, name: str = "S") -> None:
        sizes = odd_lengths(nsmooth, len(np.atleast_1d(axes)))
        h = np.full(sizes, 1.0 / math.prod(sizes))
        super().__init__(dims, h=h, offset=tuple((n - 1) // 2 for n in sizes), axes=axes, dtype=dtype, name=name)
        self._set_lengths(sizes)
