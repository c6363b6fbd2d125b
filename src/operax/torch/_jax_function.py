"""`as_jax_function`: a PyTorch function on JAX arrays, with its exact derivatives in both modes."""

from __future__ import annotations

import contextlib
import functools
import logging
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from operax._arrays.dtypes import promote, real_dtype
from operax._core.operator import LinearOperator
from operax._core.primitive import bind
from operax.torch import _derivatives as derivatives
from operax.torch._tensors import numpy_dtype, torch_dtype

Types = tuple[tuple[tuple[int, ...], str], ...]
"""Shape and dtype of each of several arrays."""


def as_jax_function(function: Callable[..., Any], device: Any = "cpu") -> Callable[..., Any]:
    r"""A PyTorch function as a JAX function.

    Parameters
    ----------
    function : callable
        A function of tensors, or of nested lists, tuples and dicts of tensors, which returns such as well: a
        ``torch.nn.Module`` for instance. It must have no side effects that matter.
    device : str or torch.device, optional
        Where the function runs (default "cpu"); results come back to the host.

    Returns
    -------
    callable
        Takes JAX (or NumPy) arrays in place of tensors; everything else in the arguments is static. It works inside
        ``jax.jit`` and under ``jax.grad``, ``jax.vjp``, ``jax.jvp``, ``jax.hessian`` and ``jax.vmap``. On NumPy
        arrays alone it gives NumPy arrays.

    Notes
    -----
    The function runs on the host through :func:`jax.pure_callback`. Its derivative at :math:`\mathbf{x}` is a linear
    operator whose forward is torch's Jacobian-vector product and whose adjoint is torch's vector-Jacobian product,
    both exact, and both again functions of this kind, so that derivatives exist to any order. A batch is one call,
    vectorised by ``torch.func.vmap`` where torch can. Parameters of a module are constants here; to differentiate in
    them, make them arguments: ``as_jax_function(lambda p, x: torch.func.functional_call(module, p, (x,)))``.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, torch, operax.torch
    >>> f = operax.torch.as_jax_function(lambda x: torch.sin(x).sum())
    >>> jax.jit(jax.grad(f))(jnp.zeros(2))
    Array([1., 1.], dtype=float32)
    >>> jax.jvp(f, (jnp.zeros(2),), (jnp.array([1.0, 2.0]),))[1]
    Array(3., dtype=float32)
    """
    if not callable(function):
        raise TypeError(f"as_jax_function takes a function of tensors, got {type(function).__name__}")
    made: dict[Any, _Code] = {}
    target = torch.device(device)

    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, treedef = jax.tree_util.tree_flatten((args, kwargs))
        at = tuple(i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array | np.ndarray))
        static = tuple((i, leaf) for i, leaf in enumerate(leaves) if i not in at)
        key = (treedef, at, static)
        code = made.get(key)
        if code is None:
            code = made[key] = _Code(_flattened(function, treedef, at, static), target)
        arrays = [leaves[i] for i in at]
        if not any(isinstance(a, jax.Array) for a in arrays):
            outputs, structure = code.on_host(arrays), code.structure
        else:
            code.types(_types(arrays))  # the structure of the outputs is known after that
            outputs, structure = code.jax(*arrays), code.structure
        return jax.tree_util.tree_unflatten(structure, outputs)

    functools.update_wrapper(call, function, updated=())
    if not hasattr(function, "__name__"):
        call.__name__ = type(function).__name__
    return call


def _flattened(function: Callable[..., Any], treedef: Any, at: Sequence[int], static: Any) -> Any:
    def flat(*tensors: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], Any]:
        values = {**dict(static), **dict(zip(at, tensors))}
        args, kwargs = jax.tree_util.tree_unflatten(treedef, [values[i] for i in range(len(values))])
        outputs, structure = jax.tree_util.tree_flatten(function(*args, **kwargs))
        wrong = [type(o).__name__ for o in outputs if not isinstance(o, torch.Tensor)]
        if wrong:
            raise TypeError(f"the torch function must return tensors, got {', '.join(wrong)}")
        return tuple(outputs), structure

    return flat


