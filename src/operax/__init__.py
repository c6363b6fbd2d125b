"""operax: linear operators, solvers and JAX functions in every array framework."""

import importlib
from typing import Any

from operax import basicoperators, interop, optimization, signalprocessing, utils
from operax._core.operator import LinearOperator
from operax._version import __version__
from operax.basicoperators import *
from operax.interop import aslinearoperator
from operax.jaxoperator import JaxOperator

__all__ = [
    "JaxOperator",
    "LinearOperator",
    "__version__",
    "aslinearoperator",
    "basicoperators",
    "interop",
    "optimization",
    "signalprocessing",
    "utils",
    *basicoperators.__all__,
]

_ON_DEMAND = {
    "PyTensorOperator": "operax.pytensoroperator",
    "TorchOperator": "operax.torchoperator",
    "pytensor": "operax.pytensor",
    "torch": "operax.torch",
}
"""Names whose framework is imported when they are first asked for."""


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'operax' has no attribute {name!r}")
    module = importlib.import_module(_ON_DEMAND[name])
    return module if name.islower() else getattr(module, name)
