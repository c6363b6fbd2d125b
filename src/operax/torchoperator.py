"""`TorchOperator`, which imports torch when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from operax.torch import TorchOperator

__all__ = ["TorchOperator"]


def __getattr__(name: str) -> Any:
    if name != "TorchOperator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from operax.torch import TorchOperator

    return TorchOperator