class _Code:
    """A flat torch function, and the same as a JAX function.

    `function` gives a tuple of tensors and the structure of the outputs; derivatives know their output types
    beforehand (`known`).
    """

    def __init__(self, function: Any, device: torch.device, known: Callable[[Types], Types] | None = None) -> None:
        self._function, self.device, self._known = function, device, known
        self.structure: Any = None
        self._outputs: dict[Types, Types] = {}
        self._derived: dict[Any, _Code] = {}
        self.jax = jax.custom_jvp(self._call)
        self.jax.defjvp(self._rule, symbolic_zeros=True)

    def function(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The function, whose structure of outputs is kept."""
        if self._known is None:
            # the user's function may write into its arguments: they are JAX's buffers, and used again by derivatives
            tensors = tuple(t.clone() for t in tensors)
        outputs, self.structure = self._function(*tensors)
        return outputs

    # ---- on the host

    def on_host(self, arrays: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Run once."""
        outputs = self.function(*[_tensor(a, self.device) for a in arrays])
        return tuple(map(_array, outputs))

    def on_host_batched(self, ranks: Sequence[int], types: Types, *arrays: Any) -> tuple[np.ndarray, ...]:
        """Run with leading batch axes, of the full size or of size one, as a callback under ``vmap`` gets them."""
        batch = np.broadcast_shapes(*[a.shape[: a.ndim - n] for a, n in zip(arrays, ranks)])
        tensors, axes = [], []
        for a, n in zip(arrays, ranks):
            tensor = _tensor(a, self.device)
            shared = all(s == 1 for s in a.shape[: a.ndim - n])
            core = a.shape[a.ndim - n :]
            tensors.append(tensor.reshape(core) if shared else tensor.expand((*batch, *core)).reshape((-1, *core)))
            axes.append(None if shared else 0)
        many = any(axis is not None for axis in axes)
        if many and 0 in batch:
            return tuple(np.zeros((*batch, *shape), dtype) for shape, dtype in types)
        outputs = derivatives.batched(self.function, tensors, axes) if many else self.function(*tensors)
        found = []
        for output, (shape, dtype) in zip(outputs, types):
            if not many:
                output = output.expand((*batch, *output.shape))
            found.append(_array(output).reshape((*batch, *shape)).astype(dtype, copy=False))
        return tuple(found)

    def types(self, inputs: Types) -> Types:
        """Shapes and dtypes of the outputs, in torch's own precision."""
        found = self._outputs.get(inputs)
        if found is None:
            found = self._known(inputs) if self._known is not None else self._infer(inputs)
            self._outputs[inputs] = found
        return found

    def _infer(self, inputs: Types) -> Types:
        from torch._subclasses.fake_tensor import FakeTensorMode

        def run() -> tuple[torch.Tensor, ...]:
            empty = [torch.zeros(shape, dtype=torch_dtype(dtype), device=self.device) for shape, dtype in inputs]
            return self.function(*empty)

        try:
            with _silent("torch._subclasses.fake_tensor"), FakeTensorMode(allow_non_fake_inputs=True):
                outputs = run()
                return tuple((tuple(map(int, o.shape)), str(numpy_dtype(o.dtype))) for o in outputs)
        except Exception:
            # values decide what is done, or an operation has no abstract form: run on zeros, which raises real errors
            outputs = run()
        return tuple((tuple(o.shape), str(numpy_dtype(o.dtype))) for o in outputs)

    # ---- in JAX

    def _call(self, *arrays: Any) -> tuple[Any, ...]:
        types = tuple((shape, str(_held(dtype))) for shape, dtype in self.types(_types(arrays)))
        ranks = tuple(a.ndim for a in arrays)
        host = functools.partial(self.on_host_batched, ranks, types)
        structs = tuple(jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in types)
        return tuple(jax.pure_callback(host, structs, *arrays, vmap_method="expand_dims"))

    def _rule(self, primals: Any, tangents: Any) -> tuple[Any, Any]:
        outputs = self.jax(*primals)
        inexact = lambda a: jnp.issubdtype(a.dtype, jnp.inexact)
        zero = jax.custom_derivatives.SymbolicZero
        active = tuple(i for i, (p, t) in enumerate(zip(primals, tangents)) if inexact(p) and not isinstance(t, zero))
        moved = tuple(o for o, y in enumerate(outputs) if inexact(y))
        result = [np.zeros(y.shape, jax.dtypes.float0) if not inexact(y) else jnp.zeros_like(y) for y in outputs]
        if active and moved:
            op = _Tangent(self, active, tuple(primals), _types(outputs), moved)
            dy = bind(op, _joined([tangents[i] for i in active], op.real))
            for o, part in zip(moved, _parted(dy, [outputs[o] for o in moved])):
                result[o] = part
        return outputs, tuple(result)

    # ---- derivatives, as functions of one real vector and the primals

    def tangent(self, active: tuple[int, ...], moved: tuple[int, ...], real: str, size: int) -> _Code:
        """``(tangents joined, *primals) -> tangents of the outputs `moved` joined``."""

        def function(vector: torch.Tensor, *primals: torch.Tensor) -> Any:
            like = [(tuple(primals[i].shape), primals[i].dtype) for i in active]
            found = derivatives.push(self.function, primals, active, derivatives.parted(vector, like))
            return (derivatives.joined([found[o] for o in moved], torch_dtype(real)),), None

        return self._derive("tangent", function, active, moved, real, size)

    def cotangent(self, active: tuple[int, ...], moved: tuple[int, ...], real: str, size: int, out: Types) -> _Code:
        """``(cotangents of the outputs `moved` joined, *primals) -> cotangents joined``."""

        def function(vector: torch.Tensor, *primals: torch.Tensor) -> Any:
            like = [(out[o][0], torch_dtype(out[o][1])) for o in moved]
            parts = dict(zip(moved, derivatives.parted(vector, like)))
            given = [
                parts[o] if o in parts else torch.zeros(shape, dtype=torch_dtype(dtype), device=vector.device)
                for o, (shape, dtype) in enumerate(out)
            ]
            found = derivatives.pull(self.function, primals, active, given)
            return (derivatives.joined(found, torch_dtype(real)),), None

        return self._derive("cotangent", function, active, moved, real, size, out)

    def _derive(self, kind: str, function: Any, active: Any, moved: Any, real: str, size: int, *more: Any) -> _Code:
        key = (kind, active, moved, real, size, *more)
        found = self._derived.get(key)
        if found is None:
            found = self._derived[key] = _Code(function, self.device, lambda _: (((size,), real),))
        return found


class _Tangent(LinearOperator):
    """The derivative of a torch function at `primals`: real vectors to real vectors, complex numbers being pairs."""

    def __init__(self, code: _Code, active: tuple[int, ...], primals: Any, out: Types, moved: tuple[int, ...]) -> None:
        inputs = [_types(primals)[i] for i in active]
        outputs = [out[o] for o in moved]
        super().__init__(dims=_length(inputs), dimsd=_length(outputs))
        self.code, self.active, self.out, self.moved = code, active, out, moved
        self.real = str(functools.reduce(promote, [real_dtype(dtype) for _, dtype in inputs + outputs]))
        self.primals = primals

    def _forward(self, x: Any) -> Any:
        code = self.code.tangent(self.active, self.moved, self.real, self.shape[0])
        return self._along(code, x)

    def _adjoint(self, y: Any) -> Any:
        # torch's own precision of the outputs, which JAX may have narrowed
        out = tuple((s, d) for (s, d) in self.code.types(_types(self.primals)))
        code = self.code.cotangent(self.active, self.moved, self.real, self.shape[1], out)
        return self._along(code, y)

    def _along(self, code: _Code, x: Any) -> Any:
        """The function along all leading axes of `x`."""
        run: Any = lambda v: code.jax(v, *self.primals)[0]
        for _ in range(x.ndim - 1):
            run = jax.vmap(run)
        return run(x.astype(self.real))


@contextlib.contextmanager
def _silent(name: str) -> Iterator[None]:
    """Without messages of a logger: what fails is tried again in another way."""
    logger = logging.getLogger(name)
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _types(arrays: Sequence[Any]) -> Types:
    return tuple((tuple(a.shape), str(a.dtype)) for a in arrays)


def _length(types: Sequence[Any]) -> int:
    return sum(math.prod(shape) * (2 if np.dtype(dtype).kind == "c" else 1) for shape, dtype in types)


def _held(dtype: str) -> Any:
    """The dtype in which JAX holds results of this dtype, with a word where that loses precision."""
    held = jax.dtypes.canonicalize_dtype(dtype)
    if held != np.dtype(dtype) and np.dtype(dtype).kind in "fc":
        warnings.warn(
            f"the torch function gives {dtype}, which JAX holds as {held} while its 64-bit mode is off; "
            'set jax.config.update("jax_enable_x64", True), or convert in the function',
            UserWarning,
            stacklevel=2,
        )
    return held


def _joined(arrays: Sequence[Any], dtype: str) -> Any:
    """Arrays as one real vector: complex numbers as pairs."""
    parts = [jnp.stack([a.real, a.imag], -1) if jnp.iscomplexobj(a) else a for a in arrays]
    return jnp.concatenate([jnp.reshape(part, -1).astype(dtype) for part in parts])


def _parted(vector: Any, like: Sequence[Any]) -> list[Any]:
    """The arrays of which the vector was joined."""
    found, start = [], 0
    for a in like:
        pair = (2,) if jnp.iscomplexobj(a) else ()
        stop = start + math.prod((*a.shape, *pair))
        part = jnp.reshape(vector[start:stop], (*a.shape, *pair))
        found.append((jax.lax.complex(part[..., 0], part[..., 1]) if pair else part).astype(a.dtype))
        start = stop
    return found


def _tensor(array: Any, device: torch.device) -> torch.Tensor:
    if isinstance(array, jax.Array):
        return torch.utils.dlpack.from_dlpack(array).to(device)
    return torch.from_numpy(array if array.flags.writeable else np.array(array)).to(device)


def _array(tensor: torch.Tensor) -> np.ndarray:
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype is torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(jnp.bfloat16)
    return tensor.numpy(force=True)
