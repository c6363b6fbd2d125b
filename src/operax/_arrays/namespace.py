"""Which array library a value belongs to, and how to move a value to another one."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import jax
import numpy as np

Array = Any
"""An array of any supported library."""

_NAMESPACES: dict[type, ModuleType] = {}
"""Namespace by array type: asking array-api-compat costs a microsecond a call, a dictionary a tenth of it."""

_LIBRARIES = {"numpy": "numpy", "jax.numpy": "jax", "cupy": "cupy", "array_api_strict": "strict", "torch": "torch"}


@functools.cache
def numpy_namespace() -> ModuleType:
    """NumPy in the sense of the Python array API standard."""
    # late: it loads all of NumPy's lazy parts (f2py, testing), a sixth of what `import operax` may cost
    import array_api_compat.numpy

    return array_api_compat.numpy


def namespace_of(*arrays: Array) -> ModuleType:
    """The array namespace (in the sense of the Python array API standard) of `arrays`.

    A JAX array among NumPy arrays makes the answer JAX, because JAX takes NumPy operands and not the reverse.

    Raises
    ------
    TypeError
        If no argument is an array, or the arrays belong to libraries that do not mix.
    """
    if len(arrays) == 1:
        found = _NAMESPACES.get(type(arrays[0]))
        if found is not None:
            return found
    spaces = {_namespace_of_one(a) for a in arrays if is_array(a)}
    if not spaces:
        kinds = ", ".join(sorted({type(a).__name__ for a in arrays})) or "nothing"
        raise TypeError(f"expected an array of NumPy, CuPy or JAX, got {kinds}; convert it, e.g. with numpy.asarray")
    if len(spaces) > 1:
        spaces.discard(numpy_namespace())
    if len(spaces) > 1:
        names = ", ".join(sorted(s.__name__ for s in spaces))
        raise TypeError(f"arrays of several libraries meet here ({names}); move them to one, e.g. with Op.to('jax')")
    return spaces.pop()


def _namespace_of_one(x: Array) -> ModuleType:
    found = _NAMESPACES.get(type(x))
    if found is None:
        # a compiled closure or an ndarray subclass falls under the library of its base
        if isinstance(x, np.ndarray | np.generic):
            found = numpy_namespace()
        else:
            import array_api_compat

            found = array_api_compat.array_namespace(x)
        _NAMESPACES[type(x)] = found
    return found


@functools.cache
def library_name(xp: ModuleType) -> str:
    """Short name of a namespace: `numpy`, `jax`, `cupy` or `strict`."""
    name = xp.__name__.removeprefix("array_api_compat.")
    return _LIBRARIES.get(name, name.split(".")[0])


def library_of(x: Array) -> str:
    """Short name of the library that `x` belongs to."""
    return library_name(_namespace_of_one(x))


@functools.lru_cache(maxsize=1024)
def _is_array_type(kind: Any) -> bool:
    if issubclass(kind, np.ndarray | jax.Array):
        return True
    # NumPy scalars are values, not containers; torch tensors have their own bridge
    return hasattr(kind, "__array_namespace__") and not issubclass(kind, np.generic)


def is_array(x: object) -> bool:
    """Whether `x` is an array of a supported library (JAX tracers included)."""
    kind: Any = type(x)
    return _is_array_type(kind) or isinstance(x, jax.Array)


def is_tracer(x: object) -> bool:
    """Whether `x` stands for a value inside a JAX transformation."""
    return isinstance(x, jax.core.Tracer)


def as_numpy(x: Array) -> np.ndarray:
    """`x` as a NumPy array: a copy to the host where it lives on a device."""
    if isinstance(x, np.ndarray):
        return x
    if is_tracer(x):
        raise TypeError(
            "a value inside jax.jit, jax.grad or jax.vmap cannot become a NumPy array; "
            "use jax.numpy there, or move the conversion outside the transformed function"
        )
    if hasattr(x, "get") and library_of(x) == "cupy":
        return x.get()
    return np.asarray(x)


def as_jax(x: Array, device: Any = None) -> jax.Array:
    """`x` as a concrete JAX array, also when called while a function is being traced."""
    if is_tracer(x):
        return x
    if is_array(x) and library_of(x) == "cupy":
        x = jax.dlpack.from_dlpack(x)
    with jax.ensure_compile_time_eval():
        return jax.device_put(x, device) if device is not None else jax.numpy.asarray(x)


def as_library(x: Array, library: str, device: Any = None) -> Array:
    """`x` in the named library; `device` as that library understands it."""
    if library == "numpy":
        return as_numpy(x)
    if library == "jax":
        return as_jax(x, device)
    if library == "cupy":
        import cupy

        with cupy.cuda.Device(device):
            return cupy.asarray(as_numpy(x) if library_of(x) == "numpy" else x)
    if library == "strict":
        import array_api_strict

        return array_api_strict.asarray(as_numpy(x))
    raise ValueError(f"unknown array library {library!r}; known are 'numpy', 'jax' and 'cupy'")
