"""PyTensor's MLX mode cannot run functions of other frameworks: say so, and what can."""

from __future__ import annotations

from typing import Any

from operax.pytensor._hooks import when_imported
from operax.pytensor._op import ForeignOp

__all__ = ["register"]


def register() -> None:
    """Fill the table of PyTensor's MLX mode."""
    from pytensor.link.mlx.dispatch.basic import mlx_funcify

    @mlx_funcify.register(ForeignOp)
    def foreign_op(op: ForeignOp, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"{op} cannot run in PyTensor's MLX mode: MLX compiles the whole graph and cannot call another "
            "framework from inside. Use mode='JAX', 'NUMBA' or the default mode."
        )


when_imported("pytensor.link.mlx.dispatch.basic", register)
