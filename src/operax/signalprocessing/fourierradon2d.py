"""Radon transform of plane data in the frequency domain."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array
from operax.signalprocessing._checks import one_of
from operax.signalprocessing._fourierradon import KINDS, FourierRadon


class FourierRadon2D(FourierRadon):
    r"""Spreading along lines or parabolas by phases in the frequency domain; the adjoint sums along them.

    Parameters
    ----------
    taxis : array of shape (nt,)
        Time axis.
    haxis : array of shape (nh,)
        Spatial axis, regular or not. A leaf, as `pxaxis`.
    pxaxis : array of shape (npx,)
        Slopes (or curvatures) in the units of time over space, or over space squared; regular or not. A leaf:
        ``jax.grad`` with respect to the operator differentiates it.
    nfft : int
        Number of samples of the Fourier transform, at least `nt`; more keeps events that leave at one end from
        entering at the other.
    flims : tuple of int, optional
        First and last (exclusive) index of the frequencies that are used; default all.
    kind : {"linear", "parabolic"}, optional
        Curve.
    engine : {"numpy", "numba", "cuda"}, optional
        Accepted and without effect: there is one method, and it runs where the arrays are.
    num_threads_per_blocks : tuple of int, optional
        Accepted and without effect.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input. Phases are computed in double
        precision on NumPy, and on JAX where its 64-bit mode is on.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    haxis : array
        Spatial axis, squared for parabolas.
    px : array
        Slopes.
    nh, npx, nt, nfft2 : int
        Number of samples in space, slope, time and (positive) frequency.
    dh, dt : float
        Sampling steps.
    f : numpy.ndarray
        Frequencies.

    Raises
    ------
    ValueError
        If an axis is not one-dimensional, `nfft` too short, `flims` out of range, or `kind` or `engine` unknown.

    Notes
    -----
    With :math:`l = 1` for lines and 2 for parabolas, at each frequency :math:`\omega` [1]_

    .. math::
        d(x_i, \omega) = \sum_j e^{-i \omega p_j x_i^l} m(p_j, \omega).

    References
    ----------
    .. [1] M. D. Sacchi, Statistical and transform methods for geophysical signal processing (2007).

    Examples
    --------
    >>> import numpy as np, operax
    >>> t, h, p = np.arange(8.0), np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0])
    >>> Op = operax.signalprocessing.FourierRadon2D(t, h, p, nfft=16)
    >>> m = np.zeros((2, 8))
    >>> m[1, 2] = 1.0  # a line that starts at 2 and dips one sample a trace
    >>> np.argmax(Op @ m, axis=1)
    array([2, 3, 4])
    """

    def __init__(
        self,
        taxis: Any,
        haxis: Any,
        pxaxis: Any,
        nfft: int,
        flims: tuple[int, int] | None = None,
        kind: str = "linear",
        engine: str = "numpy",
        num_threads_per_blocks: tuple[int, int] = (32, 32),
        dtype: Any = None,
        name: str = "R",
    ) -> None:
        kinds = (one_of(kind, KINDS, "kind"),)
        super().__init__(taxis, (("haxis", haxis),), (("pxaxis", pxaxis),), nfft, flims, kinds, engine, dtype, name)

    @property
    def haxis(self) -> Array:
        """Spatial axis, squared for parabolas."""
        return self._positions[0]

    @property
    def px(self) -> Array:
        """Slopes."""
        return self._slopes[0]

    @property
    def nh(self) -> int:
        """Number of samples in space."""
        return self.dimsd[0]

    @property
    def npx(self) -> int:
        """Number of slopes."""
        return self.dims[0]

    @property
    def dh(self) -> float:
        """Step between the first two samples in space."""
        return self._steps[0]
