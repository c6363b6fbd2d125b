"""A flat JAX function run on tensors, and the functions derived from it."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from operax._arrays.namespace import as_jax, is_array
from operax.interop._precision import precision
from operax.torch._tensors import argument, device_of, numpy_dtype, result, torch_dtype

Arrays = tuple[Any, ...]

_WIDE = frozenset({torch.float64, torch.complex128, torch.int64})

_handles = itertools.count()
_alive: weakref.WeakValueDictionary[int, Call] = weakref.WeakValueDictionary()


class Call:
    """``function(*tensors, *bound) -> tuple of tensors``, computed by JAX.

    Parameters
    ----------
    function
        A JAX function of flat arrays that returns a tuple of arrays.
    count
        How many tensors it takes.
    bound
        Arrays that come last on each call and have no derivative.
    linear
        Whether it is linear in the first tensor and gives one array: its derivative there then needs no values of it.
    wide
        Whether to compute in 64 bits also where all tensors have fewer (an operator with 64-bit arrays).

    Notes
    -----
    A derivative is again a `Call`, made from the JAX function and kept: so derivatives exist to any order, and each is
    traced and compiled once.
    """

    def __init__(
        self,
        function: Callable[..., Arrays],
        count: int,
        bound: Sequence[Any] = (),
        linear: bool = False,
        wide: bool = False,
    ) -> None:
        self.function, self.count, self.bound, self.linear, self.wide = function, count, tuple(bound), linear, wide
        self.jitted = jax.jit(function)
        self.derived: dict[Any, Call] = {}
        self._moved: dict[Any, tuple[Arrays, frozenset[int]]] = {}
        self.handle = next(_handles)
        """A number under which compiled torch code finds this call again."""
        _alive[self.handle] = self

    # ---- running

    def run(self, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Compute; the results own their memory or share it with nothing that is in use."""
        wide = self.wide or any(t.dtype in _WIDE for t in tensors)
        device = tensors[0].device if tensors else torch.device("cpu")
        with precision(wide):
            bound, pointers = self._bound(device, wide)
            arrays = self.jitted(*[argument(t) for t in tensors], *bound)
            # the tensors may be overwritten as soon as this returns
            outputs = [result(array) for array in arrays]
        taken = {t.data_ptr() for t in tensors}
        for i, output in enumerate(outputs):
            # a compiled function may give an input back as it is, or one buffer twice: a write would reach both
            pointer = output.data_ptr()
            if pointer in taken or pointer in pointers:
                outputs[i] = output.clone()
            taken.add(pointer)
        return tuple(outputs)

    def _bound(self, device: torch.device, wide: bool) -> tuple[Arrays, frozenset[int]]:
        key = (device, wide)
        found = self._moved.get(key)
        if found is None:
            target = None if device.type == "cpu" and jax.default_backend() == "cpu" else device_of(device)
            moved = tuple(as_jax(b, target) if is_array(b) else b for b in self.bound)
            pointers = frozenset(b.unsafe_buffer_pointer() for b in moved if isinstance(b, jax.Array) and b.size)
            found = self._moved[key] = (moved, pointers)
        return found

    def shapes(self, tensors: Sequence[torch.Tensor]) -> list[tuple[tuple[int, ...], torch.dtype]]:
        """Shape and dtype of the results, without computing."""
        with precision(self.wide or any(t.dtype in _WIDE for t in tensors)):
            given = [jax.ShapeDtypeStruct(tuple(map(int, t.shape)), numpy_dtype(t.dtype)) for t in tensors]
            bound = [jax.typeof(as_jax(b)) if is_array(b) else b for b in self.bound]
            found = jax.eval_shape(self.function, *given, *bound)
        return [(tuple(f.shape), torch_dtype(f.dtype)) for f in found]

    @staticmethod
    def at(handle: int) -> Call:
        """The call of that number."""
        found = _alive.get(handle)
        if found is None:
            raise RuntimeError("the operator behind this compiled torch code was deleted; keep it, or compile again")
        return found

    # ---- derived functions

    def _derive(self, key: Any, make: Callable[[], Call]) -> Call:
        found = self.derived.get(key)
        if found is None:
            found = self.derived[key] = make()
        return found

    def pull(self, active: tuple[int, ...], outputs: int) -> Call:
        """``(*tensors, *cotangents) -> cotangents of the tensors `active```, with torch's rule for complex numbers.

        JAX pairs cotangents bilinearly, torch with a conjugate: hence the conjugations.
        """

        def function(*arrays: Any) -> Arrays:
            n = self.count
            primals, cotangents, bound = arrays[:n], arrays[n : n + outputs], arrays[n + outputs :]

            def of_active(*values: Any) -> Arrays:
                return self.function(*_replaced(primals, active, values), *bound)

            values, back = jax.vjp(of_active, *[primals[i] for i in active])
            return tuple(map(jnp.conj, back(tuple(map(_cotangent, cotangents, values)))))

        return self._derive(
            ("pull", active, outputs), lambda: Call(function, self.count + outputs, self.bound, wide=self.wide)
        )

    def pull_linear(self, shape: tuple[int, ...], dtype: torch.dtype) -> Call:
        """``(cotangent, *other tensors) -> cotangent of the first tensor``, which had that shape and dtype."""

        def function(cotangent: Any, *others: Any) -> Arrays:
            at = jnp.zeros(shape, numpy_dtype(dtype))  # the map is linear: nothing depends on it
            values, back = jax.vjp(lambda x: self.function(x, *others), at)
            return (jnp.conj(back((_cotangent(cotangent, values[0]),))[0]),)

        return self._derive(
            ("pull", shape, dtype), lambda: Call(function, self.count, self.bound, linear=True, wide=self.wide)
        )

    def push(self, active: tuple[int, ...]) -> Call:
        """``(*tensors, *tangents of `active`) -> tangents of the results``."""

        def function(*arrays: Any) -> Arrays:
            n, m = self.count, len(active)
            primals, tangents, bound = arrays[:n], arrays[n : n + m], arrays[n + m :]

            def of_active(*values: Any) -> Arrays:
                return self.function(*_replaced(primals, active, values), *bound)

            at = [primals[i] for i in active]
            found = jax.jvp(of_active, at, [t.astype(p.dtype) for p, t in zip(at, tangents)])[1]
            return tuple(jnp.zeros(t.shape) if t.dtype == jax.dtypes.float0 else t for t in found)

        return self._derive(
            ("push", active), lambda: Call(function, self.count + len(active), self.bound, wide=self.wide)
        )

    def mapped(self, which: tuple[bool, ...]) -> Call:
        """The call on tensors of which some have a leading batch axis, as one vectorised call."""

        def function(*arrays: Any) -> Arrays:
            axes = [0 if i < len(which) and which[i] else None for i in range(len(arrays))]
            return jax.vmap(self.function, in_axes=axes)(*arrays)

        return self._derive(
            ("map", which),
            lambda: Call(function, self.count, self.bound, linear=self.linear and which[0], wide=self.wide),
        )


def _replaced(primals: Sequence[Any], active: Sequence[int], values: Sequence[Any]) -> list[Any]:
    result = list(primals)
    for i, value in zip(active, values):
        result[i] = value
    return result


def _cotangent(cotangent: Any, value: Any) -> Any:
    if not jnp.issubdtype(value.dtype, jnp.inexact):
        return np.zeros(value.shape, jax.dtypes.float0)
    cotangent = cotangent if jnp.iscomplexobj(value) else jnp.real(cotangent)
    return jnp.conj(cotangent).astype(value.dtype)
