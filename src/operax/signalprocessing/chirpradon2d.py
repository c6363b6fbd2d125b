"""Radon transform of plane data by chirps."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._chirpradon import ChirpRadon


class ChirpRadon2D(ChirpRadon):
    r"""Sums along straight lines of a two-dimensional array, with a fast approximate inverse.

    Forward and adjoint are swapped with respect to `Radon2D`: the forward goes from data to slopes.

    Parameters
    ----------
    taxis : array of shape (nt,)
        Time axis.
    haxis : array of shape (nh,)
        Spatial axis.
    pmax : float
        Largest slope, in samples of time a sample of space: :math:`p_{max}\,\mathrm{d}h / \mathrm{d}t` for a
        slowness :math:`p_{max}`. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    nh, nt : int
        Number of samples in space and time.
    dh, dt : float
        Sampling steps.

    Raises
    ------
    ValueError
        If an axis is not one-dimensional or `pmax` not a number.

    Notes
    -----
    For each frequency :math:`\omega` of the periodic time axis

    .. math::
        y_i(\omega) = \sum_j e^{i \omega p_i (j - c)} x_j(\omega), \qquad p_i = 2 p_{max} (i - c) / n_h,

    with the middle :math:`c = \lceil n_h / 2 \rceil`, evaluated in :math:`O(n_h \log n_h)` by chirps [1]_. `inverse`
    weights with :math:`2 p_{max} |\omega| / (2 \pi n_h)` before the adjoint sum.

    References
    ----------
    .. [1] F. Andersson and J. Robertsson, Fast tau-p transforms by chirp modulation, Geophysics 84 (2019).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.ChirpRadon2D(np.arange(8.0), np.arange(4.0), pmax=2.0)
    >>> x = np.zeros((4, 8))
    >>> x[:, 3] = 1.0  # an event of slope zero: the sum of the traces at the middle slope
    >>> np.round(Op @ x, 6)[2] + 0.0
    array([0., 0., 0., 4., 0., 0., 0., 0.])
    """

    def __init__(self, taxis: Any, haxis: Any, pmax: Any, dtype: Any = None, name: str = "C") -> None:
        super().__init__((haxis, taxis), ("haxis", "taxis"), pmax, dtype, name)

    @property
    def nh(self) -> int:
        """Number of samples along the spatial axis."""
        return self.dims[0]

    @property
    def dh(self) -> float:
        """Sampling step of the spatial axis."""
        return self._step(0)
