"""Radon transform of volumes by chirps."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._checks import one_of
from operax.signalprocessing._chirpradon import ChirpRadon


class ChirpRadon3D(ChirpRadon):
    r"""Sums along planes of a three-dimensional array, with a fast approximate inverse.

    Forward and adjoint are swapped with respect to `Radon3D`: the forward goes from data to slopes.

    Parameters
    ----------
    taxis : array of shape (nt,)
        Time axis.
    hyaxis, hxaxis : array of shape (ny,) and (nx,)
        Slow and fast spatial axes.
    pmax : array of shape (2,)
        Largest slopes along y and x, in samples of time a sample of space. A leaf: ``jax.grad`` with respect to the
        operator differentiates it.
    engine : {"numpy", "fftw"}, optional
        Accepted and without effect: each library computes its Fourier transforms its own way.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.
    **kwargs_fftw
        Options of single engines; accepted and without effect.

    Attributes
    ----------
    ny, nx, nt : int
        Number of samples along the axes.
    dy, dx, dt : float
        Sampling steps.

    Raises
    ------
    ValueError
        If an axis is not one-dimensional, `pmax` does not hold two numbers, or `engine` is unknown.

    Notes
    -----
    The sum of `ChirpRadon2D` along x and then along y [1]_; `inverse` weights with the square of the frequency.
    The first value of `pmax` belongs to y, as PyLops documents (its version 2.8 computes with the two exchanged).

    References
    ----------
    .. [1] F. Andersson and J. Robertsson, Fast tau-p transforms by chirp modulation, Geophysics 84 (2019).

    Examples
    --------
    >>> import numpy as np, operax
    >>> t, y, x = np.arange(8.0), np.arange(3.0), np.arange(4.0)
    >>> Op = operax.signalprocessing.ChirpRadon3D(t, y, x, pmax=(1.0, 0.5))
    >>> Op.dims, (Op @ np.ones(Op.dims)).shape
    ((3, 4, 8), (3, 4, 8))
    """

    def __init__(
        self,
        taxis: Any,
        hyaxis: Any,
        hxaxis: Any,
        pmax: Any,
        engine: str = "numpy",
        dtype: Any = None,
        name: str = "C",
        **kwargs_fftw: Any,
    ) -> None:
        self.engine = one_of(engine, ("numpy", "fftw"), "engine")
        super().__init__((hyaxis, hxaxis, taxis), ("hyaxis", "hxaxis", "taxis"), pmax, dtype, name)

    @property
    def ny(self) -> int:
        """Number of samples along the slow spatial axis."""
        return self.dims[0]

    @property
    def nx(self) -> int:
        """Number of samples along the fast spatial axis."""
        return self.dims[1]

    @property
    def dy(self) -> float:
        """Sampling step of the slow spatial axis."""
        return self._step(0)

    @property
    def dx(self) -> float:
        """Sampling step of the fast spatial axis."""
        return self._step(1)
