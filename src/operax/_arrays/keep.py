"""A value that is stored before it is used."""

from __future__ import annotations

from typing import Any

from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array


@Kernel
def keep(x: Array) -> Array:
    """`x` itself; under XLA stored, where it would else be computed anew for every place that reads it."""
    return x


@keep.on("jax")
def _(x: Any) -> Any:
    import jax

    return jax.lax.optimization_barrier(x)
