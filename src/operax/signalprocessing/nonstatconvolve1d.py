"""Non-stationary convolution along one axis, and estimation of its filters."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._nonstationary import NonStationaryConvolution, NonStationaryFilters


class NonStationaryConvolve1D(NonStationaryConvolution):
    r"""Convolution with filters that vary along an axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model and of the data.
    hs : array of shape (nfilt, nh)
        Filters, of odd lengths and centred. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    ih : sequence of int
        Samples where the filters are given, regularly spaced. Between them filters are interpolated linearly, outside
        the nearest one holds.
    axis : int, optional
        Axis of the convolution.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow `hs` and the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    hsinterp : array
        The filter of every sample, computed when asked for.
    hshape : tuple of int
        Shape of a filter.

    Raises
    ------
    ValueError
        If filters have an even length, their number is not the one of the positions, or positions are not regular or
        lie outside the model.

    Notes
    -----
    :math:`y_{i + k - c} \mathrel{+}= h_i[k] \, x_i` with :math:`h_i` the filter at sample :math:`i` and :math:`c` its
    centre: every input is spread with its own filter. The adjoint is
    :math:`x_i = \sum_k \bar h_i[k] \, y_{i + k - c}`.

    References
    ----------
    G. F. Margrave, Theory of nonstationary linear filtering in the Fourier domain with application to time-variant
    filtering, Geophysics 63 (1998).

    Examples
    --------
    >>> import numpy as np, operax
    >>> hs = np.array([[0.0, 1.0, 0.0], [0.0, 3.0, 0.0]])
    >>> Op = operax.signalprocessing.NonStationaryConvolve1D(5, hs, ih=(1, 3))
    >>> Op @ np.ones(5)
    array([1., 1., 2., 3., 3.])
    """

    def __init__(
        self,
        dims: Any,
        hs: Any,
        ih: Any,
        axis: int = -1,
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        super().__init__(dims, hs, (ih,), ("ih",), axis, "numpy", dtype, name)

    @property
    def oh(self) -> int:
        """Sample of the first filter."""
        return self.origins[0]

    @property
    def dh(self) -> int:
        """Samples between filters."""
        return self.steps[0]

    @property
    def nh(self) -> int:
        """Number of filters."""
        return int(self.hs.shape[0])

    @property
    def eh(self) -> int:
        """Sample of the last filter."""
        return self.oh + (self.nh - 1) * self.dh

    @property
    def hsize(self) -> int:
        """Length of a filter."""
        return self.hshape[0]


class NonStationaryFilters1D(NonStationaryFilters):
    r"""Estimation of filters that vary along a signal: `NonStationaryConvolve1D` as a function of its filters.

    Parameters
    ----------
    inp : array of 1 dimension
        The fixed input signal. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    hsize : int
        Length of a filter, odd.
    ih : sequence of int
        Samples where the filters stand, regularly spaced.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow `inp` and the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If filters have an even length, or positions are not regular or lie outside the signal.

    Notes
    -----
    With the input :math:`x` fixed, :math:`y_{i + k - c} \mathrel{+}= x_i \, (L h)_i[k]`, where :math:`L` interpolates
    filters linearly to all samples; the adjoint is :math:`h = L^T g`, :math:`g_i[k] = \bar x_i \, y_{i + k - c}`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.NonStationaryFilters1D(np.arange(5.0), hsize=1, ih=(1, 3))
    >>> Op @ np.array([[1.0], [3.0]])
    array([ 0.,  1.,  4.,  9., 12.])
    """

    def __init__(
        self,
        inp: Any,
        hsize: Any,
        ih: Any,
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        super().__init__(inp, hsize, (ih,), ("ih",), "numpy", dtype, name)
