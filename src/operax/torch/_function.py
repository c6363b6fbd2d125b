"""`as_torch_function`: an operator or a JAX function that takes and gives tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import torch

from operax._arrays.dtypes import dtype_of
from operax._arrays.namespace import is_array
from operax._core.apply import apply_nd
from operax._core.operator import LinearOperator
from operax.interop._precision import is_wide
from operax.torch._autograd import apply, run_call
from operax.torch._call import Call


def as_torch_function(Op: Any) -> Any:
    r"""An operator, or a JAX function, as a function of PyTorch tensors.

    Parameters
    ----------
    Op : LinearOperator or callable
        An operator (anything that `operax.aslinearoperator` takes), or a JAX function of arrays.

    Returns
    -------
    TorchFunction or callable
        For an operator, ``f(x, **parameters)`` on tensors of shape ``(*batch, *dims)`` or ``(*batch, N)``, with
        ``f.adjoint(y, **parameters)`` and ``f.H``. Tensors given by keyword stand for arrays of the operator and get
        gradients; ``f.parameters()`` lists their names. For a JAX function, a function of tensors and nested lists,
        tuples and dicts of tensors; everything else in the arguments is static.

    Notes
    -----
    Tensors are handed to JAX by dlpack without a copy and results come back the same way; both stay on the device
    and in the precision that they have: 64-bit tensors are computed in 64 bits whatever JAX's own switch says.
    Reverse mode runs the adjoint, at any order; ``torch.func.grad``, ``jvp``, ``vmap``, ``hessian`` work, and under
    ``torch.compile`` the call is one custom operator without a graph break.

    Examples
    --------
    >>> import numpy as np, torch, operax
    >>> f = operax.torch.as_torch_function(operax.MatrixMult(np.array([[1.0, 2.0], [3.0, 4.0]])))
    >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> f(x).sum().backward()
    >>> x.grad
    tensor([4., 6.], dtype=torch.float64)
    >>> A = torch.eye(2, dtype=torch.float64, requires_grad=True)
    >>> f(torch.ones(2, dtype=torch.float64), A=A).sum().backward()
    >>> A.grad
    tensor([[1., 1.],
            [1., 1.]], dtype=torch.float64)
    """
    if isinstance(Op, LinearOperator):
        return TorchFunction(Op)
    if hasattr(Op, "shape") or not callable(Op):
        from operax.interop import aslinearoperator

        return TorchFunction(aslinearoperator(Op))
    return JaxFunction(Op)


class TorchFunction:
    """An operator as a function of tensors; made by `as_torch_function`."""

    def __init__(self, Op: LinearOperator, adjoint: bool = False) -> None:
        self.Op, self._side = Op, adjoint
        self.dims, self.dimsd = (Op.dimsd, Op.dims) if adjoint else (Op.dims, Op.dimsd)
        with_paths, self._treedef = jax.tree_util.tree_flatten_with_path(Op)
        self._names = [jax.tree_util.keystr(path).lstrip(".") for path, _ in with_paths]
        self._leaves = [leaf for _, leaf in with_paths]
        wide = Op._dtype is not None and is_wide(Op._dtype)
        self._wide = wide or any(is_array(leaf) and is_wide(dtype_of(leaf)) for leaf in self._leaves)
        self._calls: dict[tuple[bool, tuple[str, ...]], Call] = {}

    def parameters(self) -> dict[str, Any]:
        """The operator's arrays that can be given as tensors, by name."""
        return {n: v for n, v in zip(self._names, self._leaves) if is_array(v) and dtype_of(v).kind in "fcV"}

    @property
    def H(self) -> TorchFunction:
        """The adjoint, with the same parameters."""
        return TorchFunction(self.Op, not self._side)

    def __call__(self, x: torch.Tensor, **parameters: torch.Tensor) -> torch.Tensor:
        """Forward on `x` of shape ``(*batch, *dims)`` or ``(*batch, N)``, in the style of `x`."""
        return self._apply(self._side, x, parameters)

    def adjoint(self, y: torch.Tensor, **parameters: torch.Tensor) -> torch.Tensor:
        """Adjoint on `y` of shape ``(*batch, *dimsd)`` or ``(*batch, M)``, in the style of `y`."""
        return self._apply(not self._side, y, parameters)

    def _apply(self, side: bool, x: torch.Tensor, parameters: dict[str, torch.Tensor]) -> torch.Tensor:
        dims, dimsd = (self.dims, self.dimsd) if side == self._side else (self.dimsd, self.dims)
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{self!r} takes a torch.Tensor, got {type(x).__name__}; for other arrays use the operator")
        shape, n, size = tuple(x.shape), len(dims), math.prod(dims)
        flat = shape[-n:] != dims
        if flat:
            if not shape or shape[-1] != size:
                raise ValueError(f"{self!r} takes tensors of shape (*batch, {dims}) or (*batch, {size}), got {shape}")
            x = x.reshape(*shape[:-1], *dims)
        if parameters:
            self._check(parameters)
        if torch.compiler.is_compiling():
            y = run_call(_handle(self, side, tuple(parameters)), [x, *parameters.values()])[0]
        else:
            y = apply(self.call(side, tuple(parameters)), x, *parameters.values())[0]
        return y.reshape(*shape[:-1], math.prod(dimsd)) if flat else y

    def _check(self, parameters: dict[str, torch.Tensor]) -> None:
        for name, value in parameters.items():
            if name not in self._names:
                continue  # `call` says what there is
            expected = tuple(self._leaves[self._names.index(name)].shape)
            if not isinstance(value, torch.Tensor) or tuple(value.shape) != expected:
                got = f"shape {tuple(value.shape)}" if isinstance(value, torch.Tensor) else type(value).__name__
                raise ValueError(f"{name} of {self!r} must be a tensor of shape {expected}, got {got}")

    def call(self, side: bool, given: tuple[str, ...]) -> Call:
        """The flat function of the data and of the arrays `given` by name; one is kept for each set of names."""
        found = self._calls.get((side, given))
        if found is not None:
            return found
        known = self.parameters()
        unknown = [name for name in given if name not in known]
        if unknown:
            raise ValueError(
                f"{self!r} has no array named {', '.join(map(repr, unknown))}; its arrays of real or complex numbers "
                f"are {', '.join(map(repr, known)) or 'none'}"
            )
        at = [self._names.index(name) for name in given]
        rest = [i for i in range(len(self._leaves)) if i not in at]
        treedef = self._treedef

        def function(x: Any, *arrays: Any) -> tuple[Any, ...]:
            leaves = dict(zip([*at, *rest], arrays))
            op = jax.tree_util.tree_unflatten(treedef, [leaves[i] for i in range(len(leaves))])
            return (apply_nd(op.H if side else op, x),)

        bound = [self._leaves[i] for i in rest]
        call = self._calls[side, given] = Call(function, 1 + len(at), bound, linear=True, wide=self._wide)
        return call

    def __repr__(self) -> str:
        return f"<torch function of {self.Op!r}{'.H' if self._side else ''}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return TorchFunction, (self.Op, self._side)


