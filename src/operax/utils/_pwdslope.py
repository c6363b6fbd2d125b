"""Local slopes by plane-wave destruction."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from operax._arrays.dtypes import floating, is_complex
from operax._arrays.fit import cut, pad_axis
from operax._arrays.namespace import Array, namespace_of

SMOOTHERS = ("triangle", "boxcar")


def pwd_slope_estimate(
    d: Array,
    niter: int = 5,
    liter: int = 20,
    order: int = 2,
    smoothing: str = "triangle",
    nsmooth: Any = 10,
    damp: float = 0.0,
    axis: int = -1,
) -> Array:
    r"""Local slopes of an image or a volume by plane-wave destruction.

    Parameters
    ----------
    d : array of shape (nz, nx) or (nz, nx, ny)
        Real image or volume.
    niter : int, optional
        Number of Gauss-Newton steps.
    liter : int, optional
        Greatest number of LSQR iterations a step.
    order : {1, 2}, optional
        Filters of three or five taps along z.
    smoothing : {"triangle", "boxcar"}, optional
        Smoothing of the slopes: two moving averages one after the other, or one.
    nsmooth : int or sequence of int, optional
        Smoothing length in samples, one for all axes or one an axis. A triangle is made of averages over half of it.
    damp : float, optional
        Damping of the least-squares problems.
    axis : int, optional
        The axis, of a volume, across which slopes are measured.

    Returns
    -------
    sigma : array
        Slopes in samples a trace, of the shape of `d`; positive where events lie deeper on the next trace.

    Raises
    ------
    ValueError
        If `d` has not two or three axes or is too small, `order` or `smoothing` is unknown, or `axis` is the first.

    Notes
    -----
    An all-pass filter :math:`B(\sigma)` of :math:`2 N + 1` taps approximates a shift by :math:`\sigma` samples [1]_.
    The slopes minimise the difference of neighbouring traces shifted half way to each other,
    :math:`\|C(\sigma) d\|^2`, linearised in :math:`\sigma` in each step and solved for :math:`p` in
    :math:`\Delta \sigma = S p` with the smoother :math:`S`.

    References
    ----------
    .. [1] S. Fomel, Applications of plane-wave destruction filters, Geophysics 67 (2002).

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.signalprocessing import pwd_slope_estimate
    >>> z, x = np.mgrid[:40, :20]
    >>> d = np.cos(0.4 * (z - 0.5 * x))
    >>> float(np.round(np.median(pwd_slope_estimate(d, nsmooth=5)), 2))
    0.5
    """
    from operax.basicoperators import Diagonal, SmoothingND
    from operax.optimization.basic import lsqr

    xp = namespace_of(d)
    if order not in (1, 2):
        raise ValueError(f"order={order!r} is unknown; give 1 (three taps) or 2 (five taps)")
    if smoothing not in SMOOTHERS:
        raise ValueError(f"smoothing={smoothing!r} is unknown; give one of {', '.join(map(repr, SMOOTHERS))}")
    if d.ndim not in (2, 3):
        raise ValueError(f"d must have shape (nz, nx) or (nz, nx, ny), got {tuple(d.shape)}")
    if is_complex(d):
        raise TypeError("d must be real; estimate the slopes of its real part")
    across = 1 if d.ndim == 2 else range(d.ndim)[operator.index(axis)]
    if across == 0:
        raise ValueError(f"axis={axis!r} is the one of depth; slopes are measured across another one")
    if d.shape[0] < 2 * order + 1 or d.shape[across] < 2:
        raise ValueError(f"d of shape {tuple(d.shape)} is too small for filters of {2 * order + 1} taps and two traces")
    d = floating(d)
    sizes = [int(n) for n in np.broadcast_to(nsmooth, (d.ndim,))]
    triangle = smoothing == "triangle"
    lengths = [max((n + 1) // 2 if triangle else n, 1) for n in sizes]
    smooth: Any = SmoothingND(lengths, tuple(d.shape), axes=tuple(range(d.ndim)))
    smooth = smooth @ smooth if triangle else smooth
    sigma = xp.zeros_like(d)
    for _ in range(niter):
        residual = _destruct(d, sigma, order, across, derivative=False)
        slope = _destruct(d, sigma, order, across, derivative=True)
        system = Diagonal(slope, dims=tuple(d.shape)) @ smooth
        update = lsqr(system, -xp.reshape(residual, (-1,)), damp=damp, niter=liter)[0]
        sigma = sigma + xp.reshape(smooth @ xp.reshape(update, (-1,)), tuple(d.shape))
    return sigma


@functools.cache
def _taps(order: int) -> tuple[Polynomial, ...]:
    r"""The filter's taps, first to last, as polynomials of the slope.

    With :math:`\sigma` the slope, tap :math:`k = -N, \ldots, N` is
    :math:`\binom{2N}{N+k} \frac{(2N)!}{(4N)!} \prod_{i=N+k+1}^{2N} (i - \sigma) \prod_{i=N-k+1}^{2N} (i + \sigma)`.
    """
    n = 2 * order
    found = []
    for j in range(n + 1):
        falling = [Polynomial([i, -1.0]) for i in range(j + 1, n + 1)]
        rising = [Polynomial([i, 1.0]) for i in range(n - j + 1, n + 1)]
        scale = math.comb(n, j) * math.factorial(n) / math.factorial(2 * n)
        found.append(math.prod([*falling, *rising], start=Polynomial([scale])))
    return tuple(found)


def _destruct(d: Array, sigma: Array, order: int, axis: int, derivative: bool) -> Array:
    """Differences of neighbouring traces shifted half way to each other, or their derivative in the slopes."""
    nz, nx = d.shape[0], d.shape[axis]
    inner = cut(cut(sigma, 0, order, nz - order), axis, 0, nx - 1)
    total: Any = 0
    taps = _taps(order)
    for k in range(2 * order + 1):
        rows = cut(d, 0, k, nz - 2 * order + k)
        forward, backward = taps[k], taps[2 * order - k]
        if derivative:
            forward, backward = forward.deriv(), backward.deriv()
        here, there = cut(rows, axis, 0, nx - 1), cut(rows, axis, 1, nx)
        total = total + _value(forward, inner) * there - _value(backward, inner) * here
    return pad_axis(pad_axis(total, 0, order, order), axis, 0, 1)


def _value(p: Polynomial, x: Array) -> Array:
    """The polynomial at `x`, by Horner's rule."""
    coefficients = [float(c) for c in p.coef]
    value = 0 * x + coefficients[-1]
    for c in reversed(coefficients[:-1]):
        value = value * x + c
    return value
