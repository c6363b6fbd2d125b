"""Positions at which operators interpolate: checked, and split into samples and fractions in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import Array, is_array, is_tracer, namespace_of


def as_positions(iava: Any, name: str = "iava") -> Array:
    """Positions as an array: float64 on NumPy; a value inside a JAX transformation stays one."""
    if is_array(iava) and is_tracer(iava):
        return iava
    try:
        return np.asarray(iava, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must hold real numbers: {error}") from None


def check_positions(positions: Array, size: int, name: str = "iava", beyond: bool = False) -> None:
    """Raise where positions are outside the axis (`beyond`: the far end is clipped by the caller)."""
    if is_tracer(positions):
        return
    values = np.asarray(positions)
    if not np.all(np.isfinite(values)):
        raise ValueError(f"{name} holds values that are not finite")
    if values.size and (values.min() < 0 or (not beyond and values.max() > size - 1)):
        raise ValueError(
            f"{name} holds positions from {values.min():g} to {values.max():g}, outside the axis of {size} samples; "
            f"give positions from 0 to {size - 1}"
        )


def check_unique(positions: Array, name: str = "iava") -> None:
    """Raise where a position (a column, where there are several rows) repeats."""
    if is_tracer(positions):
        return
    values = np.asarray(positions)
    if np.unique(values, axis=-1).shape[-1] != values.shape[-1]:
        raise ValueError(f"{name} holds repeated positions; give each once")


def split(positions: Array, size: int) -> tuple[Array, Array]:
    """Index of the sample before (int32, at most ``size - 2``) and the fraction behind it."""
    xp = namespace_of(positions)
    if is_tracer(positions):
        import jax

        below = jax.lax.stop_gradient(xp.clip(xp.floor(positions), 0, size - 2))
    else:
        below = xp.clip(xp.floor(positions), 0, size - 2)
    return below.astype("int32"), positions - below


def clip_end(positions: Array, size: int) -> Array:
    """Positions at the last sample or beyond moved just before it, so that a sample after each exists."""
    xp = namespace_of(positions)
    last = np.nextafter(size - 1.0, 0.0)
    return xp.where(positions >= size - 1, last, positions)
