"""Derivatives, batches, selections and fusions of a function, each again a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pytensor.tensor.type import TensorType

from operax.pytensor._engine import Arrays
from operax.pytensor._function import Function, Sizes, no_sizes
from operax.pytensor._identity import static_key
from operax.pytensor._outputs import Dim, Outputs, broadcast_dims
from operax.pytensor._precision import is_wide

__all__ = ["Bound", "Pullback", "Pushforward", "Selected", "ValueAndPullback", "Vectorized", "core_type"]


class Transform(Function):
    """A function made from another one, `fn`, by a rule with hashable parameters."""

    def __init__(self, fn: Function, *parameters: Any) -> None:
        super().__init__(fn.engine, (fn, *parameters), fn.wide)
        self.fn = fn
        self.parameters = parameters

    @classmethod
    def of(cls, fn: Function, *parameters: Any) -> Any:
        """The one such transform of `fn`."""
        return fn.made((cls, *parameters), lambda: cls(fn, *parameters))

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self), self.fn, self.parameters)

    def input_name(self, index: int) -> str:
        return self.fn.input_name(index)


def _remake(cls: type[Transform], fn: Function, parameters: tuple[Any, ...]) -> Transform:
    return cls.of(fn, *parameters)


def _same_sizes(types: Sequence[TensorType], which: Sequence[int]) -> Outputs:
    """Outputs with types and sizes of some of the inputs.

    Derivatives know their sizes by their structure. Tracing would not find them: the cotangent of an output of size
    ``2*n - 1`` has an unknown size of its own, and no grouping of unknown sizes expresses the relation.
    """
    dims = tuple(tuple(f"i{i}_{j}" if s is None else s for j, s in enumerate(types[i].shape)) for i in which)
    symbols = {f"i{i}_{j}": (i, j) for i in which for j, s in enumerate(types[i].shape) if s is None}
    return Outputs(tuple(types[i] for i in which), dims, symbols)


def _joined(first: Outputs, second: Outputs) -> Outputs:
    return Outputs(
        first.types + second.types,
        first.dims + second.dims,
        {**first.symbols, **second.symbols},
        first.ties + second.ties,
    )


class _Derivative(Transform):
    """Parameters: number `n` of primal inputs, the inputs `ins` and the outputs `outs` that are differentiated."""

    def __init__(self, fn: Function, n: int, ins: tuple[int, ...], outs: tuple[int, ...]) -> None:
        super().__init__(fn, n, ins, outs)
        self.n, self.ins, self.outs = n, ins, outs

    def split(self, primals: Sequence[Any]) -> tuple[Any, Arrays]:
        """The function of the differentiated inputs alone, giving (differentiated outputs, all outputs)."""

        def restricted(*moving: Any) -> tuple[Arrays, Arrays]:
            args = list(primals)
            for i, value in zip(self.ins, moving):
                args[i] = value
            result = self.fn(*args)
            return tuple(result[o] for o in self.outs), tuple(result)

        return restricted, tuple(primals[i] for i in self.ins)

    def pull(self, flat: Sequence[Any]) -> tuple[Arrays, Arrays]:
        """All outputs, and the cotangents of the inputs."""
        function, moving = self.split(flat[: self.n])
        # PyTensor's gradient of a real cost C in z = x + iy is dC/dx + i dC/dy, the conjugate of JAX's
        conj = self.engine.conj
        values, cotangents = self.engine.vjp(function, moving, tuple(conj(c) for c in flat[self.n :]))
        return values, tuple(conj(c) for c in cotangents)


class Pullback(_Derivative):
    """(primals, cotangents of `outs`) to cotangents of `ins`: a vector-Jacobian product."""

    def check(self, types: tuple[TensorType, ...]) -> None:
        """Raise now, when the gradient is asked for, if the function has none in reverse mode."""
        self.made(("checked", types), lambda: self._check(types))

    def _check(self, types: tuple[TensorType, ...]) -> bool:
        outputs = self.fn.infer(types)
        given = outputs.named_inputs(types)
        sizes = [outputs.dims[o] for o in self.outs]
        if given is not None and all(d is not None for dims in sizes for d in dims):
            cotangents = [(dims, outputs.types[o].dtype) for dims, o in zip(sizes, self.outs)]
            with self.engine.precision(is_wide(self.wide, (t.dtype for t in types))):
                self.engine.check_reverse(self, [*given, *cotangents])
        return True

    def __call__(self, *flat: Any) -> Arrays:
        return self.pull(flat)[1]

    def infer(self, types: tuple[TensorType, ...], sizes: Sizes = no_sizes) -> Outputs:
        return _same_sizes(types, self.ins)

    def __str__(self) -> str:
        return f"vjp_{self.fn}"

    def input_name(self, index: int) -> str:
        return self.fn.input_name(index) if index < self.n else f"cotangent of output {self.outs[index - self.n]}"


class Pushforward(_Derivative):
    """(primals, tangents of `ins`) to tangents of `outs`: a Jacobian-vector product."""

    def __call__(self, *flat: Any) -> Arrays:
        function, moving = self.split(flat[: self.n])
        return self.engine.jvp(lambda *m: function(*m)[0], moving, tuple(flat[self.n :]))

    def infer(self, types: tuple[TensorType, ...], sizes: Sizes = no_sizes) -> Outputs:
        return _select(self.fn.infer(types[: self.n], sizes), self.outs)

    def __str__(self) -> str:
        return f"jvp_{self.fn}"

    def input_name(self, index: int) -> str:
        return (
            self.fn.input_name(index)
            if index < self.n
            else f"tangent of {self.fn.input_name(self.ins[index - self.n])}"
        )


class ValueAndPullback(Transform):
    """(primals, cotangents) to (all outputs, cotangents of the inputs) in one go: the forward runs once."""

    fn: Pullback

    def __call__(self, *flat: Any) -> Arrays:
        values, cotangents = self.fn.pull(flat)
        return (*values, *cotangents)

    def infer(self, types: tuple[TensorType, ...], sizes: Sizes = no_sizes) -> Outputs:
        return _joined(self.fn.fn.infer(types[: self.fn.n], sizes), self.fn.infer(types, sizes))

    def __str__(self) -> str:
        return f"value_and_{self.fn}"


def _select(outputs: Outputs, which: Sequence[int]) -> Outputs:
    return Outputs(
        tuple(outputs.types[o] for o in which), tuple(outputs.dims[o] for o in which), outputs.symbols, outputs.ties
    )


class Selected(Transform):
    """Some of the outputs only; the compiler drops what the others alone need."""

    def __init__(self, fn: Function, which: tuple[int, ...]) -> None:
        super().__init__(fn, which)
        self.which = which

    def __call__(self, *flat: Any) -> Arrays:
        result = self.fn(*flat)
        return tuple(result[o] for o in self.which)

    def infer(self, types: tuple[TensorType, ...], sizes: Sizes = no_sizes) -> Outputs:
        return _select(self.fn.infer(types, sizes), self.which)

    def __str__(self) -> str:
        return str(self.fn)


def core_type(batched: TensorType, ndim: int) -> TensorType:
    """The type of one item of a batch."""
    return TensorType(batched.dtype, shape=batched.shape[batched.ndim - ndim :])


class Vectorized(Transform):
    """Mapped over leading axes. Parameters: core ranks, and for each input which leading axes are known to be 1.

    A leading axis of size 1 that was not known to be 1 when the graph was built is not repeated: PyTensor forbids
    broadcasting that only shows at run time, because gradients were built without it.
    """

    def __init__(
        self, fn: Function, in_ndim: tuple[int, ...], out_ndim: tuple[int, ...], repeats: tuple[tuple[bool, ...], ...]
    ) -> None:
        super().__init__(fn, in_ndim, out_ndim, repeats)
        self.in_ndim, self.out_ndim, self.repeats = in_ndim, out_ndim, repeats

    def __call__(self, *flat: Any) -> Arrays:
        self._check(flat)
        return self.engine.vectorize(self.fn, self.in_ndim, self.out_ndim, flat)

    def _check(self, flat: Sequence[Any]) -> None:
        batches = [tuple(x.shape[: len(x.shape) - ndim]) for x, ndim in zip(flat, self.in_ndim)]
        rank = max(map(len, batches), default=0)
        for axis in range(-rank, 0):
            sizes = [(i, b[axis]) for i, b in enumerate(batches) if len(b) >= -axis and not self.repeats[i][axis]]
            if len({s for _, s in sizes}) > 1:
                found = ", ".join(f"{self.fn.input_name(i)}: {s}" for i, s in sizes)
                raise ValueError(
                    f"Runtime broadcasting not allowed: the inputs of {self.fn} differ in batch axis {axis} ({found}). "
                    "An axis that is to be repeated must be known to have size 1 when the graph is built: "
                    "use pytensor.tensor.specify_broadcastable, or give shape=(1, ...)."
                )

    def infer(self, types: tuple[TensorType, ...], sizes: Sizes = no_sizes) -> Outputs:
        core, batches = [], []
        shift: list[int] = []
        for i, (t, ndim) in enumerate(zip(types, self.in_ndim)):
            lead = t.ndim - ndim
            shift.append(lead)
            core.append(core_type(t, ndim))
            batches.append(tuple(f"b{i}_{j}" if s is None else s for j, s in enumerate(t.shape[:lead])))
        inner = self.fn.infer(tuple(core), sizes)
        batch: tuple[Dim, ...] = broadcast_dims(batches)
        static = tuple(d if isinstance(d, int) else None for d in batch)
        symbols = {name: (i, j + shift[i]) for name, (i, j) in inner.symbols.items()}
        symbols |= {d: (i, j) for i, b in enumerate(batches) for j, d in enumerate(b) if isinstance(d, str)}
        return Outputs(
            tuple(TensorType(t.dtype, shape=static + t.shape) for t in inner.types),
            tuple(batch + d for d in inner.dims),
            symbols,
            tuple(((i, j + shift[i]), (k, m + shift[k])) for (i, j), (k, m) in inner.ties),
        )

    def __str__(self) -> str:
        return f"vmap_{self.fn}"


BAKED = 64
"""Constants of up to this many elements become part of the compiled program, where they may simplify it."""


class Bound(Transform):
    """Some inputs fixed to constants: the large ones live on the device and are passed on every call, not baked in.

    Passing saves their conversion on every call, and not baking keeps the compiler from folding large constants.
    """

    def __init__(self, fn: Function, n: int, constants: tuple[tuple[int, Any], ...]) -> None:
        Function.__init__(self, fn.engine, (fn, n, tuple((i, static_key(c)) for i, c in constants)), fn.wide)
        self.fn, self.n, self.constants = fn, n, constants
        self.parameters = (n, constants)
        fixed = {i for i, _ in constants}
        self.free = tuple(i for i in range(n) if i not in fixed)

    @classmethod
    def of(cls, fn: Function, *parameters: Any) -> Any:
        made = cls(fn, *parameters)
        return fn.made((cls, made.key), lambda: made)

    def bound_arrays(self) -> tuple[np.ndarray, ...]:
        return tuple(c for _, c in self.constants if c.size > BAKED)

    def with_bound(self, *flat: Any) -> Arrays:
        args: list[Any] = [None] * self.n
        for i, c in self.constants:
            if c.size <= BAKED:
                args[i] = self.engine.asarray(c)
        order = (*(i for i, c in self.constants if c.size > BAKED), *self.free)
        for i, value in zip(order, flat):
            args[i] = value
        return self.fn(*args)

    def __call__(self, *flat: Any) -> Arrays:
        return self.with_bound(*(self.engine.asarray(c) for c in self.bound_arrays()), *flat)

    def infer(self, types: tuple[TensorType, ...], sizes: Sizes = no_sizes) -> Outputs:
        full: list[Any] = [None] * self.n
        for i, t in zip(self.free, types):
            full[i] = t
        for i, c in self.constants:
            full[i] = TensorType(str(c.dtype), shape=c.shape)
        inner = self.fn.infer(tuple(full))
        position = {i: k for k, i in enumerate(self.free)}
        symbols = {name: (position[i], j) for name, (i, j) in inner.symbols.items() if i in position}
        ties = tuple(
            ((position[i], j), (position[k], m)) for (i, j), (k, m) in inner.ties if i in position and k in position
        )
        return Outputs(inner.types, inner.dims, symbols, ties)

    def input_name(self, index: int) -> str:
        return self.fn.input_name(self.free[index])

    def __str__(self) -> str:
        return str(self.fn)
