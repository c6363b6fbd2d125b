"""Values that are stored before they are used, where XLA would compute them anew in every place that reads them."""

from __future__ import annotations

import functools
from typing import Any

from operax._arrays.kernel import Kernel
from operax._arrays.namespace import Array


@Kernel
def keep(x: Array) -> Array:
    """`x`, apart from what uses it while XLA simplifies; its fusion on CPUs may join the two again."""
    return x


@keep.on("jax")
def _(x: Any) -> Any:
    import jax

    return jax.lax.optimization_barrier(x)


@Kernel
def store(x: Array) -> Array:
    """`x`, in memory of its own whatever reads it.

    For a stencil of what a stencil gives: XLA on CPUs fuses the two and computes the inner one for every neighbour that
    the outer one reads, four Laplacians in a row 26 times slower than one after the other. For values that were
    computed; an argument would be copied.
    """
    return x


@store.on("jax")
def _(x: Any) -> Any:
    return _store_p().bind(x)


@functools.cache
def _store_p() -> Any:
    """The identity as a primitive of JAX, lowered to what XLA does not fuse."""
    import jax
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir

    def barrier(x: Any) -> Any:
        return jax.lax.optimization_barrier(x)

    def loop(x: Any) -> Any:
        # a loop that never runs, which XLA cannot know: what goes into it lies in memory, and comes out in place
        times = jax.lax.optimization_barrier(jax.numpy.zeros((), jax.numpy.int32))
        count = jax.numpy.zeros((), jax.numpy.int32)
        return jax.lax.while_loop(lambda c: c[0] < times, lambda c: (c[0] + 1, c[1] + c[1]), (count, x))[1]

    store_p = Primitive("store")
    store_p.def_impl(lambda x: x)
    store_p.def_abstract_eval(lambda x: x)
    ad.deflinear(store_p, lambda ct: [store_p.bind(ct)])
    batching.defvectorized(store_p)
    mlir.register_lowering(store_p, mlir.lower_fun(barrier, multiple_results=False))
    mlir.register_lowering(store_p, mlir.lower_fun(loop, multiple_results=False), platform="cpu")
    return store_p
