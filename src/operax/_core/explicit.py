"""Operators on meshes whose axes are explicit.

On such a mesh JAX asks every function to say how its result is sharded, and refuses slices, pads and rolls of a sharded
axis. An operator knows what its result looks like, so its code runs with automatic axes inside, and the result is
declared here: batch axes keep their sharding, model axes keep theirs where the data have an axis in the same place that
can be divided in the same way, and are whole otherwise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator


def explicit_mesh(operands: Any) -> Any:
    """The mesh of the first operand that lies on explicit axes, or None."""
    for operand in operands:
        mesh = getattr(getattr(jax.typeof(operand), "sharding", None), "mesh", None)
        if mesh is not None and AxisType.Explicit in (getattr(mesh, "axis_types", None) or ()):
            return mesh
    return None


def run_explicit(op: LinearOperator, x: Any, mesh: Any) -> Any:
    """The forward of `op` with automatic axes inside and a declared sharding outside."""
    leaves, treedef = jax.tree_util.tree_flatten(op)

    def inside(x: Any, *leaves: Any) -> Any:
        return jax.tree_util.tree_unflatten(treedef, leaves)._run(x)

    spec = _result_spec(op, jax.typeof(x).sharding.spec, x.ndim, mesh)
    return jax.sharding.auto_axes(inside, out_sharding=NamedSharding(mesh, spec))(x, *leaves)


def _result_spec(op: LinearOperator, spec: Any, ndim: int, mesh: Any) -> PartitionSpec:
    entries = [*spec, *[None] * (ndim - len(spec))]
    batch, model = entries[: ndim - len(op.dims)], entries[ndim - len(op.dims) :]
    data: list[Any] = [None] * len(op.dimsd)
    if len(model) == len(data):
        data = [entry if n % _parts(entry, mesh) == 0 else None for entry, n in zip(model, op.dimsd)]
    return PartitionSpec(*batch, *data)


def _parts(entry: Any, mesh: Any) -> int:
    names = entry if isinstance(entry, tuple) else () if entry is None else (entry,)
    return math.prod(mesh.shape[name] for name in names)
