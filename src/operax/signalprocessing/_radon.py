"""What Radon2D and Radon3D share: curves, their tables, and the operator over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operax._arrays.namespace import Array, namespace_of
from operax._arrays.radon import gather_shifts, gather_table, spread_shifts, spread_table
from operax._core.operator import LinearOperator

KINDS = ("linear", "parabolic", "hyperbolic")
ENGINES = ("numpy", "numba", "cuda")


def step_of(axis: np.ndarray, name: str) -> float:
    """The sampling of a regular axis."""
    if axis.size < 2:
        raise ValueError(f"{name} needs at least two samples, got {axis.size}")
    steps = np.diff(axis)
    if not np.allclose(steps, steps[0], rtol=1e-3, atol=0) or steps[0] == 0:
        raise ValueError(f"{name} must be regularly sampled")
    return float(steps[0])


def unitless(axis: np.ndarray, step: float, centred: bool) -> np.ndarray:
    """An axis in samples, around its middle where `centred`."""
    return np.arange(axis.size) - (axis.size - 1) / 2 if centred else axis / step


class Radon(LinearOperator):
    """Sums along curves over flattened model traces and data traces."""

    def __init__(self, dims: tuple[int, ...], dimsd: tuple[int, ...], interp: bool, dtype: Any, name: str) -> None:
        super().__init__(dims=dims, dimsd=dimsd, dtype=dtype, name=name)
        self.interp = bool(interp)
        self.by_shifts = True

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype

    def _set_shifts(self, shift: np.ndarray) -> None:
        """Curves ``t0 + shift[p, h]``: whole part and fraction."""
        nt = self.dims[-1]
        # a shift that is whole up to rounding counts as whole
        whole = np.floor(shift + 1e-9)
        self.shift = np.clip(whole, -nt, nt).astype(np.int32)
        self.fraction = np.clip(shift - whole, 0.0, 1.0) if self.interp else None

    def _set_table(self, curve: Callable[[int], np.ndarray], traces: int) -> None:
        """Curves given as times in samples, ``curve(h)`` of shape (p, t0); what lies outside gets weight zero."""
        self.by_shifts = False
        nt = self.dims[-1]
        last = nt - 1 if self.interp else nt
        indices, nears, fars = [], [], []
        for h in range(traces):
            with np.errstate(invalid="ignore", divide="ignore"):
                t = curve(h)
                valid = (t >= 0) & (t < last) & np.isfinite(t)
            t = np.where(valid, t, 0.0)
            below = np.floor(t)
            indices.append(below.astype(np.int32))
            nears.append(np.where(valid, 1 - (t - below) if self.interp else 1.0, 0.0))
            fars.append(np.where(valid, t - below, 0.0))
        self.index, self.near = np.stack(indices), np.stack(nears)
        self.far = np.stack(fars) if self.interp else None

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        batch = x.shape[: x.ndim - len(self.dims)]
        flat = xp.reshape(x, (*batch, -1, self.dims[-1]))
        if self.by_shifts:
            y = spread_shifts(flat, self.shift, self.fraction)
        else:
            y = spread_table(flat, self.index, self.near, self.far)
        return xp.reshape(y, (*batch, *self.dimsd))

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        batch = y.shape[: y.ndim - len(self.dimsd)]
        flat = xp.reshape(y, (*batch, -1, self.dimsd[-1]))
        if self.by_shifts:
            x = gather_shifts(flat, self.shift, self.fraction)
        else:
            x = gather_table(flat, self.index, self.near, self.far)
        return xp.reshape(x, (*batch, *self.dims))
