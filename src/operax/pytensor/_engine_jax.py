"""JAX behind the bridge."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from operax.pytensor._engine import Arrays, Struct
from operax.pytensor._outputs import UnsupportedOutput
from operax.pytensor._precision import precision

__all__ = ["JaxEngine"]

_SUPPORTED = frozenset(
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
)


_SCOPE = export.SymbolicScope()
"""One scope for all symbols: a trace on the symbols of another scope is not found again."""


class JaxEngine:
    """Runs, differentiates and batches functions with JAX."""

    name = "JaxOp"

    def __reduce__(self) -> str:
        return "ENGINE"  # one object: pickle stores its name

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (jax.Array, np.ndarray, np.generic))

    def is_tracer(self, value: Any) -> bool:
        return isinstance(value, jax.core.Tracer)

    def asarray(self, value: Any) -> Any:
        dtype = value.dtype
        if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
            raise UnsupportedOutput(
                f"an output is a typed random key ({dtype}), which PyTensor cannot hold: return jax.random.key_data"
            )
        if str(dtype) not in _SUPPORTED:
            raise UnsupportedOutput(
                f"an output has dtype {dtype}, which PyTensor cannot hold: convert it, for instance .astype('float32')"
            )
        return jnp.asarray(value)

    def cast(self, value: Any, dtype: Any) -> Any:
        value = jnp.asarray(value)
        if jnp.iscomplexobj(value) and not jnp.issubdtype(dtype, jnp.complexfloating):
            value = value.real
        return value.astype(dtype)

    def conj(self, value: Any) -> Any:
        return jnp.conj(value) if jnp.iscomplexobj(value) else value

    def canonical(self, dtype: str) -> str:
        return str(jax.dtypes.canonicalize_dtype(dtype))

    def shape_dtype(self, value: Any) -> Struct:
        return tuple(d if isinstance(d, int) else str(d) for d in value.shape), str(value.dtype)

    def share_trace(self, function: Callable[..., Arrays]) -> Callable[..., Arrays]:
        # JAX keeps the trace of a jitted function by its input types: shape inference, forward and every derivative
        # then run the user's Python once; inline=True leaves no trace of the inner jit in the outer program
        return jax.jit(function, inline=True)

    def vjp(
        self, function: Callable[..., tuple[Arrays, Arrays]], primals: Arrays, cotangents: Arrays
    ) -> tuple[Arrays, Arrays]:
        outputs, pull, extra = jax.vjp(function, *primals, has_aux=True)
        return extra, pull(tuple(self.cast(c, o.dtype) for c, o in zip(cotangents, outputs)))

    def jvp(self, function: Callable[..., Arrays], primals: Arrays, tangents: Arrays) -> Arrays:
        return jax.jvp(function, primals, tuple(self.cast(t, p.dtype) for t, p in zip(tangents, primals)))[1]

    def vectorize(
        self, function: Callable[..., Arrays], in_ndim: Sequence[int], out_ndim: Sequence[int], args: Arrays
    ) -> Arrays:
        counter = itertools.count()
        core = lambda ndim: "(" + ",".join(f"k{next(counter)}" for _ in range(ndim)) + ")"
        signature = ",".join(map(core, in_ndim)) + "->" + ",".join(map(core, out_ndim))
        many = len(out_ndim) > 1
        result = jnp.vectorize(lambda *x: function(*x) if many else function(*x)[0], signature=signature)(*args)
        return tuple(result) if many else (result,)

    def compile(self, function: Callable[..., Arrays], bound: Arrays) -> Callable[..., Sequence[Any]]:
        jitted = jax.jit(lambda *args: function(*args))
        return functools.partial(jitted, *(jax.device_put(b) for b in bound)) if bound else jitted

    packs = True

    def concatenate(self, arrays: Arrays) -> Any:
        return jnp.concatenate([jnp.ravel(a) for a in arrays])

    def to_numpy(self, value: Any) -> np.ndarray:
        return np.array(value)

    def trace(self, function: Callable[..., Arrays], structs: Sequence[Struct]) -> list[Struct]:
        avals = []
        for shape, dtype in structs:
            dims = export.symbolic_shape(",".join(map(str, shape)), scope=_SCOPE) if shape else ()
            avals.append(jax.ShapeDtypeStruct(dims, np.dtype(dtype)))
        return [self.shape_dtype(out) for out in jax.eval_shape(function, *avals)]

    def check_reverse(self, function: Callable[..., Arrays], structs: Sequence[Any]) -> None:
        try:
            self.trace(function, structs)
        except Exception as error:
            if "Reverse-mode differentiation does not work" in str(error):
                error.add_note(
                    f"The gradient of {function} was asked for. Besides lax.scan and loops of a fixed length, forward "
                    "mode works: pytensor.gradient.Rop, or pushforward since PyTensor 3."
                )
                raise
            # anything else may come from symbolic sizes, and shows again, with real ones, when the gradient runs

    def precision(self, wide: bool) -> AbstractContextManager[Any]:
        return precision(wide)


ENGINE = JaxEngine()
