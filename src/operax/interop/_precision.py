"""JAX's 64-bit switch for the length of one call, left as found."""

from __future__ import annotations

import contextlib
from typing import Any

import jax
import jax.experimental
import numpy as np

_NOTHING = contextlib.nullcontext()
_config: Any = jax.config
_switch: Any = (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64  # moved in jax 0.8


def is_wide(dtype: Any) -> bool:
    """Whether data of this dtype need 64-bit JAX."""
    dtype = np.dtype(dtype)
    return dtype.kind in "iufc" and dtype.itemsize // (2 if dtype.kind == "c" else 1) == 8


def precision(wide: bool) -> contextlib.AbstractContextManager[Any]:
    """A context in which JAX keeps 64 bits if `wide`, and its switch as it stands otherwise.

    Entering JAX's own context costs more than asking the switch, so it is skipped where nothing would change.
    """
    return _switch(True) if wide and not _config.jax_enable_x64 else _NOTHING
