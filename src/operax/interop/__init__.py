"""Operators to and from SciPy, lineax, PyLops and plain functions."""

from operax.interop._convert import aslinearoperator
from operax.interop._foreign import ForeignOperator
from operax.interop._lineax import from_lineax, to_lineax
from operax.interop._pylops import to_pylops
from operax.interop._scipy import to_scipy

__all__ = ["ForeignOperator", "aslinearoperator", "from_lineax", "to_lineax", "to_pylops", "to_scipy"]
