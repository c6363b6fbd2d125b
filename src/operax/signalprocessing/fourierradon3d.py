"""Radon transform of volumes in the frequency domain."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import Array
from operax.signalprocessing._checks import one_of
from operax.signalprocessing._fourierradon import KINDS, FourierRadon


class FourierRadon3D(FourierRadon):
    r"""Spreading along planes or paraboloids by phases in the frequency domain; the adjoint sums along them.

    Parameters
    ----------
    taxis : array of shape (nt,)
        Time axis.
    hyaxis, hxaxis : array of shape (nhy,) and (nhx,)
        Slow and fast spatial axes, regular or not. Leaves, as the slopes.
    pyaxis, pxaxis : array of shape (npy,) and (npx,)
        Slopes (or curvatures) along y and x, in the units of time over space, or over space squared; regular or not.
        Leaves: ``jax.grad`` with respect to the operator differentiates them.
    nfft : int
        Number of samples of the Fourier transform, at least `nt`.
    flims : tuple of int, optional
        First and last (exclusive) index of the frequencies that are used; default all.
    kind : tuple of {"linear", "parabolic"}, optional
        Curves along y and x.
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
    hyaxis, hxaxis : array
        Spatial axes, squared for parabolas.
    py, px : array
        Slopes.
    nhy, nhx, npy, npx, nt, nfft2 : int
        Number of samples in space, slope, time and (positive) frequency.
    dhy, dhx, dt : float
        Sampling steps.
    f : numpy.ndarray
        Frequencies.

    Raises
    ------
    ValueError
        If an axis is not one-dimensional, `nfft` too short, `flims` out of range, or `kind` or `engine` unknown.

    Notes
    -----
    At each frequency :math:`\omega` [1]_

    .. math::
        d(y_i, x_k, \omega) = \sum_{jl} e^{-i \omega (p_j y_i^a + q_l x_k^b)} m(p_j, q_l, \omega),

    with exponents 1 for lines and 2 for parabolas. The phases are products, so the sums are taken over one slope axis
    after the other.

    References
    ----------
    .. [1] M. D. Sacchi, Statistical and transform methods for geophysical signal processing (2007).

    Examples
    --------
    >>> import numpy as np, operax
    >>> t, h, p = np.arange(8.0), np.array([0.0, 1.0]), np.array([0.0, 1.0])
    >>> Op = operax.signalprocessing.FourierRadon3D(t, h, h, p, p, nfft=16)
    >>> m = np.zeros((2, 2, 8))
    >>> m[1, 1, 2] = 1.0  # a plane that starts at 2 and dips one sample a trace both ways
    >>> np.argmax(Op @ m, axis=-1)
    array([[2, 3],
           [3, 4]])
    """

    def __init__(
        self,
        taxis: Any,
        hyaxis: Any,
        hxaxis: Any,
        pyaxis: Any,
        pxaxis: Any,
        nfft: int,
        flims: tuple[int, int] | None = None,
        kind: tuple[str, str] = ("linear", "linear"),
        engine: str = "numpy",
        num_threads_per_blocks: tuple[int, int, int] = (2, 16, 16),
        dtype: Any = None,
        name: str = "R",
    ) -> None:
        if isinstance(kind, str) or np.size(kind) != 2:
            raise ValueError(f"kind={kind!r} must hold two names, for y and x, each one of {', '.join(KINDS)}")
        kinds = tuple(one_of(k, KINDS, "kind") for k in kind)
        positions = (("hyaxis", hyaxis), ("hxaxis", hxaxis))
        slopes = (("pyaxis", pyaxis), ("pxaxis", pxaxis))
        super().__init__(taxis, positions, slopes, nfft, flims, kinds, engine, dtype, name)

    @property
    def hyaxis(self) -> Array:
        """Slow spatial axis, squared for parabolas."""
        return self._positions[0]

    @property
    def hxaxis(self) -> Array:
        """Fast spatial axis, squared for parabolas."""
        return self._positions[1]

    @property
    def py(self) -> Array:
        """Slopes along y."""
        return self._slopes[0]

    @property
    def px(self) -> Array:
        """Slopes along x."""
        return self._slopes[1]

    @property
    def nhy(self) -> int:
        """Number of samples along y."""
        return self.dimsd[0]

    @property
    def nhx(self) -> int:
        """Number of samples along x."""
        return self.dimsd[1]

    @property
    def npy(self) -> int:
        """Number of slopes along y."""
        return self.dims[0]

    @property
    def npx(self) -> int:
        """Number of slopes along x."""
        return self.dims[1]

    @property
    def dhy(self) -> float:
        """Step between the first two samples along y."""
        return self._steps[0]

    @property
    def dhx(self) -> float:
        """Step between the first two samples along x."""
        return self._steps[1]
