"""Wavelets of seismic exploration."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Wavelet = tuple[np.ndarray, np.ndarray, int]


def gaussian(t: Any, std: float = 1.0) -> Wavelet:
    r"""Gaussian wavelet.

    Parameters
    ----------
    t : array_like of shape (n,)
        Time axis from zero on (the positive half), regularly sampled. Of an even number of samples the last is left
        out, with a warning, so that the wavelet has a centre.
    std : float, optional
        Standard deviation, in samples.

    Returns
    -------
    w : numpy.ndarray of shape (2 n - 1,)
        Wavelet, 1 at its centre.
    t : numpy.ndarray of shape (2 n - 1,)
        Symmetric time axis.
    wcenter : int
        Index of the centre.

    Raises
    ------
    ValueError
        If `t` is not a one-dimensional axis or `std` is not positive.

    Notes
    -----
    :math:`w_k = e^{-k^2 / (2 \sigma^2)}` for the sample number :math:`k` counted from the centre.

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.wavelets import gaussian
    >>> w, t, wcenter = gaussian(0.004 * np.arange(3), std=2.0)
    >>> w.round(3), wcenter
    (array([0.607, 0.882, 1.   , 0.882, 0.607]), 2)
    """
    if not std > 0:
        raise ValueError(f"std={std} must be positive: it is the width of the wavelet in samples")
    axis = _positive_half(t)
    sample = np.arange(1 - len(axis), len(axis))
    return _finish(np.exp(-(sample**2) / (2.0 * std**2)), axis, None)


def klauder(t: Any, f: Sequence[float] = (5.0, 20.0), taper: Callable[[int], np.ndarray] | None = None) -> Wavelet:
    r"""Klauder wavelet: the autocorrelation of a linear sweep.

    Parameters
    ----------
    t : array_like of shape (n,)
        Time axis from zero on (the positive half), in seconds. Of an even number of samples the last is left out.
    f : sequence of 2 floats, optional
        First and last frequency of the sweep, in Hz.
    taper : callable, optional
        ``taper(2 n - 1)`` gives weights to multiply the wavelet with, e.g. ``numpy.hanning``.

    Returns
    -------
    w, t : numpy.ndarray of shape (2 n - 1,)
        Wavelet, 1 at its centre, and its symmetric time axis.
    wcenter : int
        Index of the centre.

    Raises
    ------
    ValueError
        If `t` is not a one-dimensional axis or `f` does not hold two different frequencies.

    Notes
    -----
    The sweep :math:`s(t) = \cos\left[2 \pi \left(f_0 t + \tfrac{k}{2} t^2\right)\right]` runs over the symmetric time
    axis, of length :math:`T = 2 t_{n-1}`, with the mean frequency :math:`f_0 = (f_1 + f_2)/2` and the rate
    :math:`k = (f_2 - f_1)/T`. The wavelet is its autocorrelation, :math:`w_j \propto \sum_i s_i s_{i+j}`.

    References
    ----------
    J. R. Klauder et al., "The theory and design of chirp radars", Bell System Technical Journal 39 (1960).

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.wavelets import klauder
    >>> klauder(0.004 * np.arange(3), f=(10, 30))[0].round(3)
    array([0.571, 0.845, 1.   , 0.845, 0.571])
    """
    f1, f2 = _frequencies(f, 2)
    if f1 == f2:
        raise ValueError(f"f=({f1}, {f2}) must hold two different frequencies: the first and the last of the sweep")
    axis = _positive_half(t)
    both = np.concatenate([-axis[:0:-1], axis])
    rate = (f2 - f1) / (both[-1] - both[0])
    sweep = np.cos(2 * np.pi * (0.5 * (f1 + f2) * both + 0.5 * rate * both**2))
    half = np.correlate(sweep, sweep, "full")[len(both) - 1 :][: len(axis)]
    return _finish(_mirrored(half / half[0]), axis, taper)


def ormsby(
    t: Any,
    f: Sequence[float] = (5.0, 10.0, 45.0, 50.0),
    taper: Callable[[int], np.ndarray] | None = None,
) -> Wavelet:
    r"""Ormsby wavelet: zero phase, with a trapezoid as its spectrum.

    Parameters
    ----------
    t : array_like of shape (n,)
        Time axis from zero on (the positive half), in seconds. Of an even number of samples the last is left out.
    f : sequence of 4 floats, optional
        Corners of the trapezoid, rising, in Hz.
    taper : callable, optional
        ``taper(2 n - 1)`` gives weights to multiply the wavelet with, e.g. ``numpy.hanning``.

    Returns
    -------
    w, t : numpy.ndarray of shape (2 n - 1,)
        Wavelet, 1 at its centre, and its symmetric time axis.
    wcenter : int
        Index of the centre.

    Raises
    ------
    ValueError
        If `t` is not a one-dimensional axis or `f` does not hold four rising frequencies.

    Notes
    -----
    .. math::
        w(t) \propto \frac{f_4^2 \mathrm{sinc}^2(f_4 t) - f_3^2 \mathrm{sinc}^2(f_3 t)}{f_4 - f_3}
            - \frac{f_2^2 \mathrm{sinc}^2(f_2 t) - f_1^2 \mathrm{sinc}^2(f_1 t)}{f_2 - f_1}

    with :math:`\mathrm{sinc}(x) = \sin(\pi x)/(\pi x)`.

    References
    ----------
    H. Ryan, "Ricker, Ormsby, Klauder, Butterworth: a choice of wavelets", CSEG Recorder (1994).

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.wavelets import ormsby
    >>> ormsby(0.004 * np.arange(3))[0].round(3)
    array([0.157, 0.738, 1.   , 0.738, 0.157])
    """
    f1, f2, f3, f4 = _frequencies(f, 4)
    if not (f1 < f2 and f3 < f4):
        raise ValueError(f"f={tuple(f)} must rise from f1 to f2 and from f3 to f4: the flanks of the trapezoid")
    axis = _positive_half(t)

    def flank(low: float, high: float) -> np.ndarray:
        return ((high * np.sinc(high * axis)) ** 2 - (low * np.sinc(low * axis)) ** 2) / (high - low)

    half = flank(f3, f4) - flank(f1, f2)
    return _finish(_mirrored(half / half[0]), axis, taper)


def ricker(t: Any, f0: float = 10, taper: Callable[[int], np.ndarray] | None = None) -> Wavelet:
    r"""Ricker wavelet: the second derivative of a Gaussian.

    Parameters
    ----------
    t : array_like of shape (n,)
        Time axis from zero on (the positive half), in seconds. Of an even number of samples the last is left out.
    f0 : float, optional
        Central frequency, in Hz.
    taper : callable, optional
        ``taper(2 n - 1)`` gives weights to multiply the wavelet with, e.g. ``numpy.hanning``.

    Returns
    -------
    w, t : numpy.ndarray of shape (2 n - 1,)
        Wavelet, 1 at its centre, and its symmetric time axis.
    wcenter : int
        Index of the centre.

    Raises
    ------
    ValueError
        If `t` is not a one-dimensional axis.

    Notes
    -----
    :math:`w(t) = (1 - 2 (\pi f_0 t)^2) e^{-(\pi f_0 t)^2}`

    References
    ----------
    N. Ricker, "The form and laws of propagation of seismic wavelets", Geophysics 18 (1953).

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.wavelets import ricker
    >>> w, t, wcenter = ricker(0.004 * np.arange(3), f0=20)
    >>> w.round(3)
    array([0.384, 0.82 , 1.   , 0.82 , 0.384])
    """
    axis = _positive_half(t)
    squared = (np.pi * f0 * axis) ** 2
    return _finish(_mirrored((1 - 2 * squared) * np.exp(-squared)), axis, taper)


def _positive_half(t: Any) -> np.ndarray:
    axis = np.asarray(t)
    if axis.ndim != 1 or axis.size == 0:
        raise ValueError(f"t must be a one-dimensional time axis from zero on, got shape {axis.shape}")
    if axis.size % 2 == 0:
        warnings.warn(
            f"the time axis has an even number of samples ({axis.size}); its last sample is left out so that the "
            "wavelet has a centre",
            UserWarning,
            stacklevel=3,
        )
        axis = axis[:-1]
    return axis


def _mirrored(half: np.ndarray) -> np.ndarray:
    return np.concatenate([half[:0:-1], half])


def _finish(w: np.ndarray, axis: np.ndarray, taper: Callable[[int], np.ndarray] | None) -> Wavelet:
    if taper is not None:
        w = w * np.asarray(taper(len(w)))
    return w, np.concatenate([-axis[:0:-1], axis]), len(axis) - 1


def _frequencies(f: Sequence[float], n: int) -> tuple[float, ...]:
    values = tuple(float(v) for v in np.ravel(np.asarray(f)))
    if len(values) != n:
        raise ValueError(f"f={f} must hold {n} frequencies in Hz, got {len(values)}")
    return values