@torch.compiler.assume_constant_result
def _handle(function: TorchFunction, side: bool, given: tuple[str, ...]) -> int:
    """The number of the call, found while compiling and not traced."""
    return function.call(side, given).handle


class JaxFunction:
    """A JAX function of arrays as a function of tensors; made by `as_torch_function`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._calls: dict[Any, tuple[Call, list[Any]]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's results as tensors, in the structure in which the function returns them."""
        leaves, treedef = jax.tree_util.tree_flatten((args, kwargs))
        at = tuple(i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor))
        static = tuple((i, leaf) for i, leaf in enumerate(leaves) if i not in at)
        key = (treedef, at, static)
        found = self._calls.get(key)
        if found is None:
            found = self._calls[key] = self._call(treedef, at, dict(static), len(leaves))
        call, structure = found
        outputs = apply(call, *[leaves[i] for i in at])
        return jax.tree_util.tree_unflatten(structure[-1], outputs)

    def _call(self, treedef: Any, at: tuple[int, ...], static: dict[int, Any], n: int) -> tuple[Call, list[Any]]:
        structure: list[Any] = []

        def function(*arrays: Any) -> tuple[Any, ...]:
            values = {**static, **dict(zip(at, arrays))}
            args, kwargs = jax.tree_util.tree_unflatten(treedef, [values[i] for i in range(n)])
            outputs, out = jax.tree_util.tree_flatten(self.function(*args, **kwargs))
            structure.append(out)
            return tuple(map(jax.numpy.asarray, outputs))

        return Call(function, len(at)), structure

    def __repr__(self) -> str:
        return f"<torch function of {getattr(self.function, '__name__', self.function)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return JaxFunction, (self.function,)
