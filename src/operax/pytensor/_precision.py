"""JAX's 64-bit switch, set for the length of one call and left as found."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import jax
import jax.experimental

__all__ = ["is_wide", "precision"]

_WIDE = frozenset({"float64", "complex128"})
_NOTHING = contextlib.nullcontext()
_enable_x64: Any = (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64  # moved in jax 0.8
_config: Any = jax.config


def is_wide(floatx_is_wide: bool, dtypes: Iterable[str]) -> bool:
    """Whether a call computes in 64 bits: ``floatX`` says so, or an input is a 64-bit floating-point array."""
    return floatx_is_wide or not _WIDE.isdisjoint(dtypes)


def precision(wide: bool) -> contextlib.AbstractContextManager[Any]:
    """A context in which JAX computes with 64 bits or without.

    Entering JAX's own context costs 2 microseconds, asking the switch 0.4: so it is skipped when nothing would change.
    """
    return _NOTHING if _config.jax_enable_x64 == wide else _enable_x64(wide)
