"""The operator on arrays spread over devices."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from operax._core.operator import LinearOperator
from operax.testing._samples import close, precision, sample_data, sample_model


def check_sharded(op: LinearOperator) -> None:
    """Sharded over two devices along each axis that can be, and along a batch, results equal the unsharded ones.

    Does nothing where JAX has a single device; on a CPU start Python with
    ``XLA_FLAGS=--xla_force_host_platform_device_count=4``.
    """
    if len(jax.devices()) < 2:
        return
    with precision(op):
        for kind in (AxisType.Auto, AxisType.Explicit):
            mesh = jax.make_mesh((2,), ("devices",), axis_types=(kind,), devices=jax.devices()[:2])
            for direction, sample in ((op, sample_model(op, 0, (2,))), (op.H, sample_data(op, 1, (2,)))):
                expected = np.stack([np.reshape(direction @ v, direction.dimsd) for v in sample])
                for axis in range(sample.ndim):
                    if sample.shape[axis] % 2 or sample.shape[axis] == 0:
                        continue
                    spec = PartitionSpec(*[None] * axis, "devices")
                    with jax.set_mesh(mesh):
                        x: Any = jax.device_put(sample, NamedSharding(mesh, spec))
                        got = jax.jit(lambda a, v: a.batched(v))(direction, x)
                        close(np.asarray(got), expected, op, f"{kind.name} sharding of axis {axis}")
