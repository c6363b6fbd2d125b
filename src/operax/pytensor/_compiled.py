"""A function compiled for the types of one node: NumPy arrays in, NumPy arrays out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pytensor.tensor.type import TensorType

from operax.pytensor import _fork
from operax.pytensor._engine import Arrays
from operax.pytensor._function import Function
from operax.pytensor._outputs import Axis
from operax.pytensor._packing import Packing
from operax.pytensor._precision import is_wide

__all__ = ["Convert", "Runner", "checked", "flat_runner", "runner"]

Runner = Callable[..., list[Any]]
Convert = Callable[[Any], Any]


def checked(
    fn: Function, in_types: tuple[TensorType, ...], out_types: tuple[TensorType, ...], ties: Sequence[tuple[Axis, Axis]]
) -> Callable[..., Arrays]:
    """The function, with what the graph relies on verified and dtypes converted: while tracing, so at no cost later."""
    first = len(fn.bound_arrays())

    def function(*flat: Any) -> Arrays:
        inputs = flat[first:]
        for (i, j), (k, m) in ties:
            a, b = inputs[i].shape[j], inputs[k].shape[m]
            if a != b:
                raise ValueError(
                    f"{fn}: axis {j} of {fn.input_name(i)} has size {a} and axis {m} of {fn.input_name(k)} size {b}, "
                    "but they were taken to be equal, as the function cannot be traced with two unknown sizes there. "
                    "Give the sizes with pytensor.tensor.specify_shape, or shape=(1, ...) for an axis to be repeated."
                )
        outputs = fn.with_bound(*flat)
        if len(outputs) != len(out_types):
            raise ValueError(
                f"{fn} returned {len(outputs)} arrays where {len(out_types)} were declared: {_list(out_types)}"
            )
        return tuple(_conform(fn, number, value, t) for number, (value, t) in enumerate(zip(outputs, out_types)))

    return function


def _list(types: Sequence[TensorType]) -> str:
    return ", ".join(map(str, types))


def _conform(fn: Function, number: int, value: Any, expected: TensorType) -> Any:
    shape, dtype = fn.engine.shape_dtype(value)
    fits = len(shape) == expected.ndim and all(s is None or s == d for s, d in zip(expected.shape, shape))
    if not fits or not np.can_cast(dtype, expected.dtype, casting="same_kind"):
        raise ValueError(
            f"{fn} returned an array of shape {shape} and dtype {dtype} as output {number}, where the graph holds "
            f"{expected}. Declare the type that the function returns (otypes=[...]), and let the function be pure."
        )
    return value if dtype == expected.dtype else fn.engine.cast(value, fn.engine.canonical(expected.dtype))


def runner(
    fn: Function,
    in_types: Sequence[TensorType],
    out_types: Sequence[TensorType],
    ties: Sequence[Any],
    convert: tuple[Convert, Convert] | None = None,
) -> Runner:
    """The compiled function for these types, kept by the function.

    It takes and gives NumPy arrays, or what the two functions of `convert` (into and out of the framework) handle.
    """
    key = ("runner", tuple(in_types), tuple(out_types), tuple(ties), convert)

    def make() -> Runner:
        function = checked(fn, tuple(in_types), tuple(out_types), ties)
        packing = Packing.of(out_types) if fn.engine.packs and convert is None else None
        if packing is not None:
            return _run(fn, in_types, out_types, packing.packed(function, fn.engine), None, packing.unpacked)
        load, unload = convert or (None, fn.engine.to_numpy)
        return _run(fn, in_types, out_types, function, load, lambda results: [unload(r) for r in results])

    return fn.made(key, make)


def flat_runner(
    fn: Function, in_types: Sequence[TensorType], out_types: Sequence[TensorType], ties: Sequence[Any], packing: Packing
) -> Callable[..., np.ndarray]:
    """As `runner`, with all outputs in one flat array that is to be read only."""

    def make() -> Callable[..., np.ndarray]:
        function = packing.packed(checked(fn, tuple(in_types), tuple(out_types), ties), fn.engine)
        return _run(fn, in_types, out_types, function, None, lambda results: np.asarray(results[0]))

    return fn.made(("flat", tuple(in_types), tuple(out_types), tuple(ties)), make)


def _run(
    fn: Function,
    in_types: Sequence[TensorType],
    out_types: Sequence[TensorType],
    function: Callable[..., Arrays],
    load: Convert | None,
    collect: Callable[[Sequence[Any]], Any],
) -> Callable[..., Any]:
    """The compiled `function` at the precision of the graph, its results collected; guarded in a forked process."""
    key, name = (fn, tuple(in_types)), str(fn)
    wide = is_wide(fn.wide, (t.dtype for t in (*in_types, *out_types)))
    integers = [] if wide else [i for i, t in enumerate(in_types) if t.dtype in ("int64", "uint64")]
    precision = fn.engine.precision
    with precision(wide):
        call = fn.engine.compile(function, fn.bound_arrays())

    def run(*inputs: Any) -> Any:
        if _fork._forked:
            return _fork.guard(direct, key, name, inputs)
        with precision(wide):
            return collect(call(*inputs))

    def direct(*inputs: Any) -> Any:
        for i in integers:
            _check_range(fn, i, inputs[i])
        with precision(wide):
            return collect(call(*(inputs if load is None else map(load, inputs))))

    def careful(*inputs: Any) -> Any:
        return _fork.guard(direct, key, name, inputs) if _fork._forked else direct(*inputs)

    return careful if integers or load is not None else run


def _check_range(fn: Function, index: int, value: Any) -> None:
    # with floatX=float32 JAX computes in 32 bits, and would wrap larger integers without a word
    value = np.asarray(value)
    limits = np.iinfo(np.int32 if value.dtype.kind == "i" else np.uint32)
    if value.size and (value.max() > limits.max or value.min() < limits.min):
        raise OverflowError(
            f"{fn.input_name(index)} of {fn} holds integers outside of 32 bits, which a 32-bit graph cannot carry: "
            "set pytensor.config.floatX = 'float64', or make them smaller."
        )
