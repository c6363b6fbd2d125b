"""How far one array is from another."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import Array, is_array, library_of, namespace_of


def mae(xref: Array, xcmp: Array) -> Any:
    r"""Mean absolute error.

    Parameters
    ----------
    xref, xcmp : array_like of one shape
        Reference and comparison.

    Returns
    -------
    error : float
        The error; for JAX and CuPy arrays a scalar array of that library, so that it can be differentiated.

    Raises
    ------
    ValueError
        If the shapes differ.

    Notes
    -----
    :math:`\frac1N \sum_i |x_i - \hat x_i|`

    Examples
    --------
    >>> from operax.utils.metrics import mae
    >>> mae([1.0, 2.0], [1.0, 4.0])
    1.0
    """
    xp, xref, xcmp = _pair(xref, xcmp)
    return _value(xp.mean(xp.abs(xref - xcmp)))


def mse(xref: Array, xcmp: Array) -> Any:
    r"""Mean squared error.

    Parameters
    ----------
    xref, xcmp : array_like of one shape
        Reference and comparison.

    Returns
    -------
    error : float
        The error; for JAX and CuPy arrays a scalar array of that library.

    Raises
    ------
    ValueError
        If the shapes differ.

    Notes
    -----
    :math:`\frac1N \sum_i |x_i - \hat x_i|^2`

    Examples
    --------
    >>> from operax.utils.metrics import mse
    >>> mse([1.0, 2.0], [1.0, 4.0])
    2.0
    """
    xp, xref, xcmp = _pair(xref, xcmp)
    return _value(_mean_square(xp, xref - xcmp))


def snr(xref: Array, xcmp: Array) -> Any:
    r"""Signal-to-noise ratio, in decibel.

    Parameters
    ----------
    xref, xcmp : array_like of one shape
        Reference (the signal) and comparison (signal and noise).

    Returns
    -------
    ratio : float
        The ratio in dB, infinite for equal arrays; for JAX and CuPy arrays a scalar array of that library.

    Raises
    ------
    ValueError
        If the shapes differ.

    Notes
    -----
    :math:`10 \log_{10} \frac{\sum_i |x_i|^2}{\sum_i |x_i - \hat x_i|^2}`

    Examples
    --------
    >>> from operax.utils.metrics import snr
    >>> round(snr([3.0, 4.0], [3.0, 4.5]), 3)
    20.0
    """
    xp, xref, xcmp = _pair(xref, xcmp)
    return _value(_decibel(xp, _mean_square(xp, xref), _mean_square(xp, xref - xcmp)))


def psnr(xref: Array, xcmp: Array, xmax: float | None = None, xmin: float | None = 0.0) -> Any:
    r"""Peak signal-to-noise ratio, in decibel.

    Parameters
    ----------
    xref, xcmp : array_like of one shape
        Reference and comparison.
    xmax : float, optional
        Largest value of the range; None takes the largest of `xref` (of its magnitude, where it is complex).
    xmin : float, optional
        Smallest value of the range; None takes the smallest of `xref`.

    Returns
    -------
    ratio : float
        The ratio in dB, infinite for equal arrays; for JAX and CuPy arrays a scalar array of that library.

    Raises
    ------
    ValueError
        If the shapes differ.

    Notes
    -----
    :math:`10 \log_{10} \frac{(x_{max} - x_{min})^2}{\mathrm{MSE}}`

    Examples
    --------
    >>> from operax.utils.metrics import psnr
    >>> round(psnr([0.0, 1.0], [0.1, 1.1]), 3)
    20.0
    """
    xp, xref, xcmp = _pair(xref, xcmp)
    values = xp.abs(xref) if xp.isdtype(xref.dtype, "complex floating") else xref
    high = xp.max(values) if xmax is None else xmax
    low = xp.min(values) if xmin is None else xmin
    peak = xp.asarray((high - low) ** 2)
    return _value(_decibel(xp, peak, _mean_square(xp, xref - xcmp)))


def _pair(xref: Array, xcmp: Array) -> tuple[Any, Array, Array]:
    xref = xref if is_array(xref) else np.asarray(xref)
    xcmp = xcmp if is_array(xcmp) else np.asarray(xcmp)
    if tuple(xref.shape) != tuple(xcmp.shape):
        raise ValueError(
            f"xref of shape {tuple(xref.shape)} and xcmp of shape {tuple(xcmp.shape)} must be of one shape"
        )
    xp = namespace_of(xref, xcmp)

    def floating(x: Array) -> Array:
        x = xp.asarray(x)
        # integers would wrap around: uint8 images are what these functions meet most
        return x if xp.isdtype(x.dtype, ("real floating", "complex floating")) else xp.astype(x, xp.asarray(0.0).dtype)

    return xp, floating(xref), floating(xcmp)


def _mean_square(xp: Any, x: Array) -> Array:
    return xp.mean(xp.abs(x) ** 2)


def _decibel(xp: Any, signal: Array, noise: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 10 * xp.log10(signal / noise)


def _value(x: Array) -> Any:
    return float(x) if isinstance(x, np.generic) or library_of(x) == "numpy" else x
