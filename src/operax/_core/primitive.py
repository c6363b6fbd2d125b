"""The one JAX primitive: how an operator behaves under JAX's transformations.

Operands are the data and the operator's leaves, the only parameter is the operator's tree structure. From that and the
two functions that an operator has (forward and adjoint) come

- jvp: the primitive applied to the tangent of the data (the map is linear), plus the derivative of the forward code
  with respect to the leaves where they have tangents;
- transpose: the primitive of `op.H`, so reverse mode runs the hand-written adjoint at any order. JAX pairs cotangents
  bilinearly, so with ``<u, v> = sum(conj(u) v)`` the transpose is ``conj(A.H conj(ct))``, its real part where the
  operand is real;
- batching: operators carry leading axes through, so batched data need nothing; batched leaves become a `Batched`
  operator, which is again an operator with a hand-written adjoint;
- lowering: the forward code itself.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from operax._core.explicit import explicit_mesh, run_explicit

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator

apply_linear_operator_p = Primitive("apply_linear_operator")


def bind(op: LinearOperator, x: Any) -> Any:
    """Apply the forward of `op` to `x` of shape ``(*batch, *op.dims)`` through the primitive."""
    from operax._core.backend import jax_leaves

    leaves, treedef = jax_leaves(op)
    return apply_linear_operator_p.bind(jnp.asarray(x), *leaves, treedef=treedef)


def _forward(x: Any, *leaves: Any, treedef: Any) -> Any:
    op = jax.tree_util.tree_unflatten(treedef, leaves)
    mesh = explicit_mesh((x, *leaves))
    return traced(op, x) if mesh is None else run_explicit(op, x, mesh)


def traced(op: LinearOperator, x: Any) -> Any:
    """The forward of `op` on an array of JAX, with a word on methods that only NumPy can run."""
    try:
        return op._run(x)
    except jax.errors.TracerArrayConversionError as error:
        raise TypeError(
            f"{op._label()} calls a function of NumPy on an array of JAX: write its methods with functions of the "
            "array's own namespace (array_api_compat.array_namespace(x)), or wrap functions that must run on the host "
            "with operax.aslinearoperator((forward, adjoint), dims=..., dimsd=...)"
        ) from error


@functools.lru_cache(maxsize=4096)
def compiled(treedef: Any) -> Any:
    """The jitted forward of all operators of one structure: ``compiled(treedef)(x, *leaves)``."""

    def apply_linear_operator(x: Any, *leaves: Any) -> Any:
        return _forward(x, *leaves, treedef=treedef)

    return jax.jit(apply_linear_operator)


@apply_linear_operator_p.def_impl
def _impl(x: Any, *leaves: Any, treedef: Any) -> Any:
    return compiled(treedef)(x, *leaves)


@functools.lru_cache(maxsize=4096)
def _out_aval(avals: tuple[Any, ...], treedef: Any, context: Any) -> Any:
    # make_jaxpr and not eval_shape: it also tells the sharding of the result where meshes are explicit
    return jax.make_jaxpr(functools.partial(_forward, treedef=treedef))(*avals).out_avals[0]


@apply_linear_operator_p.def_abstract_eval
def _abstract(*avals: Any, treedef: Any) -> Any:
    # what a trace looks like depends on the 64-bit switch, the default precision and the mesh in force
    config: Any = jax.config
    context = (config.jax_enable_x64, config.jax_default_matmul_precision, jax.sharding.get_abstract_mesh())
    return _out_aval(avals, treedef, context)


mlir.register_lowering(apply_linear_operator_p, mlir.lower_fun(_forward, multiple_results=False))


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, treedef: Any) -> tuple[Any, Any]:
    x, *leaves = primals
    dx, *dleaves = tangents
    y = apply_linear_operator_p.bind(x, *leaves, treedef=treedef)
    parts = []
    if not _is_zero(dx):
        parts.append(apply_linear_operator_p.bind(dx, *leaves, treedef=treedef))
    active = [i for i, d in enumerate(dleaves) if not _is_zero(d)]
    if active:

        def of_leaves(*values: Any) -> Any:
            replaced = list(leaves)
            for i, v in zip(active, values):
                replaced[i] = v
            return _forward(x, *replaced, treedef=treedef)

        _, tangent = jax.jvp(of_leaves, [leaves[i] for i in active], [dleaves[i] for i in active])
        parts.append(tangent)
    if not parts:
        zero: Any = ad.Zero
        return y, zero.from_primal_value(y)
    return y, functools.reduce(ad.add_tangents, parts)


def _is_zero(tangent: Any) -> bool:
    return type(tangent) is ad.Zero or tangent.dtype == jax.dtypes.float0


ad.primitive_jvps[apply_linear_operator_p] = _jvp


def _transpose(ct: Any, x: Any, *leaves: Any, treedef: Any) -> tuple[Any, ...]:
    unknown = [i for i, leaf in enumerate(leaves) if ad.is_undefined_primal(leaf)]
    if not ad.is_undefined_primal(x):
        return (None, *_transpose_leaves(ct, x, leaves, unknown, treedef))
    if unknown:
        raise TypeError(
            "jax.linear_transpose with respect to the data and a parameter of an operator at once: "
            "the map is bilinear in them; transpose in one of them at a time"
        )
    if type(ct) is ad.Zero:
        return (ad.Zero(x.aval), *([None] * len(leaves)))
    op = jax.tree_util.tree_unflatten(treedef, leaves)
    model = jnp.conj(bind(op.H, jnp.conj(ct)))
    if not jnp.issubdtype(x.aval.dtype, jnp.complexfloating):
        model = jnp.real(model)
    return (model.astype(x.aval.dtype), *([None] * len(leaves)))


def _transpose_leaves(ct: Any, x: Any, leaves: Sequence[Any], unknown: list[int], treedef: Any) -> list[Any]:
    result: list[Any] = [None] * len(leaves)
    avals = [leaves[i].aval for i in unknown]
    if type(ct) is ad.Zero:
        cts: Sequence[Any] = [ad.Zero(a) for a in avals]
    else:

        def of_leaves(*values: Any) -> Any:
            replaced = list(leaves)
            for i, v in zip(unknown, values):
                replaced[i] = v
            return _forward(x, *replaced, treedef=treedef)

        cts = jax.linear_transpose(of_leaves, *[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals])(ct)
    for i, c in zip(unknown, cts):
        result[i] = c
    return result


ad.primitive_transposes[apply_linear_operator_p] = _transpose


def _batch(args: Sequence[Any], axes: Sequence[Any], *, treedef: Any) -> tuple[Any, int]:
    from operax._core.batched import Batched

    x, *leaves = args
    x_axis, *leaf_axes = axes
    if x_axis is not None:
        x = jnp.moveaxis(x, x_axis, 0)
    if all(axis is None for axis in leaf_axes):
        return apply_linear_operator_p.bind(x, *leaves, treedef=treedef), 0
    size = next(leaf.shape[axis] for leaf, axis in zip(leaves, leaf_axes) if axis is not None)
    op = jax.tree_util.tree_unflatten(treedef, leaves)
    # data that came with batch axes of their own keep them before the operator axis of Batched
    own = x.ndim - (x_axis is not None) - len(op.dims)
    x = jnp.moveaxis(x, 0, own) if x_axis is not None else jnp.expand_dims(x, own)
    x = jnp.broadcast_to(x, (*x.shape[:own], size, *x.shape[own + 1 :]))
    return bind(Batched(op, tuple(leaf_axes), size), x), own


batching.primitive_batchers[apply_linear_operator_p] = _batch
