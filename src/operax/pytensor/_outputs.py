"""Types and symbolic sizes of a function's outputs, inferred from the types of its inputs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
from pytensor.tensor.type import TensorType

from operax.pytensor._engine import Struct

__all__ = ["Axis", "Dim", "Outputs", "UnsupportedOutput", "broadcast_dims", "infer_outputs", "partitions"]

Dim = int | str | None
"""A known size, an expression in the symbols of `Outputs.symbols`, or unknown."""

Axis = tuple[int, int]
"""Position of an input and one of its axes."""

TRIAL_SIZES = (6, 7, 2, 3, 4, 5, 8)
"""Sizes on which the ranks and dtypes of the outputs are found, where symbols do not work."""

MANY_TRIALS = 100
"""Most combinations of sizes named by the function's own errors that are tried; tracing one takes a millisecond."""

_ABOUT_SIZES = (
    TypeError,
    ValueError,
    IndexError,
    RuntimeError,
)  # what a function raises that could work with other sizes
_ABOUT_VALUES = (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError)
"""What it raises where it asks for values: other sizes do not help."""

MANY_UNKNOWN = 6  # set partitions grow as the Bell numbers: 203 of 6, 877 of 7


class UnsupportedOutput(TypeError):
    """The function returned what PyTensor cannot hold, whatever the sizes."""


@dataclass(frozen=True)
class Outputs:
    """What is known about the outputs before anything is computed."""

    types: tuple[TensorType, ...]
    dims: tuple[tuple[Dim, ...], ...]
    symbols: dict[str, Axis] = field(default_factory=dict)
    ties: tuple[tuple[Axis, Axis], ...] = ()
    """Pairs of unknown axes that were taken to be of one size, because the function cannot be traced otherwise."""

    def named_inputs(self, types: Sequence[TensorType]) -> list[Struct] | None:
        """The inputs' shapes with the symbols that stand for unknown sizes, or None where there are none."""
        names = {axis: name for name, axis in self.symbols.items()}
        for first, second in self.ties:
            names[second] = names[first]
        unknown = [(i, j) for i, t in enumerate(types) for j, s in enumerate(t.shape) if s is None]
        return _named(types, names) if all(axis in names for axis in unknown) else None


def partitions(n: int) -> list[tuple[int, ...]]:
    """All ways to group `n` items, as group numbers, those with most groups first."""

    def grow(prefix: tuple[int, ...], groups: int) -> Iterator[tuple[int, ...]]:
        if len(prefix) == n:
            yield prefix
            return
        for group in range(groups + 1):
            yield from grow((*prefix, group), max(groups, group + 1))

    return sorted(grow((), 0), key=lambda p: -len(set(p)))


def _groupings(n: int) -> list[tuple[int, ...]]:
    return partitions(n) if n <= MANY_UNKNOWN else [tuple(range(n)), (0,) * n]


