"""`as_jax_op`: a JAX function as a PyTensor Op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from operax.pytensor import _rewrites, _vectorize, dispatch_jax, dispatch_mlx, dispatch_numba, dispatch_torch  # noqa: F401
from operax.pytensor._call import wrap
from operax.pytensor._declared import declare
from operax.pytensor._engine_jax import ENGINE

__all__ = ["as_jax_op"]


def as_jax_op(
    func: Callable[..., Any] | None = None,
    *,
    itypes: Sequence[Any] | None = None,
    otypes: Sequence[Any] | None = None,
    infer_shape: Callable[[Any, Any, Any], Any] | None = None,
    name: str | None = None,
    allow_eval: bool = True,
) -> Callable[..., Any]:
    """Let a JAX function take PyTensor variables.

    The function may take and return any nesting of tuples, lists, dictionaries and registered classes. PyTensor
    variables may sit anywhere in its arguments; everything beside them is static, as for `jax.jit`, and belongs to the
    identity of the Op: equal calls merge, different ones never do. Types, shapes and gradients are inferred.

    Called on plain arrays, or inside another JAX function, it is the function itself.

    Parameters
    ----------
    func : callable, optional
        A JAX function, a jitted one, a method, a `functools.partial`, an equinox or flax module. Without it, a
        decorator is returned. It must be pure: its result may depend on its arguments only.
    itypes, otypes : sequence of pytensor.tensor.TensorType, optional
        Types of the inputs and outputs, for a function whose outputs cannot be inferred. Its arguments are then one
        array for each input type.
    infer_shape : callable, optional
        ``infer_shape(fgraph, node, shapes)`` gives the shape of each output; with `otypes` only.
    name : str, optional
        Shown in graphs and messages. Default: the function's own name.
    allow_eval : bool
        Whether shapes that cannot be inferred otherwise may be found by evaluating the graph above the inputs.

    Returns
    -------
    callable
        Takes what the function takes, and returns what it returns, with PyTensor variables in place of arrays.

    Notes
    -----
    A graph computes in 64 bits when ``pytensor.config.floatX`` is "float64" or an input has 64 bits, whatever JAX's
    ``jax_enable_x64`` says; the switch is left as found. Gradients with respect to integers and booleans are
    disconnected, those with respect to inputs that the function ignores are zero.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> import pytensor
    >>> import pytensor.tensor as pt
    >>> from operax.pytensor import as_jax_op
    >>> @as_jax_op
    ... def misfit(x, params, *, order=2):
    ...     return jnp.sum(params["w"] * jnp.abs(x) ** order)
    >>> x, w = pt.dvector("x"), pt.dscalar("w")
    >>> y = misfit(x, {"w": w}, order=2)
    >>> f = pytensor.function([x, w], [y, pytensor.grad(y, x)])
    >>> [r.tolist() for r in f([1.0, -2.0], 3.0)]
    [15.0, [6.0, -12.0]]
    """
    declared = declare(itypes, otypes, infer_shape)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return wrap(function, ENGINE, name, allow_eval, declared)

    return decorate if func is None else decorate(func)
