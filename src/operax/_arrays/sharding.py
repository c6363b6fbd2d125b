"""Axes that a kernel needs whole on every device."""

from __future__ import annotations

from collections.abc import Sequence

import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array, is_tracer


@Kernel
def with_whole_axes(x: Array, axes: Sequence[int]) -> Array:
    """`x`, with `axes` unsharded where it is spread over devices; the other axes stay as they are.

    XLA's own partitioning of a Fourier transform gathers every axis, or fails on the host in double precision; told
    beforehand which axes must be whole, it moves only those.
    """
    return x


@with_whole_axes.on("jax")
def _(x: jax.Array, axes: Sequence[int]) -> jax.Array:
    if not is_tracer(x):
        return x
    sharding = getattr(jax.typeof(x), "sharding", None)
    mesh = getattr(sharding, "mesh", None)
    if mesh is None or mesh.empty or any(kind != AxisType.Auto for kind in mesh.axis_types):
        return x
    whole = {axis % x.ndim for axis in axes}
    spec = PartitionSpec(*[None if i in whole else PartitionSpec.UNCONSTRAINED for i in range(x.ndim)])
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, spec))
