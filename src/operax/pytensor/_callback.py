"""A function of another framework inside a JAX program: a callback with derivative and batching rules of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from pytensor.tensor.type import TensorType

from operax.pytensor._compiled import runner
from operax.pytensor._function import Function, is_inexact
from operax.pytensor._transforms import Pullback, Vectorized

__all__ = ["as_callback"]


def as_callback(fn: Function) -> Callable[..., tuple[Any, ...]]:
    """A JAX function that calls `fn` on the host. Reverse mode works to any order, and a batch is one call."""
    return fn.made("callback", lambda: _make(fn))


def _types(arrays: Any) -> tuple[TensorType, ...]:
    return tuple(TensorType(str(x.dtype), shape=tuple(x.shape)) for x in arrays)


def _make(fn: Function) -> Callable[..., tuple[Any, ...]]:
    @jax.custom_vjp
    def call(*inputs: Any) -> tuple[Any, ...]:
        types = _types(inputs)
        outputs = fn.infer(types)
        ranks, out_ranks = tuple(t.ndim for t in types), tuple(t.ndim for t in outputs.types)

        def host(*arrays: Any) -> tuple[np.ndarray, ...]:
            arrays = tuple(map(np.asarray, arrays))
            batch = tuple(a.ndim - n for a, n in zip(arrays, ranks))
            if not any(batch):
                return tuple(runner(fn, types, outputs.types, outputs.ties)(*arrays))
            repeats = tuple(tuple(s == 1 for s in a.shape[:b]) for a, b in zip(arrays, batch))
            many, batched = Vectorized.of(fn, ranks, out_ranks, repeats), _types(arrays)
            return tuple(runner(many, batched, many.infer(batched).types, ())(*arrays))

        structs = tuple(jax.ShapeDtypeStruct(t.shape, t.dtype) for t in outputs.types)
        return tuple(jax.pure_callback(host, structs, *inputs, vmap_method="broadcast_all"))

    def forward(*inputs: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return call(*inputs), inputs

    def backward(inputs: tuple[Any, ...], cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
        ins = tuple(i for i, x in enumerate(inputs) if is_inexact(str(x.dtype)))
        outs = tuple(o for o, t in enumerate(fn.infer(_types(inputs)).types) if is_inexact(t.dtype))
        result: list[Any] = [None] * len(inputs)
        if ins and outs:
            pull = as_callback(Pullback.of(fn, len(inputs), ins, outs))
            # a Pullback follows PyTensor's rule for complex numbers, and JAX asks for the conjugate
            for i, value in zip(ins, pull(*inputs, *(jnp.conj(cotangents[o]) for o in outs))):
                result[i] = jnp.conj(value)
        return tuple(result)

    call.defvjp(forward, backward)
    return call
