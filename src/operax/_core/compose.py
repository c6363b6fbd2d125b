"""Operators made of operators."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from operax._arrays.dtypes import dtype_of, real_dtype
from operax._arrays.keep import store
from operax._arrays.namespace import Array, is_array, namespace_of
from operax._core.algebra import is_scalar
from operax._core.apply import apply_nd
from operax._core.operator import LinearOperator


def reshaped(x: Array, old: tuple[int, ...], new: tuple[int, ...]) -> Array:
    """`x` of shape ``(*batch, *old)`` as ``(*batch, *new)``."""
    if old == new:
        return x
    return namespace_of(x).reshape(x, (*x.shape[: x.ndim - len(old)], *new))


class Adjoint(LinearOperator):
    """The adjoint of an operator."""

    def __init__(self, op: LinearOperator) -> None:
        super().__init__(dims=op.dimsd, dimsd=op.dims, clinear=op.clinear, forceflat=op.forceflat, name=op.name)
        self.op = op

    # it adds nothing to the checks and the promotion of its part
    def _run(self, x: Array) -> Array:
        return self.op._run_adjoint(x)

    def _run_adjoint(self, y: Array) -> Array:
        return self.op._run(y)

    _forward, _adjoint = _run, _run_adjoint

    def _label(self) -> str:
        return f"the adjoint of {self.op._label()}"

    def _adjoint_operator(self) -> LinearOperator:
        return self.op

    def _transpose_operator(self) -> LinearOperator:
        return self.op.conj()


class Conjugate(LinearOperator):
    """The operator with the complex-conjugate matrix: ``conj(A conj(x))``."""

    def __init__(self, op: LinearOperator) -> None:
        super().__init__(dims=op.dims, dimsd=op.dimsd, clinear=op.clinear, forceflat=op.forceflat, name=op.name)
        self.op = op

    def _forward(self, x: Array) -> Array:
        return conjugate(apply_nd(self.op, conjugate(x)))

    def _adjoint(self, y: Array) -> Array:
        return conjugate(apply_nd(self.op.H, conjugate(y)))

    def conj(self) -> LinearOperator:
        return self.op


class Transposed(LinearOperator):
    """The transpose of an operator: ``conj(A.H conj(y))``."""

    def __init__(self, op: LinearOperator) -> None:
        super().__init__(dims=op.dimsd, dimsd=op.dims, clinear=op.clinear, forceflat=op.forceflat, name=op.name)
        self.op = op

    def _forward(self, x: Array) -> Array:
        return conjugate(apply_nd(self.op.H, conjugate(x)))

    def _adjoint(self, y: Array) -> Array:
        return conjugate(apply_nd(self.op, conjugate(y)))

    def _transpose_operator(self) -> LinearOperator:
        return self.op

    def conj(self) -> LinearOperator:
        return self.op.H


class Reshaped(LinearOperator):
    """An operator between arrays of other shapes and the same sizes."""

    def __init__(self, op: LinearOperator, dims: tuple[int, ...], dimsd: tuple[int, ...]) -> None:
        super().__init__(dims=dims, dimsd=dimsd, clinear=op.clinear, name=op.name)
        self.op = op

    def _forward(self, x: Array) -> Array:
        return reshaped(apply_nd(self.op, reshaped(x, self.dims, self.op.dims)), self.op.dimsd, self.dimsd)

    def _adjoint(self, y: Array) -> Array:
        return reshaped(apply_nd(self.op.H, reshaped(y, self.dimsd, self.op.dimsd)), self.op.dims, self.dims)


def with_shapes(op: LinearOperator, dims: Any = None, dimsd: Any = None) -> LinearOperator:
    """`op` with other shapes of the same sizes."""
    if dims is None and dimsd is None:
        return op
    shaped = LinearOperator(dims=op.dims if dims is None else dims, dimsd=op.dimsd if dimsd is None else dimsd)
    if shaped.shape != op.shape:
        raise ValueError(
            f"dims={shaped.dims} and dimsd={shaped.dimsd} hold {shaped.shape[1]} and {shaped.shape[0]} values, "
            f"but the operator has shape {op.shape}"
        )
    if (shaped.dims, shaped.dimsd) == (op.dims, op.dimsd):
        return op
    return Reshaped(op, shaped.dims, shaped.dimsd)


def conjugate(x: Array) -> Array:
    """The complex conjugate; real arrays pass untouched."""
    return namespace_of(x).conj(x) if dtype_of(x).kind == "c" else x


class Product(LinearOperator):
    """The composition of operators: the last one acts first."""

    def __init__(self, *ops: LinearOperator) -> None:
        for left, right in itertools.pairwise(ops):
            if left.shape[1] != right.shape[0]:
                raise ValueError(
                    f"cannot compose {left._label()} with {right._label()}: "
                    f"the left one takes {left.shape[1]} values, the right one gives {right.shape[0]}"
                )
        forceflat = True if any(op.forceflat for op in (ops[0], ops[-1])) else None
        super().__init__(
            dims=ops[-1].dims, dimsd=ops[0].dimsd, clinear=all(op.clinear for op in ops), forceflat=forceflat
        )
        self.ops = tuple(ops)
        self._stencils = tuple(map(_has_stencil, ops))

    def _forward(self, x: Array) -> Array:
        dims, computed = self.dims, False
        for op, stencil in zip(reversed(self.ops), reversed(self._stencils)):
            x = reshaped(x, dims, op.dims)
            x = apply_nd(op, store(x) if computed and stencil else x)
            dims, computed = op.dimsd, stencil or computed
        return x

    def _adjoint(self, y: Array) -> Array:
        dims, computed = self.dimsd, False
        for op, stencil in zip(self.ops, self._stencils):
            y = reshaped(y, dims, op.dimsd)
            y = apply_nd(op.H, store(y) if computed and stencil else y)
            dims, computed = op.dims, stencil or computed
        return y


def _has_stencil(op: Any) -> bool:
    """Whether an operator, or one inside it, reads each value of its input for several of its output."""
    if op._reads_neighbours:
        return True
    parts = [v for value in vars(op).values() for v in (value if isinstance(value, tuple | list) else (value,))]
    return any(_has_stencil(v) for v in parts if isinstance(v, LinearOperator))


class Sum(LinearOperator):
    """The sum of operators of one shape."""

    def __init__(self, *ops: LinearOperator) -> None:
        first = ops[0]
        for op in ops[1:]:
            if op.shape != first.shape:
                raise ValueError(f"cannot add {first._label()} and {op._label()}: shapes {first.shape} and {op.shape}")
        # a flat operator beside an n-dimensional one takes the n-dimensional shapes
        dims = max((op.dims for op in ops), key=len)
        dimsd = max((op.dimsd for op in ops), key=len)
        for op in ops:
            if (len(op.dims) == len(dims) != 1 and op.dims != dims) or (
                len(op.dimsd) == len(dimsd) != 1 and (op.dimsd != dimsd)
            ):
                raise ValueError(
                    f"cannot add {first._label()} and {op._label()}: the sizes agree but not the shapes; "
                    "give the operators the same dims and dimsd"
                )
        forceflat = True if any(op.forceflat for op in ops) else None
        super().__init__(dims=dims, dimsd=dimsd, clinear=all(op.clinear for op in ops), forceflat=forceflat)
        self.ops = tuple(ops)

    def _forward(self, x: Array) -> Array:
        parts = [reshaped(apply_nd(op, reshaped(x, self.dims, op.dims)), op.dimsd, self.dimsd) for op in self.ops]
        return _total(parts)

    def _adjoint(self, y: Array) -> Array:
        parts = [reshaped(apply_nd(op.H, reshaped(y, self.dimsd, op.dimsd)), op.dims, self.dims) for op in self.ops]
        return _total(parts)


def _total(parts: list[Array]) -> Array:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


class Scaled(LinearOperator):
    """A scalar times an operator. The scalar is a leaf: solutions can be differentiated in it."""

    def __init__(self, factor: Any, op: LinearOperator) -> None:
        super().__init__(dims=op.dims, dimsd=op.dimsd, clinear=op.clinear, forceflat=op.forceflat, name=op.name)
        # a Python number is weakly typed in every library: it never widens the result, and stays static
        self.factor = factor.item() if isinstance(factor, np.generic) else factor
        self.op = op

    def _followed_dtype(self) -> np.dtype | None:
        found = self.op._followed_dtype()
        if isinstance(self.factor, complex):
            from operax._arrays.dtypes import complex_dtype

            return complex_dtype(found or np.dtype(np.float64))
        return found

    def _forward(self, x: Array) -> Array:
        y = apply_nd(self.op, x)
        return _weak(self.factor, y) * y

    def _adjoint(self, y: Array) -> Array:
        factor = _weak(self.factor, y)
        factor = (
            factor.conjugate() if isinstance(factor, complex) else conjugate(factor) if is_array(factor) else factor
        )
        if self.op.clinear:
            return factor * apply_nd(self.op.H, y)
        return apply_nd(self.op.H, factor * y)


def _weak(factor: Any, like: Array) -> Any:
    """An array scalar in the precision of the data it multiplies."""
    if not is_array(factor):
        return factor
    from operax._arrays.dtypes import like as in_precision_of

    return in_precision_of(factor, like)


class Power(LinearOperator):
    """A square operator applied `p` times."""

    def __init__(self, op: LinearOperator, p: int) -> None:
        super().__init__(dims=op.dims, dimsd=op.dimsd, clinear=op.clinear, forceflat=op.forceflat, name=op.name)
        self.op, self.p = op, p

    def _forward(self, x: Array) -> Array:
        dims, dimsd = self.dims, self.dimsd
        x = reshaped(x, dims, dimsd)
        for _ in range(self.p):
            x = apply_nd(self.op, reshaped(x, dimsd, dims))
        return x

    def _adjoint(self, y: Array) -> Array:
        dims, dimsd = self.dims, self.dimsd
        y = reshaped(y, dimsd, dims)
        for _ in range(self.p):
            y = apply_nd(self.op.H, reshaped(y, dims, dimsd))
        return y


class Columns(LinearOperator):
    """Some columns of an operator: inputs are spread over the full model, the rest being zero."""

    def __init__(self, op: LinearOperator, cols: Any) -> None:
        cols = np.asarray(cols)
        size = op.shape[1]
        if cols.ndim != 1 or cols.dtype.kind not in "iu":
            raise ValueError(f"cols must be a one-dimensional list of integers, got {cols!r}")
        if cols.size and (cols.max() >= size or cols.min() < -size):
            raise ValueError(f"cols must lie in [0, {size}) for {op._label()}, got {cols.min()} to {cols.max()}")
        super().__init__(dims=len(cols), dimsd=op.dimsd, clinear=op.clinear, forceflat=True, name=op.name)
        self.op = op
        self.cols = np.where(cols < 0, cols + size, cols).astype(np.int32 if size < 2**31 else np.int64)

    def _forward(self, x: Array) -> Array:
        from operax._arrays.scatter import scatter_add

        full = scatter_add(x, self.cols, self.op.shape[1])
        return apply_nd(self.op, reshaped(full, (self.op.shape[1],), self.op.dims))

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        x = reshaped(apply_nd(self.op.H, y), self.op.dims, (self.op.shape[1],))
        return xp.take(x, xp.asarray(self.cols), axis=-1)


class RealPart(LinearOperator):
    """An operator whose forward and adjoint give real parts: linear over the reals only."""

    def __init__(self, op: LinearOperator, forw: bool = True, adj: bool = True) -> None:
        super().__init__(dims=op.dims, dimsd=op.dimsd, clinear=False, forceflat=op.forceflat, name=op.name)
        self.op, self.forw, self.adj = op, bool(forw), bool(adj)

    def _followed_dtype(self) -> np.dtype | None:
        found = self.op._followed_dtype()
        return real_dtype(found) if found is not None and self.forw and self.adj else found

    def _part(self, x: Array) -> Array:
        return namespace_of(x).real(x) if dtype_of(x).kind == "c" else x

    def _forward(self, x: Array) -> Array:
        y = apply_nd(self.op, x)
        return self._part(y) if self.forw else y

    def _adjoint(self, y: Array) -> Array:
        x = apply_nd(self.op.H, y)
        return self._part(x) if self.adj else x


class ImaginaryPart(LinearOperator):
    """An operator whose forward and adjoint give imaginary parts (the adjoint's with its sign): real-linear."""

    def __init__(self, op: LinearOperator, forw: bool = True, adj: bool = True) -> None:
        super().__init__(dims=op.dims, dimsd=op.dimsd, clinear=False, forceflat=op.forceflat, name=op.name)
        self.op, self.forw, self.adj = op, bool(forw), bool(adj)

    def _followed_dtype(self) -> np.dtype | None:
        found = self.op._followed_dtype()
        return real_dtype(found) if found is not None and self.forw and self.adj else found

    def _part(self, x: Array) -> Array:
        xp = namespace_of(x)
        return xp.imag(x) if dtype_of(x).kind == "c" else xp.zeros_like(x)

    def _forward(self, x: Array) -> Array:
        y = apply_nd(self.op, x)
        return self._part(y) if self.forw else y

    def _adjoint(self, y: Array) -> Array:
        x = apply_nd(self.op.H, y)
        return -self._part(x) if self.adj else x


# ---- what the operators' arithmetic calls


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """`left` after `right`, simplified."""
    from operax._core import simplify

    return simplify.product(left, right)


def add(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The sum, simplified."""
    from operax._core import simplify

    return simplify.add(left, right)


def scaled(factor: Any, op: LinearOperator) -> LinearOperator:
    """A scalar times an operator."""
    if not is_scalar(factor):
        raise TypeError(f"can scale an operator by a number or an array without axes, got {factor!r}")
    from operax._core import simplify

    return simplify.scaled(factor, op)


def power(op: LinearOperator, p: int) -> LinearOperator:
    """`op` applied `p` times."""
    if op.shape[0] != op.shape[1]:
        raise ValueError(f"only square operators have powers, {op._label()} has shape {op.shape}")
    if isinstance(p, bool) or not isinstance(p, int | np.integer) or p < 0:
        raise ValueError(f"the power must be a whole number that is not negative, got {p!r}")
    from operax._core import simplify

    return simplify.power(op, int(p))


def total_size(shapes: list[tuple[int, ...]]) -> int:
    """The number of values in arrays of these shapes together."""
    return sum(math.prod(shape) for shape in shapes)
