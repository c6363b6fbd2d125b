"""How products and sums of basic operators simplify, and what is known of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import dtype_of, is_complex, promote
from operax._arrays.namespace import is_tracer, namespace_of
from operax._core.compose import Adjoint
from operax._core.operator import LinearOperator
from operax._core.simplify import adjoint_pair, adjoint_rule, knows, product_rule, structure_of, sum_rule
from operax.basicoperators._mask import Mask
from operax.basicoperators.blockdiag import BlockDiag
from operax.basicoperators.diagonal import Diagonal
from operax.basicoperators.directionalderivative import SecondDirectionalDerivative
from operax.basicoperators.flip import Flip
from operax.basicoperators.identity import Identity
from operax.basicoperators.kronecker import Kronecker
from operax.basicoperators.pad import Pad
from operax.basicoperators.restriction import Restriction
from operax.basicoperators.roll import Roll
from operax.basicoperators.transpose import Transpose
from operax.basicoperators.zero import Zero

Ops = tuple[LinearOperator, ...]


def _joint(*ops: LinearOperator) -> np.dtype | None:
    """The explicit dtype of several operators together: None where none has one."""
    found = None
    for op in ops:
        if op._dtype is not None:
            found = op._dtype if found is None else promote(found, op._dtype)
    return found


def _covers(op: LinearOperator, dtype: np.dtype | None) -> bool:
    """Whether an explicit `dtype` beside `op` changes nothing: data and model of `op` are promoted to it already."""
    return dtype is None or (op._dtype == dtype and op._model_dtype == dtype and op._data_dtype == dtype)


def _is_plain(op: Any) -> bool:
    return type(op) is Identity and op.mode == "same"


# ---- adjoints without a wrapper


@adjoint_rule(Identity)
def _(op: Identity) -> LinearOperator | None:
    return Identity(op.dims, op.dimsd, inplace=op.inplace, dtype=op._dtype, name=op.name or "I")


@adjoint_rule(Zero)
def _(op: Zero) -> LinearOperator | None:
    return Zero(op.dims, op.dimsd, dtype=op._dtype, name=op.name or "Z")


@adjoint_rule(Flip)
def _(op: Flip) -> LinearOperator | None:
    return op


@adjoint_rule(Mask)
def _(op: Mask) -> LinearOperator | None:
    return op


@adjoint_rule(Roll)
def _(op: Roll) -> LinearOperator | None:
    return Roll(op.dims, op.axis, -op.shift, dtype=op._dtype, name=op.name or "R")


@adjoint_rule(Transpose)
def _(op: Transpose) -> LinearOperator | None:
    return Transpose(op.dimsd, op.back, dtype=op._dtype, name=op.name or "T")


@adjoint_rule(Diagonal)
def _(op: Diagonal) -> LinearOperator | None:
    if not is_complex(op.diag):
        return op
    return _diagonal(namespace_of(op.diag).conj(op.diag), op, op)


# ---- products


@product_rule(Identity, LinearOperator)
def _(left: Identity, right: LinearOperator, after: Ops) -> LinearOperator | None:
    if type(right) is Identity and _is_plain(left) and _is_plain(right):
        return Identity(left.dims, inplace=left.inplace and right.inplace, dtype=_joint(left, right))
    return right if _is_plain(left) and _covers(right, left._dtype) else None


@product_rule(LinearOperator, Identity)
def _(left: LinearOperator, right: Identity, after: Ops) -> LinearOperator | None:
    return left if _is_plain(right) and _covers(left, right._dtype) else None


# maps of which the dtype of the result is known: the joint one of input and operator
_PLAIN = (Zero, Diagonal, Flip, Roll, Transpose, Pad, Restriction, Mask)


def _vanishes(left: LinearOperator, right: LinearOperator, other: LinearOperator) -> LinearOperator | None:
    if type(other) is Diagonal or type(other) not in _PLAIN:
        return None  # its own parameters would widen the result, or turn zeros into NaN
    return Zero(left.dimsd, right.dims, dtype=_joint(left, right))


@product_rule(Zero, LinearOperator)
def _(left: Zero, right: LinearOperator, after: Ops) -> LinearOperator | None:
    return _vanishes(left, right, right)


@product_rule(LinearOperator, Zero)
def _(left: LinearOperator, right: Zero, after: Ops) -> LinearOperator | None:
    return _vanishes(left, right, left)


def _diagonal(diag: Any, left: Any, right: Any) -> Diagonal:
    """A diagonal of the shape and axis of `left`."""
    return Diagonal(diag, dims=left.dims, axis=left.axis, dtype=_joint(left, right), name=left.name or "D")


def _diagonals(left: Diagonal, right: Diagonal) -> bool:
    """Whether the two may become one: one shape, and no integers, whose products would widen float32 data."""
    fits = left._weight_shape == right._weight_shape and left.axis == right.axis
    return fits and all(dtype_of(d.diag).kind in "fc" for d in (left, right))


@product_rule(Diagonal, Diagonal)
def _(left: Diagonal, right: Diagonal, after: Ops) -> LinearOperator | None:
    return _diagonal(left.diag * right.diag, left, right) if _diagonals(left, right) else None


@product_rule(Flip, Flip)
def _(left: Flip, right: Flip, after: Ops) -> LinearOperator | None:
    return Identity(left.dims, dtype=_joint(left, right)) if left.axis == right.axis else None


@product_rule(Roll, Roll)
def _(left: Roll, right: Roll, after: Ops) -> LinearOperator | None:
    if left.axis != right.axis:
        return None
    n = left.dims[left.axis]
    shift = (left.shift + right.shift) % n if n else 0
    dtype = _joint(left, right)
    return Roll(left.dims, left.axis, shift, dtype=dtype) if shift else Identity(left.dims, dtype=dtype)


@product_rule(Transpose, Transpose)
def _(left: Transpose, right: Transpose, after: Ops) -> LinearOperator | None:
    axes = tuple(right.axes[a] for a in left.axes)
    dtype = _joint(left, right)
    if axes == tuple(range(len(axes))):
        return Identity(right.dims, dtype=dtype)
    return Transpose(right.dims, axes, dtype=dtype)


@product_rule(Mask, Mask)
def _(left: Mask, right: Mask, after: Ops) -> LinearOperator | None:
    return left if left.kept is right.kept and left.axis == right.axis and left._dtype == right._dtype else None


@product_rule(Restriction, Restriction)
def _(left: Restriction, right: Restriction, after: Ops) -> LinearOperator | None:
    if left.axis != right.axis or is_tracer(left.iava) or is_tracer(right.iava):
        return None
    positions = np.asarray(right.iava)[np.asarray(left.iava)]
    return Restriction(right.dims, positions, axis=right.axis, dtype=_joint(left, right))


@product_rule(Restriction, Adjoint)
def _(left: Restriction, right: Adjoint, after: Ops) -> LinearOperator | None:
    if type(right.op) is Restriction and adjoint_pair(left, right) and left.inverse is not None:
        return Identity(left.dimsd, dtype=left._dtype)
    return _unitary_pair(left, right, after)


@product_rule(Adjoint, Restriction)
def _(left: Adjoint, right: Restriction, after: Ops) -> LinearOperator | None:
    if type(left.op) is not Restriction or not adjoint_pair(left, right) or right.inverse is None:
        return None
    kept = right.inverse < right.dimsd[right.axis]
    return Mask(right.dims, kept, right.axis, dtype=right._dtype)


@product_rule(Adjoint, Pad)
def _(left: Adjoint, right: Pad, after: Ops) -> LinearOperator | None:
    if type(left.op) is Pad and left.op.pad == right.pad and left.op.dims == right.dims:
        return Identity(right.dims, dtype=_joint(left.op, right))
    return None


@product_rule(Adjoint, LinearOperator)
def _(left: Adjoint, right: LinearOperator, after: Ops) -> LinearOperator | None:
    return _unitary_pair(left, right, after)


@product_rule(LinearOperator, Adjoint)
def _(left: LinearOperator, right: Adjoint, after: Ops) -> LinearOperator | None:
    return _unitary_pair(left, right, after)


def _unitary_pair(left: LinearOperator, right: LinearOperator, after: Ops) -> LinearOperator | None:
    """``U.H U = U U.H = I``; a transform that makes its result complex only where the input is complex already."""
    plain = right.op if type(right) is Adjoint else right
    if not left.clinear or "unitary" not in structure_of(plain) or not adjoint_pair(left, right):
        return None
    if plain._dtype is not None and plain._model_dtype == plain._data_dtype:
        return Identity(right.dims, dtype=plain._dtype)
    return Identity(right.dims) if any(type(op) is type(plain) for op in after) else None


@product_rule(BlockDiag, BlockDiag)
def _(left: BlockDiag, right: BlockDiag, after: Ops) -> LinearOperator | None:
    fit = len(left.ops) == len(right.ops) and all(a.dims == b.dimsd for a, b in zip(left.ops, right.ops))
    if not fit or left.inoutengine or right.inoutengine:
        return None
    return BlockDiag([a @ b for a, b in zip(left.ops, right.ops)], nproc=right.nproc, dtype=_joint(left, right))


@product_rule(Kronecker, Kronecker)
def _(left: Kronecker, right: Kronecker, after: Ops) -> LinearOperator | None:
    clinear = left.clinear and right.clinear
    if not clinear or left.Op1.dims != right.Op1.dimsd or left.Op2.dims != right.Op2.dimsd:
        return None
    return Kronecker(left.Op1 @ right.Op1, left.Op2 @ right.Op2, dtype=_joint(left, right))


# ---- sums


@sum_rule(LinearOperator, Zero)
def _(left: LinearOperator, right: Zero) -> LinearOperator | None:
    return left if type(left) is not Zero and _covers(left, right._dtype) else None


@sum_rule(Zero, LinearOperator)
def _(left: Zero, right: LinearOperator) -> LinearOperator | None:
    if type(right) is Zero:
        return Zero(left.dimsd, left.dims, dtype=_joint(left, right))
    return right if _covers(right, left._dtype) else None


@sum_rule(Diagonal, Diagonal)
def _(left: Diagonal, right: Diagonal) -> LinearOperator | None:
    return _diagonal(left.diag + right.diag, left, right) if _diagonals(left, right) else None


# ---- what is known


@knows(Identity)
def _(op: Identity) -> set[str]:
    return {"diagonal", "hermitian", "psd", "unitary"} if op.mode == "same" else set()


@knows(Zero)
def _(op: Zero) -> set[str]:
    return {"diagonal", "hermitian", "psd"} if op.dims == op.dimsd else set()


@knows(Diagonal)
def _(op: Diagonal) -> set[str]:
    return {"diagonal"} if is_complex(op.diag) else {"diagonal", "hermitian"}


@knows(Mask)
def _(op: Mask) -> set[str]:
    return {"diagonal", "hermitian", "psd"}


@knows(Flip)
def _(op: Flip) -> set[str]:
    return {"hermitian", "unitary"}


@knows(Roll)
def _(op: Roll) -> set[str]:
    return {"unitary"}


@knows(Transpose)
def _(op: Transpose) -> set[str]:
    return {"unitary"}


@knows(SecondDirectionalDerivative)
def _(op: SecondDirectionalDerivative) -> set[str]:
    return {"hermitian"}


@knows(BlockDiag)
def _(op: BlockDiag) -> set[str]:
    parts = [structure_of(part) for part in op.ops]
    square = all(part.dims == part.dimsd for part in op.ops)
    return {w for w in ("diagonal", "hermitian", "psd", "unitary") if square and all(w in p for p in parts)}


@knows(Kronecker)
def _(op: Kronecker) -> set[str]:
    return set(structure_of(op.Op1) & structure_of(op.Op2))


def _know_transforms() -> None:
    """Orthonormal Fourier transforms are unitary."""
    from operax.signalprocessing.fft import FFT
    from operax.signalprocessing.fft2d import FFT2D
    from operax.signalprocessing.fftnd import FFTND

    def unitary(op: Any) -> set[str]:
        whole = not op.real and op.clinear and op.dims == op.dimsd
        return {"unitary"} if whole and op.norm == "ortho" else set()

    for kind in (FFT, FFT2D, FFTND):
        knows(kind)(unitary)


_know_transforms()
