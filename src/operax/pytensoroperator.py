"""`PyTensorOperator`, which imports PyTensor when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from operax.interop._require import require

if TYPE_CHECKING:
    from operax.pytensor import PyTensorOperator

__all__ = ["PyTensorOperator"]


def __getattr__(name: str) -> Any:
    if name != "PyTensorOperator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require("pytensor", "operax.PyTensorOperator")
    from operax.pytensor import PyTensorOperator

    return PyTensorOperator
