"""One operator for each entry of a batch of leaves: what `jax.vmap` over operators makes."""

from __future__ import annotations

from typing import Any

import jax

from operax._core.operator import LinearOperator


class Batched(LinearOperator):
    """`size` operators of one structure, applied to `size` inputs.

    Parameters
    ----------
    op
        Operator whose leaves carry an extra axis.
    axes
        For each leaf of `op`, the position of that axis, or None where all share the leaf.
    size
        Number of operators.
    """

    def __init__(self, op: LinearOperator, axes: tuple[int | None, ...], size: int) -> None:
        super().__init__(dims=(size, *op.dims), dimsd=(size, *op.dimsd), clinear=op.clinear, name="B")
        self.op, self.axes, self.number = op, axes, size

    def _map(self, method: str, x: Any, ndim: int) -> Any:
        leaves, treedef = jax.tree_util.tree_flatten(self.op)
        position = x.ndim - ndim - 1

        def one(v: Any, *values: Any) -> Any:
            return getattr(jax.tree_util.tree_unflatten(treedef, values), method)(v)

        return jax.vmap(one, in_axes=(position, *self.axes), out_axes=position)(x, *leaves)

    def _forward(self, x: Any) -> Any:
        return self._map("_run", x, len(self.op.dims))

    def _adjoint(self, y: Any) -> Any:
        return self._map("_run_adjoint", y, len(self.op.dimsd))
