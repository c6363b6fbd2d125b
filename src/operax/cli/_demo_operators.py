"""The forward operators of the demo: blur, and sampling at random pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import is_array, namespace_of
from operax._core.operator import LinearOperator
from operax.basicoperators import Restriction
from operax.signalprocessing import Convolve1D

HALF = 8
"""Half length of a blur's filter, in samples."""


def gaussian_taps(width: Any, half: int = HALF) -> Any:
    """A Gaussian of standard deviation `width` (a number, or an array that JAX differentiates) with sum 1."""
    xp = namespace_of(width) if is_array(width) else np
    k = xp.asarray(np.arange(-half, half + 1, dtype=np.float64))
    taps = xp.exp(-0.5 * (k / width) ** 2)
    return taps / xp.sum(taps)


def blur(dims: tuple[int, int], width: Any) -> LinearOperator:
    """Gaussian blur of an image: a convolution along one axis after one along the other."""
    taps = gaussian_taps(width)
    return Convolve1D(dims, taps, offset=HALF, axis=0) @ Convolve1D(dims, taps, offset=HALF, axis=1)


def sampling(size: int, fraction: float, seed: int) -> list[Restriction]:
    """Two samplings of an image of `size` pixels that share no pixel: `fraction` of them, and a quarter as many."""
    order = np.random.default_rng(seed).permutation(size)
    n, m = int(fraction * size), int(1.25 * fraction * size)
    return [Restriction(size, np.sort(part)) for part in (order[:n], order[n:m])]
