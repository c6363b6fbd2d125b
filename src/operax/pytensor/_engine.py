"""What the bridge asks of an array framework: the one interface behind `as_jax_op` and `as_torch_op`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

__all__ = ["Arrays", "Engine", "Struct"]

Arrays = tuple[Any, ...]
"""A flat tuple of the framework's arrays."""

Struct = tuple[tuple["int | str", ...], str]
"""Shape and dtype of an array; an unknown size is the name of a symbol, or an expression in such names."""


class Engine(Protocol):
    """A framework that runs, differentiates and batches functions of arrays."""

    name: str
    """How an Op of this framework is shown: ``JaxOp{f}``."""

    def is_array(self, value: Any) -> bool:
        """Whether a leaf that the user's function returned is an array, and not a static value."""

    def is_tracer(self, value: Any) -> bool:
        """Whether a value is a stand-in of one of the framework's own transformations."""

    def asarray(self, value: Any) -> Any:
        """An array of the framework; a dtype that PyTensor cannot hold raises `TypeError`."""

    def cast(self, value: Any, dtype: Any) -> Any:
        """Convert to the dtype of a cotangent or an output; the imaginary part is dropped where `dtype` is real."""

    def conj(self, value: Any) -> Any:
        """The complex conjugate; real arrays pass unchanged."""

    def canonical(self, dtype: str) -> str:
        """The dtype an input of this dtype has inside a function, at the precision in force."""

    def shape_dtype(self, value: Any) -> Struct:
        """Shape and dtype of an array or of a stand-in, unknown sizes as text."""

    def share_trace(self, function: Callable[..., Arrays]) -> Callable[..., Arrays]:
        """A version of the user's flat function that is traced once for each kind of input, whatever transforms it."""

    def vjp(
        self, function: Callable[..., tuple[Arrays, Arrays]], primals: Arrays, cotangents: Arrays
    ) -> tuple[Arrays, Arrays]:
        """For ``function(*primals) -> (outputs, extra)``: the extra values, and the cotangents of the primals."""

    def jvp(self, function: Callable[..., Arrays], primals: Arrays, tangents: Arrays) -> Arrays:
        """The tangents of the outputs."""

    def vectorize(
        self, function: Callable[..., Arrays], in_ndim: Sequence[int], out_ndim: Sequence[int], args: Arrays
    ) -> Arrays:
        """Map over the leading axes of the arguments, which broadcast against each other."""

    def compile(self, function: Callable[..., Arrays], bound: Arrays) -> Callable[..., Sequence[Any]]:
        """A fast callable on NumPy arrays; `bound` are arrays that come first on every call and are moved once."""

    packs: bool
    """Whether it pays to hand several small outputs over as one array."""

    def concatenate(self, arrays: Arrays) -> Any:
        """All elements of the arrays in one flat array."""

    def to_numpy(self, value: Any) -> np.ndarray:
        """A NumPy array that owns its memory: PyTensor's in-place Ops write into it."""

    def trace(self, function: Callable[..., Arrays], structs: Sequence[Struct]) -> list[Struct]:
        """Shapes and dtypes of the outputs, without computing anything. Raises what the function raises."""

    def check_reverse(self, function: Callable[..., Arrays], structs: Sequence[Any]) -> None:
        """Raise if a pullback cannot be computed because the function has no reverse mode."""

    def precision(self, wide: bool) -> AbstractContextManager[Any]:
        """The context that makes the framework compute in 64 bits, or not."""
