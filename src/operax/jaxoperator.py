"""An operator moved to JAX once and for all."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from operax._arrays.dtypes import dtype_of, promote
from operax._arrays.namespace import Array, as_jax
from operax._core.apply import apply_nd
from operax._core.backend import jax_leaves, move
from operax._core.operator import LinearOperator
from operax._core.primitive import bind

__all__ = ["JaxOperator"]


class JaxOperator(LinearOperator):
    r"""An operator with all its arrays on JAX, which gives JAX arrays.

    Every operator runs on JAX arrays as it is; this one moves arrays that were built with NumPy at once instead of at
    the first use, takes NumPy inputs to JAX as well, and has the adjoint by automatic differentiation.

    Parameters
    ----------
    Op : LinearOperator
        Operator to move; anything that `aslinearoperator` takes is accepted.
    device : jax.Device or jax.sharding.Sharding, optional
        Where to move its arrays; by default JAX's default device.

    Attributes
    ----------
    Op : LinearOperator
        The operator with JAX arrays.

    Notes
    -----
    Forward and adjoint are compiled once for each shape and dtype of input. ``jax.grad``, ``jax.jvp``, ``jax.vjp``,
    ``jax.vmap`` and ``jax.jit`` take the operator as a function and as an argument (it is a pytree).

    Examples
    --------
    >>> import numpy as np, jax, jax.numpy as jnp, operax
    >>> Op = operax.JaxOperator(operax.MatrixMult(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float32")))
    >>> Op @ jnp.ones(2)
    Array([ 3.,  7., 11.], dtype=float32)
    >>> jax.vmap(Op._matvec)(jnp.ones((4, 2))).shape
    (4, 3)
    >>> Op.rmatvecad(jnp.ones(2), jnp.ones(3))
    Array([ 9., 12.], dtype=float32)
    """

    def __init__(self, Op: Any, device: Any = None) -> None:
        if not isinstance(Op, LinearOperator):
            from operax.interop import aslinearoperator

            Op = aslinearoperator(Op)
        while isinstance(Op, JaxOperator):
            Op = Op.Op
        super().__init__(dims=Op.dims, dimsd=Op.dimsd, clinear=Op.clinear, forceflat=Op.forceflat, name=Op.name)
        self.Op = move(Op, "jax", device)

    def _forward(self, x: Array) -> Array:
        return apply_nd(self.Op, x)

    def _adjoint(self, y: Array) -> Array:
        return apply_nd(self.Op.H, y)

    def _adjoint_operator(self) -> JaxOperator:
        return JaxOperator(self.Op.H)

    def _transpose_operator(self) -> JaxOperator:
        return JaxOperator(self.Op.T)

    def conj(self) -> JaxOperator:
        return JaxOperator(self.Op.conj())

    def __matmul__(self, other: Any) -> Any:
        return super().__matmul__(_moved(other))

    def __mul__(self, other: Any) -> Any:
        return super().__mul__(_moved(other))

    def matvec(self, x: Array) -> Array:
        return super().matvec(_moved(x))

    def rmatvec(self, y: Array) -> Array:
        return super().rmatvec(_moved(y))

    def matmat(self, X: Array) -> Array:
        return super().matmat(_moved(X))

    def rmatmat(self, Y: Array) -> Array:
        return super().rmatmat(_moved(Y))

    def rmatvecad(self, x: Array, y: Array) -> Array:
        r"""The adjoint applied to `y`, by automatic differentiation of the forward at `x`.

        Parameters
        ----------
        x : array of shape ``(N,)`` or `dims`
            Where the forward is differentiated. The result does not depend on its values; it has the shape of `x`, and
            the real part is taken where `x` is real.
        y : array of shape ``(M,)`` or `dimsd`
            Data.

        Returns
        -------
        jax.Array
            :math:`\mathbf{A}^H \mathbf{y}`, of the shape of `x`.

        Notes
        -----
        ``jax.vjp`` pairs bilinearly, so that its result for complex operators is :math:`\mathbf{A}^T \mathbf{y}`;
        this is :math:`\overline{\mathbf{A}^T \bar{\mathbf{y}}}`.
        """
        x, y = (_moved(np.asarray(v) if np.isscalar(v) or isinstance(v, list) else v) for v in (x, y))
        for name, value, size, dims in (("x", x, self.shape[1], self.dims), ("y", y, self.shape[0], self.dimsd)):
            if tuple(value.shape) not in ((size,), (size, 1), dims):
                raise ValueError(
                    f"rmatvecad of {self._label()} takes {name} of shape {dims} or ({size},), got {tuple(value.shape)}"
                )
        leaves, treedef = jax_leaves(self.Op)
        return _vjp(treedef)(x, y, *leaves)


@functools.lru_cache(maxsize=1024)
def _vjp(treedef: Any) -> Callable[..., Any]:
    """The compiled vector-Jacobian product of all operators of one structure."""

    def rmatvecad(x: Any, y: Any, *leaves: Any) -> Any:
        op = jax.tree_util.tree_unflatten(treedef, leaves)
        dtype = jax.dtypes.canonicalize_dtype(promote(dtype_of(x), op.dtype if op._dtype is not None else dtype_of(x)))
        data, pull = jax.vjp(lambda v: bind(op, jnp.reshape(v, op.dims)), x.astype(_real_as(dtype, x)))
        ct = jnp.reshape(jnp.conj(y), op.dimsd)
        ct = ct if jnp.iscomplexobj(data) else jnp.real(ct)
        return jnp.conj(pull(ct.astype(data.dtype))[0])

    return jax.jit(rmatvecad)


def _real_as(dtype: np.dtype, x: Any) -> np.dtype:
    """`dtype`, real where `x` is."""
    return dtype if jnp.iscomplexobj(x) else np.empty(0, dtype).real.dtype


def _moved(x: Any) -> Any:
    return as_jax(x) if isinstance(x, np.ndarray) else x
