"""`as_torch_op`: a PyTorch function as a PyTensor Op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from operax.pytensor import _rewrites, _vectorize, dispatch_jax, dispatch_mlx, dispatch_numba, dispatch_torch  # noqa: F401
from operax.pytensor._call import wrap
from operax.pytensor._declared import declare

__all__ = ["as_torch_op"]


def as_torch_op(
    func: Callable[..., Any] | None = None,
    *,
    itypes: Sequence[Any] | None = None,
    otypes: Sequence[Any] | None = None,
    infer_shape: Callable[[Any, Any, Any], Any] | None = None,
    name: str | None = None,
    allow_eval: bool = True,
) -> Callable[..., Any]:
    """Let a PyTorch function take PyTensor variables.

    The counterpart of `as_jax_op`, with the same call forms and rules: nested arguments and results, static values
    beside variables, inferred types and sizes, reverse and forward mode, batches by `torch.vmap`. It runs natively in
    PyTensor's PyTorch mode, and through a callback with derivatives of its own in JAX mode.

    Parameters
    ----------
    func : callable, optional
        A PyTorch function or module. Without it, a decorator is returned. It must be pure, and built of operations that
        `torch.autograd` and, for batches and forward mode, `torch.func` know.
    itypes, otypes : sequence of pytensor.tensor.TensorType, optional
        Types of the inputs and outputs, for a function whose outputs cannot be inferred.
    infer_shape : callable, optional
        ``infer_shape(fgraph, node, shapes)`` gives the shape of each output; with `otypes` only.
    name : str, optional
        Shown in graphs and messages. Default: the function's own name.
    allow_eval : bool
        Whether shapes that cannot be inferred otherwise may be found by evaluating the graph above the inputs.

    Returns
    -------
    callable
        Takes what the function takes, and returns what it returns, with PyTensor variables in place of tensors.

    Notes
    -----
    A module is told apart by the object it is, and its weights are constants: to infer or train them, pass them as
    arguments with `torch.func.functional_call`.

    Examples
    --------
    >>> import pytensor
    >>> import pytensor.tensor as pt
    >>> import torch
    >>> from operax.pytensor import as_torch_op
    >>> @as_torch_op
    ... def energy(x, scale):
    ...     return scale * torch.sum(x**2)
    >>> x = pt.dvector("x")
    >>> y = energy(x, 0.5)
    >>> f = pytensor.function([x], [y, pytensor.grad(y, x)])
    >>> [r.tolist() for r in f([1.0, -2.0])]
    [2.5, [1.0, -2.0]]
    """
    try:
        from operax.pytensor._engine_torch import ENGINE
    except ImportError as error:
        raise ImportError("as_torch_op needs PyTorch: pip install torch") from error
    declared = declare(itypes, otypes, infer_shape)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return wrap(function, ENGINE, name, allow_eval, declared)

    return decorate if func is None else decorate(func)
