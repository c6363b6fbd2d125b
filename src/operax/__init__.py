"""operax: linear operators, solvers and JAX functions in every array framework."""

from operax import basicoperators, optimization, signalprocessing, utils
from operax._core.operator import LinearOperator
from operax._version import __version__
from operax.basicoperators import *

__all__ = [
    "LinearOperator",
    "__version__",
    "basicoperators",
    "optimization",
    "signalprocessing",
    "utils",
    *basicoperators.__all__,
]
