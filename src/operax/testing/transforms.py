"""The operator under JAX's transformations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from operax._arrays.dtypes import dtype_of
from operax._arrays.namespace import is_array
from operax._core.operator import LinearOperator
from operax.testing._samples import close, model_dtype, precision, sample_data, sample_model


def check_jit(op: LinearOperator) -> None:
    """Inside `jax.jit`, as an argument and closed over, the operator gives what it gives on NumPy."""
    with precision(op):
        x, y = sample_model(op), sample_data(op)

        def both(a: LinearOperator, x: Any, y: Any) -> Any:
            return a @ x, a.H @ y

        forward, adjoint = jax.jit(both)(op, jnp.asarray(x), jnp.asarray(y))
        close(forward, op @ x, op, "forward inside jit")
        close(adjoint, op.H @ y, op, "adjoint inside jit")
        close(jax.jit(lambda v: op @ v)(jnp.asarray(x)), op @ x, op, "forward closed over by jit")


def check_vmap(op: LinearOperator) -> None:
    """`jax.vmap` over inputs, and over operators, equals a loop."""
    with precision(op):
        xs, ys = sample_model(op, 2, (3,)), sample_data(op, 3, (3,))
        each = np.stack([np.reshape(op @ v, op.dimsd) for v in xs])
        back = np.stack([np.reshape(op.H @ v, op.dims) for v in ys])
        close(jax.vmap(lambda v: op @ v)(jnp.asarray(xs)).reshape(each.shape), each, op, "vmap")
        last = jax.vmap(lambda v: op @ v, in_axes=-1)(jnp.moveaxis(jnp.asarray(xs), 0, -1))
        close(last.reshape(each.shape), each, op, "vmap over the last axis")
        many = jax.tree_util.tree_map(lambda leaf: jnp.stack([jnp.asarray(leaf)] * 3), op)
        if not jax.tree_util.tree_leaves(many):
            return

        def both(a: LinearOperator, x: Any, y: Any) -> Any:
            return a @ x, a.H @ y

        forward, adjoint = jax.vmap(both)(many, jnp.asarray(xs), jnp.asarray(ys))
        close(forward.reshape(each.shape), each, op, "forward under vmap over operators")
        close(adjoint.reshape(back.shape), back, op, "adjoint under vmap over operators")


def check_vjp(op: LinearOperator) -> None:
    """Reverse mode equals the adjoint, and runs it: the gradient's program holds the primitive of ``Op.H``."""
    with precision(op):
        x, ct = jnp.asarray(sample_model(op)), jnp.asarray(sample_data(op, 4))
        y, pull = jax.vjp(lambda v: op @ v, x)
        ct = ct.astype(y.dtype).reshape(y.shape)
        (got,) = pull(ct)
        expected = np.conj(op.H @ np.conj(np.asarray(ct)))
        if model_dtype(op).kind != "c":
            expected = np.real(expected)
        close(got, np.reshape(expected, op.dims), op, "vjp")
        program = str(jax.make_jaxpr(lambda v: jax.vjp(lambda u: op @ u, v)[1](ct))(x))
        if program.count("apply_linear_operator") < 1:
            raise AssertionError(f"the gradient of {op._label()} does not run its adjoint:\n{program}")


def check_jvp(op: LinearOperator) -> None:
    """Forward mode equals the operator on the tangent, alone and through reverse mode."""
    with precision(op):
        x, dx = sample_model(op), sample_model(op, 5)
        y, dy = jax.jvp(lambda v: op @ v, (jnp.asarray(x),), (jnp.asarray(dx),))
        close(y, op @ x, op, "primal of jvp")
        close(dy, op @ dx, op, "jvp")


def check_hessian(op: LinearOperator) -> None:
    """The Hessian of ``|A x|^2 / 2`` along a direction is ``A.H A``, forward over reverse and reverse over forward."""
    with precision(op):
        x, v = jnp.asarray(sample_model(op)), jnp.asarray(sample_model(op, 6))

        def loss(u: Any) -> Any:
            return 0.5 * jnp.sum(jnp.abs(op @ u) ** 2)

        def quadratic(u: Any) -> Any:
            r = op @ u
            return 0.5 * jnp.sum(jnp.real(r) ** 2 + jnp.imag(r) ** 2)

        expected = np.reshape(op.H @ (op @ np.asarray(v)), op.dims)
        if model_dtype(op).kind != "c":
            expected = np.real(expected)
        gradient = jax.grad(quadratic)
        _, forward_over_reverse = jax.jvp(gradient, (x,), (v,))
        close(jnp.conj(forward_over_reverse), expected, op, "Hessian, forward over reverse")

        def slope(u: Any) -> Any:
            return jax.jvp(quadratic, (u,), (v,))[1]

        close(jnp.conj(jax.grad(slope)(x)), expected, op, "Hessian, reverse over forward")


def check_parameters(op: LinearOperator) -> None:
    """The gradient in the operator's floating leaves equals finite differences along a random direction."""
    leaves, treedef = jax.tree_util.tree_flatten(op)
    active = [i for i, leaf in enumerate(leaves) if is_array(leaf) and dtype_of(leaf).kind in "fc" and leaf.size]
    if not active or dtype_of(leaves[active[0]]).name not in ("float64", "complex128"):
        return  # nothing to differentiate, or finite differences too coarse to tell
    with precision(op):
        x, ct = sample_model(op), sample_data(op, 7)
        rng = np.random.default_rng(8)
        values = [np.asarray(leaves[i]) for i in active]
        direction = [
            rng.standard_normal(v.shape) + (1j * rng.standard_normal(v.shape) if v.dtype.kind == "c" else 0)
            for v in values
        ]

        def pairing(parameters: list[Any], library: Any) -> Any:
            replaced = list(leaves)
            for i, value in zip(active, parameters):
                replaced[i] = value
            y = jax.tree_util.tree_unflatten(treedef, replaced) @ library.asarray(x)
            return library.sum(library.real(library.conj(library.asarray(ct).reshape(y.shape)) * y))

        gradient = jax.jit(jax.grad(lambda p: pairing(p, jnp)))([jnp.asarray(v) for v in values])
        got = sum(float(np.sum(np.real(np.asarray(g) * d))) for g, d in zip(gradient, direction))
        step = 1e-6
        plus = pairing([v + step * d for v, d in zip(values, direction)], np)
        minus = pairing([v - step * d for v, d in zip(values, direction)], np)
        expected = float(plus - minus) / (2 * step)
        size = max(abs(expected), float(np.sum(np.abs(ct))) * 1e-3, 1e-12)
        if not abs(got - expected) <= 1e-5 * size:
            raise AssertionError(f"gradient in the parameters of {op._label()}: {got:.8g}, differences {expected:.8g}")
