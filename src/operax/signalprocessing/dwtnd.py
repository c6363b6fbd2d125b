"""Wavelet transform along several axes."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._wavelet import Wavelet


class DWTND(Wavelet):
    r"""Multilevel discrete wavelet transform along several axes.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model.
    axes : tuple of int, optional
        Axes of the transform; each is zero-padded to the next power of two.
    wavelet : str or pywt.Wavelet, optional
        Discrete wavelet; its filters are leaves.
    level : int, optional
        Number of levels, from 0 to the base-two logarithm of the shortest padded axis.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If an axis is out of range or named twice, `wavelet` unknown, or `level` too high.

    Notes
    -----
    Each level applies one level of `DWT` along every axis; the next level transforms the corner of approximations.
    The arrangement of the data is the one of ``pywt.coeffs_to_array``.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.DWTND((2, 4, 4), wavelet="db2", level=1)
    >>> x = np.arange(32.0).reshape(2, 4, 4)
    >>> np.allclose(Op.H @ (Op @ x), x)
    True
    """

    def __init__(
        self,
        dims: Any,
        axes: Any = (-3, -2, -1),
        wavelet: Any = "haar",
        level: int = 1,
        dtype: Any = None,
        name: str = "D",
    ) -> None:
        super().__init__(dims, axes, wavelet, level, dtype, name)
