"""Non-stationary convolution along two axes, and estimation of its filters."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._nonstationary import NonStationaryConvolution, NonStationaryFilters


class NonStationaryConvolve2D(NonStationaryConvolution):
    r"""Convolution with filters that vary along the 2 axes.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model and of the data.
    hs : array of shape (nfilt_x, nfilt_z, nh_x, nh_z)
        Filters, of odd lengths and centred. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    ihx, ihz : sequence of int
        Samples where the filters are given, regularly spaced. Between them filters are interpolated linearly, outside
        the nearest one holds.
    engine : {"numpy", "numba", "cuda"}, optional
        Accepted for scripts that name one; every library uses its fastest kernel whatever it says.
    num_threads_per_blocks : tuple of int, optional
        Accepted for scripts that give it, and without effect.
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
    >>> hs = np.zeros((1, 2, 1, 1)) + np.array([1.0, 3.0])[None, :, None, None]
    >>> Op = operax.signalprocessing.NonStationaryConvolve2D((2, 3), hs, ihx=(0,), ihz=(0, 2))
    >>> Op @ np.ones((2, 3))
    array([[1., 2., 3.],
           [1., 2., 3.]])
    """

    def __init__(
        self,
        dims: Any,
        hs: Any,
        ihx: Any,
        ihz: Any,
        engine: str = "numpy",
        num_threads_per_blocks: tuple[int, ...] = (32, 32),
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        super().__init__(
            dims,
            hs,
            (
                ihx,
                ihz,
            ),
            ("ihx", "ihz"),
            None,
            engine,
            dtype,
            name,
        )

    @property
    def ohx(self) -> int:
        """Sample of the first filter along x."""
        return self.origins[0]

    @property
    def dhx(self) -> int:
        """Samples between filters along x."""
        return self.steps[0]

    @property
    def nhx(self) -> int:
        """Number of filters along x."""
        return int(self.hs.shape[0])

    @property
    def ehx(self) -> int:
        """Sample of the last filter along x."""
        return self.ohx + (self.nhx - 1) * self.dhx

    @property
    def ohz(self) -> int:
        """Sample of the first filter along z."""
        return self.origins[1]

    @property
    def dhz(self) -> int:
        """Samples between filters along z."""
        return self.steps[1]

    @property
    def nhz(self) -> int:
        """Number of filters along z."""
        return int(self.hs.shape[1])

    @property
    def ehz(self) -> int:
        """Sample of the last filter along z."""
        return self.ohz + (self.nhz - 1) * self.dhz


class NonStationaryFilters2D(NonStationaryFilters):
    r"""Estimation of filters that vary along an image: `NonStationaryConvolve2D` as a function of its filters.

    Parameters
    ----------
    inp : array of 2 dimensions
        The fixed input signal. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    hshape : tuple of int
        Shape of a filter, odd.
    ihx, ihz : sequence of int
        Samples where the filters stand, regularly spaced.
    engine : {"numpy", "numba", "cuda"}, optional
        Accepted for scripts that name one; every library uses its fastest kernel whatever it says.
    num_threads_per_blocks : tuple of int, optional
        Accepted for scripts that give it, and without effect.
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
    >>> Op = operax.signalprocessing.NonStationaryFilters2D(np.ones((2, 3)), (1, 1), ihx=(0,), ihz=(0, 2))
    >>> Op @ np.array([1.0, 3.0]).reshape(1, 2, 1, 1)
    array([[1., 2., 3.],
           [1., 2., 3.]])
    """

    def __init__(
        self,
        inp: Any,
        hshape: Any,
        ihx: Any,
        ihz: Any,
        engine: str = "numpy",
        num_threads_per_blocks: tuple[int, ...] = (32, 32),
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        super().__init__(
            inp,
            hshape,
            (
                ihx,
                ihz,
            ),
            ("ihx", "ihz"),
            engine,
            dtype,
            name,
        )
