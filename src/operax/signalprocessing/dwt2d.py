"""Wavelet transform along two axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax.signalprocessing._wavelet import Wavelet


class DWT2D(Wavelet):
    r"""Multilevel discrete wavelet transform along two axes.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model.
    axes : tuple of int, optional
        The two axes of the transform; each is zero-padded to the next power of two.
    wavelet : str or pywt.Wavelet, optional
        Discrete wavelet; its filters are leaves.
    level : int, optional
        Number of levels, from 0 to the base-two logarithm of the shorter padded axis.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If not two axes are given, one is out of range, `wavelet` is unknown, or `level` too high.

    Notes
    -----
    Each level applies one level of `DWT` along both axes; the next level transforms the corner of approximations.
    The arrangement of the data is the one of ``pywt.coeffs_to_array``.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.DWT2D((4, 4), level=2)
    >>> np.round((Op @ np.ones((4, 4)))[0], 6) + 0.0
    array([4., 0., 0., 0.])
    """

    def __init__(
        self,
        dims: Any,
        axes: tuple[int, int] = (-2, -1),
        wavelet: Any = "haar",
        level: int = 1,
        dtype: Any = None,
        name: str = "D",
    ) -> None:
        if np.size(axes) != 2:
            raise ValueError(f"axes={axes!r} must name two axes; use DWT for one and DWTND for several")
        super().__init__(dims, axes, wavelet, level, dtype, name)
