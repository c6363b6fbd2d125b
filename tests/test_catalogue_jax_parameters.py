"""Operators built of JAX arrays, also of traced ones, are those built of NumPy arrays. Every row of the catalogue."""

import contextlib
import inspect
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np

import operax

CLASSES = [
    value
    for package in (operax.basicoperators, operax.signalprocessing)
    for name in package.__all__
    if inspect.isclass(value := getattr(package, name))
]


def _mapped(value, convert):
    """`value` with each array of floating or complex numbers converted, also in lists."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return convert(value)
    if type(value) in (list, tuple) and any(isinstance(item, np.ndarray) for item in value):
        return type(value)(_mapped(item, convert) for item in value)
    return value


def _build(configuration, convert):
    """The operator of a configuration, its constructors called with converted arrays."""
    row, dtype = configuration
    inside = []

    def patched(original):
        def __init__(self, *args, **kwargs):
            if not inside:  # what a constructor passes on is its own affair
                args = [_mapped(value, convert) for value in args]
                kwargs = {name: _mapped(value, convert) for name, value in kwargs.items()}
            inside.append(self)
            try:
                original(self, *args, **kwargs)
            finally:
                inside.pop()

        return __init__

    with contextlib.ExitStack() as stack:
        for cls in CLASSES:
            stack.enter_context(mock.patch.object(cls, "__init__", patched(cls.__init__)))
        return row.build(dtype)


def _samples(op):
    rng = np.random.default_rng(0)
    return jnp.asarray(rng.normal(size=op.dims)), jnp.asarray(rng.normal(size=op.dimsd))


def test_built_of_jax_arrays(configuration, op):
    seen = []
    other = _build(configuration, lambda array: seen.append(array) or jnp.asarray(array))
    x, y = _samples(op)
    tolerance = 1e-10 if configuration[1] in ("float64", "complex128") else 1e-4
    for move in (np.asarray, jnp.asarray):
        np.testing.assert_allclose(other @ move(x), op @ x, atol=tolerance)
        np.testing.assert_allclose(other.H @ move(y), op.H @ y, atol=tolerance)


def test_built_inside_jit(configuration, op):
    arrays = []
    _build(configuration, lambda array: arrays.append(array) or array)
    if not arrays:
        return  # nothing that could be traced
    x, _ = _samples(op)

    @jax.jit
    def apply(x, arrays):
        rest = iter(arrays)
        return _build(configuration, lambda array: next(rest)) @ x

    try:
        found = apply(x, [jnp.asarray(array) for array in arrays])
    except TypeError as error:  # geometry that positions are made of when the operator is built
        assert "outside of jax.jit" in str(error) or "outside the transformed function" in str(error)
        assert any(name in configuration[0].name for name in ("Radon", "Spread")), error
        return
    tolerance = 1e-9 if configuration[1] in ("float64", "complex128") else 1e-4
    np.testing.assert_allclose(found, op @ x, atol=tolerance)
