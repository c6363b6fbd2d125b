"""Operators for lineax's solvers, and lineax's operators here."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from operax._arrays.dtypes import dtype_of
from operax._arrays.namespace import as_numpy, library_of, namespace_of
from operax._core.compose import conjugate
from operax._core.operator import LinearOperator
from operax.interop._precision import is_wide, precision
from operax.interop._require import require


def to_lineax(Op: LinearOperator, tags: Any = None, dtype: Any = None) -> Any:
    """The operator as a ``lineax.AbstractLinearOperator``.

    Parameters
    ----------
    Op : LinearOperator
        Operator from `dims` to `dimsd`, which are the shapes of lineax's input and output structure. Its arrays are
        moved to JAX and are leaves of the result: ``jax.grad`` of a solve reaches them.
    tags : object or frozenset of object, optional
        lineax's tags, such as ``lineax.positive_semidefinite_tag``. By default what follows from the structure of the
        operator: products ``A.H @ A`` are positive semidefinite, diagonal operators are diagonal, and so on. Tags
        that are given are added to those; ``tags=()`` adds none.
    dtype : dtype-like, optional
        dtype of the input structure; by default the one of the operator.

    Returns
    -------
    lineax.AbstractLinearOperator
        Usable in ``lineax.linear_solve``, inside ``jax.jit``, ``jax.vmap`` and ``jax.grad``.

    Raises
    ------
    ImportError
        If lineax is not installed.

    Examples
    --------
    >>> import numpy as np, jax.numpy as jnp, lineax, operax
    >>> A = operax.MatrixMult(np.array([[2.0, 1.0], [0.0, 1.0], [1.0, 1.0]], "float32"))
    >>> normal = (A.H @ A).to_lineax()
    >>> lineax.is_positive_semidefinite(normal)
    True
    >>> solution = lineax.linear_solve(normal, A.H @ jnp.ones(3), lineax.CG(rtol=1e-5, atol=1e-5))
    >>> np.abs(np.round(np.asarray(solution.value), 3)).tolist()
    [0.0, 1.0]
    """
    require("lineax", "Op.to_lineax()")
    from operax.interop._lineax_operator import LineaxView, tags_of, wrap

    if isinstance(Op, FromLineax) and tags is None and dtype is None and not Op.ravelled:
        return Op.operator
    found = tags_of(Op)
    if tags is not None:
        found |= frozenset(tags) if isinstance(tags, frozenset | tuple | list | set) else frozenset([tags])
    view: LineaxView = wrap(Op, found, Op._model_dtype or Op.dtype if dtype is None else np.dtype(dtype))
    return view


def from_lineax(operator: Any, dtype: Any = None) -> LinearOperator:
    """A lineax operator as an operator of operax; its arrays stay leaves.

    Parameters
    ----------
    operator : lineax.AbstractLinearOperator
        Its input and output structures become `dims` and `dimsd`; where a structure is not one array but a tree of
        arrays, these are flattened and joined into one vector.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the operator's structures.

    Returns
    -------
    LinearOperator

    Examples
    --------
    >>> import jax.numpy as jnp, lineax
    >>> from operax.interop import from_lineax
    >>> Op = from_lineax(lineax.DiagonalLinearOperator(jnp.array([1.0, 2.0, 4.0])))
    >>> Op.H @ jnp.ones(3)
    Array([1., 2., 4.], dtype=float32)
    """
    lineax = require("lineax", "from_lineax")
    if not isinstance(operator, lineax.AbstractLinearOperator):
        raise TypeError(f"from_lineax takes a lineax.AbstractLinearOperator, got {type(operator).__name__}")
    from operax.interop._lineax_operator import LineaxView

    if isinstance(operator, LineaxView) and dtype is None:
        return operator.operator
    return FromLineax(operator, dtype)


class FromLineax(LinearOperator):
    """The action of a lineax operator, which is a leaf-holding part of this one."""

    def __init__(self, operator: Any, dtype: Any = None) -> None:
        inputs = jax.tree_util.tree_leaves(operator.in_structure())
        outputs = jax.tree_util.tree_leaves(operator.out_structure())
        trees = (jax.tree_util.tree_structure(s) for s in (operator.in_structure(), operator.out_structure()))
        self.ravelled = any(not jax.tree_util.treedef_is_leaf(tree) for tree in trees)
        if self.ravelled:
            dims: Any = sum(int(np.prod(leaf.shape)) for leaf in inputs)
            dimsd: Any = sum(int(np.prod(leaf.shape)) for leaf in outputs)
        else:
            dims, dimsd = inputs[0].shape, outputs[0].shape
        if dtype is None:
            dtype = np.result_type(*[leaf.dtype for leaf in inputs + outputs])
        super().__init__(dims=dims, dimsd=dimsd, dtype=dtype)
        self.operator = operator

    def _forward(self, x: Any) -> Any:
        return self._map(x, False)

    def _adjoint(self, y: Any) -> Any:
        return conjugate(self._map(conjugate(y), True))

    def _map(self, x: Any, transposed: bool) -> Any:
        if library_of(x) != "jax":
            # lineax runs on JAX alone; 64-bit data stay so whatever JAX's switch says
            with precision(is_wide(dtype_of(x))):
                moved = jax.tree_util.tree_map(lambda leaf: jnp.asarray(as_numpy(leaf)), self)
                y = np.asarray(moved._map(jnp.asarray(as_numpy(x)), transposed))
            return y if library_of(x) == "numpy" else namespace_of(x).asarray(y)
        operator = self.operator.transpose() if transposed else self.operator
        dims, dimsd = (self.dimsd, self.dims) if transposed else (self.dims, self.dimsd)

        def one(v: Any) -> Any:
            if not self.ravelled:
                return operator.mv(v)
            zeros = jax.tree_util.tree_map(lambda s: jnp.zeros(s.shape, s.dtype), operator.in_structure())
            return ravel_pytree(operator.mv(ravel_pytree(zeros)[1](v)))[0]

        structure = jax.tree_util.tree_leaves(operator.in_structure())
        if jnp.iscomplexobj(x) and not any(jnp.issubdtype(s.dtype, jnp.complexfloating) for s in structure):
            # made for real numbers, by a trace of a function perhaps: it acts on both parts alike
            return self._map(x.real, transposed) + 1j * self._map(x.imag, transposed)
        batch = x.shape[: x.ndim - len(dims)]
        y = jax.vmap(one)(jnp.reshape(x, (-1, *dims))) if batch else one(x)
        return jnp.reshape(y, (*batch, *dimsd))