def infer_outputs(
    trace: Callable[[Sequence[Struct]], list[Struct]],
    types: Sequence[TensorType],
    sizes: Callable[[], Sequence[int] | None],
    explain: Callable[[Sequence[Axis]], str],
    hints: Sequence[int] = (),
) -> Outputs:
    """Trace a function on symbolic sizes, else on sizes found by evaluation, else on trial sizes.

    Parameters
    ----------
    trace : callable
        Maps shapes and dtypes of the inputs to those of the outputs, or raises.
    types : sequence of TensorType
        The inputs' types; a size may be None.
    sizes : callable
        Gives the sizes of the unknown axes by evaluating the graph, or None where that cannot be done or is forbidden.
        Called only when symbols of their own for all unknown axes do not work.
    explain : callable
        Text of the error when nothing works, from the unknown axes.
    hints : sequence of int
        Sizes that unknown axes may have to agree with, such as those of static arrays.
    """
    unknown = [(i, j) for i, t in enumerate(types) for j, s in enumerate(t.shape) if s is None]
    if not unknown:
        return _outputs(trace(_named(types, {})))

    first_error: Exception | None = None
    messages: list[str] = []
    asked, known = False, None
    for number, groups in enumerate(_groupings(len(unknown))):
        if number == 1:  # only now is it worth the milliseconds
            asked, known = True, sizes()
        if known is not None and _joins_different(groups, known):
            continue
        names = dict(zip(unknown, (f"d{g}" for g in groups)))
        try:
            structs = trace(_named(types, names))
        except UnsupportedOutput:
            raise
        except Exception as error:
            first_error = first_error or error
            messages.append(str(error))
            continue
        symbols: dict[str, Axis] = {}
        ties = []
        for axis, name in names.items():
            first = symbols.setdefault(name, axis)
            if first != axis:
                ties.append((first, axis))
        return _outputs(structs, symbols, tuple(ties))

    if not asked:
        known = sizes()
    hints = [*hints, *(s for t in types for s in t.shape if s is not None)]
    for trial in [known] if known is not None else _trials(len(unknown), hints, messages):
        try:
            structs = trace(_named(types, dict(zip(unknown, trial))))
        except Exception as error:
            if not isinstance(error, _ABOUT_SIZES) or isinstance(error, (UnsupportedOutput, *_ABOUT_VALUES)):
                raise  # the function fails for reasons of its own
            messages.append(str(error))
            continue
        return Outputs(
            tuple(TensorType(dtype, shape=(None,) * len(shape)) for shape, dtype in structs),
            tuple((None,) * len(shape) for shape, _ in structs),
        )
    raise ValueError(explain(unknown)) from first_error


def _trials(count: int, hints: Sequence[int], messages: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Sizes of the unknown axes to try: small ones, then those that the function seems to ask for.

    A function that multiplies by a matrix of its own takes vectors of one length alone. The error of the attempts
    before says which: "got (12,) and (6,)". Numbers in it that are no sizes do no harm, as they are only tried.
    """
    yield from ((n,) * count for n in TRIAL_SIZES)
    tried: set[tuple[int, ...]] = set()
    while len(tried) < MANY_TRIALS:
        named = {int(n) for text in messages for n in re.findall(r"\b[1-9]\d{0,5}\b", text)}
        sizes = sorted({*hints, *named} - {0})
        choices = itertools.product((*sizes, TRIAL_SIZES[0]), repeat=count)
        fresh = list(itertools.islice((c for c in choices if c not in tried), MANY_TRIALS - len(tried)))
        if not fresh:
            return
        for trial in fresh:
            tried.add(trial)
            yield trial


def _joins_different(groups: Sequence[int], sizes: Sequence[int]) -> bool:
    size_of: dict[int, int] = {}
    return any(size_of.setdefault(g, s) != s for g, s in zip(groups, sizes))


def _named(types: Sequence[TensorType], names: Mapping[Axis, Any]) -> list[Struct]:
    def shape(i: int) -> tuple[int | str, ...]:
        return tuple(names[i, j] if s is None else s for j, s in enumerate(types[i].shape))

    return [(shape(i), t.dtype) for i, t in enumerate(types)]


def _outputs(
    structs: Sequence[Struct], symbols: dict[str, Axis] | None = None, ties: tuple[tuple[Axis, Axis], ...] = ()
) -> Outputs:
    types = tuple(
        TensorType(dtype, shape=tuple(d if isinstance(d, int) else None for d in shape)) for shape, dtype in structs
    )
    return Outputs(types, tuple(tuple(shape) for shape, _ in structs), symbols or {}, ties)


def broadcast_dims(batches: Sequence[Sequence[Dim]]) -> tuple[Dim, ...]:
    """The size of each leading axis after broadcasting: a known 1 gives way, the rest are taken to be equal."""
    rows = itertools.zip_longest(*(reversed(tuple(b)) for b in batches), fillvalue=1)
    result: list[Dim] = []
    for row in rows:
        known = [d for d in row if isinstance(d, int) and d != 1]
        result.append(known[0] if known else next((d for d in row if d != 1), 1))
    return tuple(reversed(result))
