"""Non-stationary convolution along three axes."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._nonstationary import NonStationaryConvolution


class NonStationaryConvolve3D(NonStationaryConvolution):
    r"""Convolution with filters that vary along the 3 axes.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model and of the data.
    hs : array of shape (nfilt_x, nfilt_y, nfilt_z, nh_x, nh_y, nh_z)
        Filters, of odd lengths and centred. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    ihx, ihy, ihz : sequence of int
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
    >>> hs = np.ones((1, 1, 1, 1, 1, 3))
    >>> Op = operax.signalprocessing.NonStationaryConvolve3D((1, 1, 4), hs, ihx=(0,), ihy=(0,), ihz=(0,))
    >>> Op @ np.ones((1, 1, 4))
    array([[[2., 3., 3., 2.]]])
    """

    def __init__(
        self,
        dims: Any,
        hs: Any,
        ihx: Any,
        ihy: Any,
        ihz: Any,
        engine: str = "numpy",
        num_threads_per_blocks: tuple[int, ...] = (2, 16, 16),
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        super().__init__(
            dims,
            hs,
            (
                ihx,
                ihy,
                ihz,
            ),
            ("ihx", "ihy", "ihz"),
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
    def ohy(self) -> int:
        """Sample of the first filter along y."""
        return self.origins[1]

    @property
    def dhy(self) -> int:
        """Samples between filters along y."""
        return self.steps[1]

    @property
    def nhy(self) -> int:
        """Number of filters along y."""
        return int(self.hs.shape[1])

    @property
    def ehy(self) -> int:
        """Sample of the last filter along y."""
        return self.ohy + (self.nhy - 1) * self.dhy

    @property
    def ohz(self) -> int:
        """Sample of the first filter along z."""
        return self.origins[2]

    @property
    def dhz(self) -> int:
        """Samples between filters along z."""
        return self.steps[2]

    @property
    def nhz(self) -> int:
        """Number of filters along z."""
        return int(self.hs.shape[2])

    @property
    def ehz(self) -> int:
        """Sample of the last filter along z."""
        return self.ohz + (self.nhz - 1) * self.dhz
