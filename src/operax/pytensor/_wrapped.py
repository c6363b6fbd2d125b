"""The user's function, with its structure and its static values folded into its identity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from pytensor.tensor.type import TensorType

from operax.pytensor._declared import Declared
from operax.pytensor._engine import Arrays, Engine, Struct
from operax.pytensor._function import Function, Sizes, no_sizes
from operax.pytensor._identity import StaticKey, static_key
from operax.pytensor._outputs import Axis, Outputs, UnsupportedOutput, infer_outputs
from operax.pytensor._pickle import pack
from operax.pytensor._precision import is_wide

__all__ = ["Structure", "Wrapped"]


class Structure:
    """How the arrays a function returned sit in what it returned."""

    def __init__(self, engine: Engine, result: Any) -> None:
        self.leaves, self.treedef = jax.tree.flatten(result)
        self.is_array = [engine.is_array(leaf) for leaf in self.leaves]
        self.arrays = [leaf for leaf, array in zip(self.leaves, self.is_array) if array]
        self.leaves = [None if array else leaf for leaf, array in zip(self.leaves, self.is_array)]

    def rebuild(self, arrays: Sequence[Any]) -> Any:
        """What the function returned, with other arrays in it."""
        rest = iter(arrays)
        return jax.tree.unflatten(self.treedef, [next(rest) if a else s for s, a in zip(self.leaves, self.is_array)])

    def matches(self, other: Structure) -> bool:
        return StaticKey(self.treedef) == StaticKey(other.treedef) and self.is_array == other.is_array


class Wrapped(Function):
    """``func(*args, **kwargs)`` as a function of the arguments' variable leaves.

    Parameters
    ----------
    engine : Engine
        The framework that runs it.
    func : callable
        The user's function.
    treedef : jax.tree_util.PyTreeDef
        Structure of ``(args, kwargs)``.
    leaves : sequence
        The static leaves, and None where a variable goes.
    is_variable : sequence of bool
        Which leaves are variables.
    name : str
        Shown in the Op and in messages.
    wide : bool
        Whether ``floatX`` is float64.
    allow_eval : bool
        Whether shapes may be found by evaluating the graph. No part of the identity.
    declared : Declared, optional
        Output types given by the user instead of inferred ones.
    """

    def __init__(
        self,
        engine: Engine,
        func: Callable[..., Any],
        treedef: Any,
        leaves: Sequence[Any],
        is_variable: Sequence[bool],
        name: str,
        wide: bool,
        allow_eval: bool = True,
        declared: Declared | None = None,
    ) -> None:
        self.func, self.treedef, self.leaves, self.is_variable = func, treedef, tuple(leaves), tuple(is_variable)
        self.name, self.allow_eval, self.declared = name, allow_eval, declared
        statics = tuple(static_key(s) for s, v in zip(leaves, is_variable) if not v)
        key = (StaticKey(func), StaticKey(treedef), statics, self.is_variable, wide, declared)
        super().__init__(engine, key, wide)
        self._shared = engine.share_trace(self._flat)
        self._structures: dict[Any, Structure] = {}
        self._latest: Structure | None = None
        self.paths: tuple[str, ...] = ()

    def _flat(self, *flat: Any) -> Arrays:
        values = iter(flat)
        args, kwargs = jax.tree.unflatten(
            self.treedef, [next(values) if v else s for s, v in zip(self.leaves, self.is_variable)]
        )
        try:
            structure = Structure(self.engine, self.func(*args, **kwargs))
        except Exception as error:
            given = ", ".join(
                f"{self.input_name(i)}: {dtype}[{', '.join(map(str, shape))}]"
                for i, (shape, dtype) in enumerate(map(self.engine.shape_dtype, flat))
            )
            error.add_note(
                f"While tracing {self.name!r} for PyTensor with {given or 'no variables'}. {_advice(error)}".rstrip()
            )
            raise
        if not structure.arrays:
            raise UnsupportedOutput(
                f"{self.name!r} returned {structure.rebuild([])!r}, which holds no array: there is nothing "
                "for PyTensor to compute. Return an array, or call the function directly for its static result."
            )
        arrays, structure.arrays = structure.arrays, []  # tracers must not outlive the trace
        self._remember([self.engine.shape_dtype(x) for x in flat], structure)
        return tuple(self.engine.asarray(a) for a in arrays)

    def _remember(self, structs: Sequence[Struct], structure: Structure) -> None:
        self._latest = structure
        before = self._structures.setdefault((tuple(structs), self.wide), structure)
        if not before.matches(structure):
            raise TypeError(
                f"{self.name!r} returned the structure {structure.treedef} after {before.treedef} for the same "
                "input types: a wrapped function must return the same structure on every call. "
                "Make it depend on its arguments only."
            )

    def __call__(self, *flat: Any) -> Arrays:
        return self._shared(*flat)

    def infer(self, types: tuple[TensorType, ...], sizes: Sizes = no_sizes) -> Outputs:
        wide = is_wide(self.wide, (t.dtype for t in types))
        found = self.memo.get((types, wide))
        if found is None:
            found = self._infer(types, sizes, wide)
            self.memo[types, wide] = found
        return found[0]

    def structure(self, types: tuple[TensorType, ...]) -> Structure:
        """How the outputs for inputs of these types sit in what the user's function returns."""
        return self.memo[types, is_wide(self.wide, (t.dtype for t in types))][1]

    def _infer(self, types: tuple[TensorType, ...], sizes: Sizes, wide: bool) -> tuple[Outputs, Structure | None]:
        if self.declared is not None:
            return self.declared.outputs(), None
        found: list[Structure] = []

        def trace(structs: Sequence[Struct]) -> list[Struct]:
            with self.engine.precision(wide):
                structs = [(tuple(shape), self.engine.canonical(dtype)) for shape, dtype in structs]
                self._latest = None
                result = self.engine.trace(self._shared, structs)
            # a framework that has kept the trace does not run the function again, but then it did so under this key
            found[:] = [self._latest or self._structures[tuple(structs), self.wide]]
            return result

        outputs = infer_outputs(
            trace,
            types,
            sizes if self.allow_eval else no_sizes,
            lambda axes: self._unknown(types, axes),
            [n for leaf in self.leaves for n in getattr(leaf, "shape", ()) if isinstance(n, int)],
        )
        return outputs, found[0]

    def _unknown(self, types: Sequence[TensorType], axes: Sequence[Axis]) -> str:
        inputs = dict.fromkeys(i for i, _ in axes)
        listed = ", ".join(
            f"{self.input_name(i)} of type {types[i]} (axes {[j for k, j in axes if k == i]} unknown)" for i in inputs
        )
        return (
            f"The outputs of {self.name!r} cannot be inferred, because sizes are unknown: {listed}. "
            "Give the sizes with pytensor.tensor.specify_shape(x, (...)), or declare the outputs: "
            f"as_{self.engine.name[:-2].lower()}_op(itypes=[...], otypes=[...], infer_shape=...)."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # arguments with placeholders for the variables: a tree definition itself cannot always be pickled
        arguments = jax.tree.unflatten(self.treedef, [_SLOT if v else s for s, v in zip(self.leaves, self.is_variable)])
        options = (self.name, self.wide, self.allow_eval, self.declared)
        return pack(self, self.func, _rebuild, (self.engine, self.func, arguments, options, self.paths))

    def input_name(self, index: int) -> str:
        return self.paths[index] if index < len(self.paths) else f"input {index}"

    def __str__(self) -> str:
        return self.name


class _Slot:
    """Where a variable goes in pickled arguments."""

    def __reduce__(self) -> str:
        return "_SLOT"  # one object: pickle stores its name


_SLOT = _Slot()


def _rebuild(state: Any) -> Wrapped:
    engine, func, arguments, options, paths = state
    leaves, treedef = jax.tree.flatten(arguments)
    is_variable = [leaf is _SLOT for leaf in leaves]
    fn = Wrapped(engine, func, treedef, [None if v else s for s, v in zip(leaves, is_variable)], is_variable, *options)
    fn.paths = paths
    return fn


def _advice(error: Exception) -> str:
    if isinstance(error, jax.errors.TracerArrayConversionError):
        return (
            "A function of NumPy was called on a value that is being traced: write it with jax.numpy. Where the value "
            "must be known, pass it as a plain Python or NumPy value, which makes it static."
        )
    if isinstance(error, jax.errors.ConcretizationTypeError):
        return (
            "A value that must be known while tracing came in as a PyTensor variable: "
            "pass it as a plain Python or NumPy value, which makes it static."
        )
    return ""
