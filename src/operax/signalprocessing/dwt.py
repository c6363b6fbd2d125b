"""Wavelet transform along one axis."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._checks import as_axis, as_sizes
from operax.signalprocessing._wavelet import Wavelet


class DWT(Wavelet):
    r"""Multilevel discrete wavelet transform along one axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis of the transform; it is zero-padded to the next power of two.
    wavelet : str or pywt.Wavelet, optional
        Discrete wavelet; its filters are leaves, so that ``jax.grad`` with respect to the operator differentiates them.
    level : int, optional
        Number of levels, from 0 to the base-two logarithm of the padded length.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    lo, hi : array
        Decomposition filters.
    waveletadj : str
        Name of the wavelet whose synthesis is the adjoint.

    Raises
    ------
    ValueError
        If `axis` is out of range, `wavelet` unknown, or `level` too high.

    Notes
    -----
    One level gives :math:`a_k = \sum_j l_j x_{2k + L/2 - j}` and :math:`d_k = \sum_j h_j x_{2k + L/2 - j}` with
    indices modulo the length of the axis; the next level transforms :math:`a` [1]_. Data are ordered
    :math:`[a_J, d_J, \ldots, d_1]`. For orthogonal wavelets the adjoint is the inverse (of the padded signal); for
    biorthogonal ones it is the synthesis with the dual wavelet.

    References
    ----------
    .. [1] S. Mallat, A theory for multiresolution signal decomposition, IEEE Transactions on Pattern Analysis and
       Machine Intelligence 11 (1989).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.DWT(4, wavelet="haar", level=2)
    >>> np.round(Op @ np.array([1.0, 1.0, 3.0, 3.0]), 6) + 0.0
    array([ 4., -2.,  0.,  0.])
    """

    def __init__(
        self,
        dims: Any,
        axis: int = -1,
        wavelet: Any = "haar",
        level: int = 1,
        dtype: Any = None,
        name: str = "D",
    ) -> None:
        axis = as_axis(axis, len(as_sizes(dims)))
        super().__init__(dims, (axis,), wavelet, level, dtype, name)
