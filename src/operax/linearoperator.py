"""`LinearOperator` and `aslinearoperator` at the path that scripts written for PyLops import them from."""

from operax._core.operator import LinearOperator
from operax.interop import aslinearoperator

__all__ = ["LinearOperator", "aslinearoperator"]
