r"""Thresholding functions: proximal maps of :math:`\ell_p` penalties, :math:`p = 0, 1/2, 1`, real and complex.

The half threshold is the closed form of [1]_.

.. [1] Z. Xu, X. Chang, F. Xu and H. Zhang, L1/2 regularization: a thresholding representation theory and a fast
   solver, IEEE TNNLS 23 (2012), 1013-1027.
"""

from __future__ import annotations

import math
from typing import Any

from operax._arrays.dtypes import dtype_of
from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array
from operax.optimization._space import expand, flat, namespace_of, total

KINDS = ("hard", "soft", "half", "hard-percentile", "soft-percentile", "half-percentile")


def threshold(x: Array, t: Any, kind: str, batch: int = 0) -> Array:
    """`x` thresholded at `t` (a percentage of values to keep, for the percentile kinds)."""
    kind, _, percentile = kind.partition("-")
    if percentile:
        cut = quantile(namespace_of(x).abs(x), (100.0 - t) / 100.0, batch)
        # the cut is where values are set to zero: turn it into the parameter that gives this cut
        t = cut if kind == "soft" else 0.5 * cut**2 if kind == "hard" else (4.0 / 54.0 ** (1.0 / 3.0) * cut) ** 1.5
    return {"hard": hard, "soft": soft, "half": half}[kind](x, expand(t, x))


def hard(x: Array, t: Any) -> Array:
    r"""Values up to :math:`\sqrt{2t}` in magnitude become zero."""
    xp = namespace_of(x)
    return xp.where(xp.abs(x) <= (2 * t) ** 0.5, xp.zeros_like(x), x)


def soft(x: Array, t: Any) -> Array:
    """Magnitudes shrink by `t`, down to zero."""
    xp = namespace_of(x)
    if dtype_of(x).kind != "c":
        return x - xp.minimum(xp.maximum(x, -t), t)
    size = xp.abs(x)
    kept = size > t
    return xp.where(kept, x * (1 - t / xp.where(kept, size, xp.ones_like(size))), xp.zeros_like(x) * size)


def half(x: Array, t: Any) -> Array:
    r"""The proximal map of :math:`\tfrac{t}{2} |x|^{1/2}`, after [1]_."""
    xp = namespace_of(x)
    size = xp.abs(x)
    kept = size > 54.0 ** (1.0 / 3.0) / 4.0 * t ** (2.0 / 3.0)
    safe = xp.where(kept, size, xp.ones_like(size))
    angle = xp.where(kept, t / 8.0 * (safe / 3.0) ** -1.5, xp.zeros_like(size))
    phi = 2.0 / 3.0 * xp.acos(angle)
    return xp.where(kept, 2.0 / 3.0 * x * (1.0 + xp.cos(2.0 * math.pi / 3.0 - phi)), xp.zeros_like(x) * size)


def penalty(x: Array, kind: str, batch: int = 0) -> Array:
    """What a threshold at `t` is the proximal map of, over `t`: the number of values, half their roots, their sum."""
    xp = namespace_of(x)
    size = xp.abs(x)
    kind = kind.partition("-")[0]
    if kind == "hard":
        size = xp.astype(size > 0, size.dtype)
    elif kind == "half":
        size = 0.5 * xp.sqrt(size)
    return total(size, batch)


@Kernel
def quantile(x: Array, q: Any, batch: int = 0) -> Array:
    """The `q` quantile of all but the first `batch` axes, linearly interpolated."""
    xp = namespace_of(x)
    values = xp.sort(flat(x, batch), axis=-1)
    position = q * (values.shape[-1] - 1)
    weights = xp.clip(1.0 - xp.abs(xp.astype(xp.arange(values.shape[-1]), values.dtype) - position), 0.0, 1.0)
    return xp.sum(values * weights, axis=-1)
