"""Masks of ones that fall to zero at their edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

_EXPONENTS = {"hanning": 1.0, "cosine": 1.0, "cosinesquare": 2.0, "cosine_square": 2.0, "cosinesqrt": 0.5}
"""Power of the raised cosine behind every name."""


def hanningtaper(nmask: int, ntap: int) -> np.ndarray:
    r"""Mask of ones with a Hann window over its edges.

    Parameters
    ----------
    nmask : int
        Number of samples.
    ntap : int
        Number of samples of each edge, at most half of `nmask`.

    Returns
    -------
    taper : numpy.ndarray of shape (nmask,)
        The mask.

    Raises
    ------
    ValueError
        If the two edges do not fit.

    Notes
    -----
    Sample :math:`k` of the edge is :math:`\frac12 (1 - \cos\frac{\pi k}{n_{tap} - 1})`.

    Examples
    --------
    >>> from operax.utils.tapers import hanningtaper
    >>> hanningtaper(8, 3)
    array([0. , 0.5, 1. , 1. , 1. , 1. , 0.5, 0. ])
    """
    return _raised_cosine(nmask, ntap, 1.0)


def cosinetaper(nmask: int, ntap: int, square: bool = False, exponent: float | None = None) -> np.ndarray:
    r"""Mask of ones with a power of a raised cosine over its edges.

    Parameters
    ----------
    nmask : int
        Number of samples.
    ntap : int
        Number of samples of each edge, at most half of `nmask`.
    square : bool, optional
        Square the edge.
    exponent : float, optional
        Power of the edge; goes before `square`.

    Returns
    -------
    taper : numpy.ndarray of shape (nmask,)
        The mask.

    Raises
    ------
    ValueError
        If the two edges do not fit.

    Notes
    -----
    Sample :math:`k` of the edge is :math:`\left[\frac12 (1 - \cos\frac{\pi k}{n_{tap} - 1})\right]^p` with
    :math:`p` = `exponent`, or 2 where `square`, or 1.

    Examples
    --------
    >>> from operax.utils.tapers import cosinetaper
    >>> cosinetaper(8, 3, square=True)
    array([0.  , 0.25, 1.  , 1.  , 1.  , 1.  , 0.25, 0.  ])
    """
    power = exponent if exponent is not None else (2.0 if square else 1.0)
    return _raised_cosine(nmask, ntap, power)


def taper(nmask: int, ntap: int, tapertype: str | None = "hanning") -> np.ndarray:
    """Mask of ones whose edges fall off in the chosen way.

    Parameters
    ----------
    nmask : int
        Number of samples.
    ntap : int
        Number of samples of each edge, at most half of `nmask`.
    tapertype : str or None, optional
        ``"hanning"``, ``"cosine"``, ``"cosinesquare"``, ``"cosinesqrt"``, or None for ones throughout.

    Returns
    -------
    taper : numpy.ndarray of shape (nmask,)
        The mask.

    Raises
    ------
    ValueError
        If the two edges do not fit, or `tapertype` is unknown.

    Examples
    --------
    >>> from operax.utils.tapers import taper
    >>> taper(6, 2, "cosine")
    array([0., 1., 1., 1., 1., 0.])
    """
    if tapertype is None:
        return np.ones(nmask)
    if tapertype not in _EXPONENTS:
        raise ValueError(
            f"tapertype={tapertype!r} is unknown; choose one of {', '.join(map(repr, _EXPONENTS))} or None"
        )
    return _raised_cosine(nmask, ntap, _EXPONENTS[tapertype])


def taper2d(nt: int, nmask: int, ntap: int | Sequence[int], tapertype: str | None = "hanning") -> np.ndarray:
    """Two-dimensional mask with tapered edges.

    Parameters
    ----------
    nt : int
        Number of samples of the second axis.
    nmask : int
        Number of samples of the first axis.
    ntap : int or sequence of 2 ints
        Number of samples of the edges: of the first axis alone, or of both.
    tapertype : str or None, optional
        As in `taper`.

    Returns
    -------
    taper : numpy.ndarray of shape (nmask, nt)
        The mask.

    Raises
    ------
    ValueError
        As in `taper`.

    Examples
    --------
    >>> from operax.utils.tapers import taper2d
    >>> taper2d(2, 5, 2)[:, 0]
    array([0., 1., 1., 1., 0.])
    """
    first, second = (ntap, 0) if np.ndim(ntap) == 0 else tuple(np.ravel(np.asarray(ntap)))
    return _outer(taper(nmask, int(first), tapertype), taper(nt, int(second), tapertype))  # type: ignore[arg-type]


def taper3d(nt: int, nmask: Sequence[int], ntap: Sequence[int], tapertype: str | None = "hanning") -> np.ndarray:
    """Three-dimensional mask with tapered edges along its first two axes.

    Parameters
    ----------
    nt : int
        Number of samples of the third axis.
    nmask : sequence of 2 ints
        Number of samples of the first and second axis.
    ntap : sequence of 2 ints
        Number of samples of the edges of the first and second axis.
    tapertype : str or None, optional
        As in `taper`.

    Returns
    -------
    taper : numpy.ndarray of shape (nmask[0], nmask[1], nt)
        The mask.

    Raises
    ------
    ValueError
        As in `taper`, or if `nmask` and `ntap` do not hold two numbers.

    Examples
    --------
    >>> from operax.utils.tapers import taper3d
    >>> taper3d(2, (5, 5), (2, 2))[2, :, 0]
    array([0., 1., 1., 1., 0.])
    """
    masks = _axes(nmask, ntap, tapertype)
    if len(masks) != 2:
        raise ValueError(f"nmask={nmask} must hold the lengths of the first two axes")
    return _outer(*masks, np.ones(nt))


def tapernd(nmask: Sequence[int], ntap: Sequence[int], tapertype: str | None = "hanning") -> np.ndarray:
    """Mask of any number of axes with tapered edges along all of them.

    Parameters
    ----------
    nmask : sequence of int
        Number of samples of every axis.
    ntap : sequence of int
        Number of samples of the edges of every axis.
    tapertype : str or None, optional
        As in `taper`.

    Returns
    -------
    taper : numpy.ndarray of shape nmask
        The mask.

    Raises
    ------
    ValueError
        As in `taper`, or if `nmask` and `ntap` differ in length.

    Examples
    --------
    >>> from operax.utils.tapers import tapernd
    >>> tapernd((5, 5), (2, 2))[2]
    array([0., 1., 1., 1., 0.])
    """
    return _outer(*_axes(nmask, ntap, tapertype))


def _raised_cosine(nmask: int, ntap: int, power: float) -> np.ndarray:
    if ntap < 0 or 2 * ntap > nmask:
        raise ValueError(f"ntap={ntap} must lie between 0 and {nmask // 2}, half of nmask={nmask}: there are two edges")
    edge = (0.5 * (1 - np.cos(math.pi * np.arange(ntap) / max(ntap - 1, 1)))) ** power if ntap > 1 else np.ones(ntap)
    mask = np.ones(nmask)
    mask[:ntap] = edge
    mask[nmask - ntap :] = edge[::-1]
    return mask


def _axes(nmask: Sequence[int], ntap: Sequence[int], tapertype: str | None) -> list[np.ndarray]:
    if np.ndim(nmask) != 1 or np.ndim(ntap) != 1 or len(nmask) != len(ntap):
        raise ValueError(f"nmask={nmask} and ntap={ntap} must hold one number for every axis")
    return [taper(int(n), int(k), tapertype) for n, k in zip(nmask, ntap)]


def _outer(*masks: np.ndarray) -> np.ndarray:
    out: Any = masks[0]
    for mask in masks[1:]:
        out = out[..., None] * mask
    return out
