"""operax: linear operators, solvers and JAX functions in every array framework."""

from operax._core.operator import LinearOperator
from operax._version import __version__

__all__ = ["LinearOperator", "__version__"]
