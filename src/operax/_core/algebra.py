"""The part of `LinearOperator` that makes other operators of it; their classes stand in `compose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from operax._arrays.namespace import is_array

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator


class Algebra:
    """Adjoint, transpose, sums, multiples and powers."""

    @property
    def H(self: Any) -> LinearOperator:
        """The adjoint."""
        found = self._memo.get("H")
        if found is None:
            found = self._memo["H"] = self._adjoint_operator()
        return found

    @property
    def T(self: Any) -> LinearOperator:
        """The transpose, ``conj(H)``."""
        found = self._memo.get("T")
        if found is None:
            found = self._memo["T"] = self._transpose_operator()
        return found

    def adjoint(self: Any) -> LinearOperator:
        """The adjoint; the same as `H`."""
        return self.H

    def transpose(self: Any) -> LinearOperator:
        """The transpose; the same as `T`."""
        return self.T

    def _adjoint_operator(self: Any) -> LinearOperator:
        from operax._core.compose import Adjoint

        return Adjoint(self)

    def _transpose_operator(self: Any) -> LinearOperator:
        from operax._core.compose import Transposed

        return Transposed(self)

    def conj(self: Any) -> LinearOperator:
        """The operator whose matrix is the complex conjugate."""
        from operax._core.compose import Conjugate

        return Conjugate(self)

    def _times(self: Any, other: LinearOperator) -> LinearOperator:
        from operax._core.compose import product

        return product(self, other)

    def _scaled(self: Any, factor: Any) -> LinearOperator:
        from operax._core.compose import scaled

        return scaled(factor, self)

    def __add__(self: Any, other: Any) -> LinearOperator:
        if not isinstance(other, Algebra):
            return self._cannot_add(other)
        from operax._core.compose import add

        right: Any = other
        return add(self, right)

    def __radd__(self: Any, other: Any) -> LinearOperator:
        # Python's sum() begins with 0
        return self if isinstance(other, int) and other == 0 else self._cannot_add(other)

    def __sub__(self: Any, other: Any) -> LinearOperator:
        return self + (-other) if isinstance(other, Algebra) else self._cannot_add(other)

    def __rsub__(self: Any, other: Any) -> LinearOperator:
        return self._cannot_add(other)

    def _cannot_add(self: Any, other: Any) -> Any:
        foreign = hasattr(other, "matvec")
        if not foreign and not is_array(other) and not is_scalar(other) and not hasattr(other, "toarray"):
            return NotImplemented
        cure = f"{other!r} * operax.Identity(Op.dims)" if is_scalar(other) else "operax.MatrixMult(A)"
        cure = "operax.aslinearoperator(B)" if foreign else cure
        raise TypeError(
            f"only operators can be added to {self._label()}, got {type(other).__module__}.{type(other).__name__}; "
            f"make an operator of it with {cure}, or apply the operator first"
        )

    def __neg__(self: Any) -> LinearOperator:
        return self._scaled(-1)

    def __pow__(self: Any, p: int) -> LinearOperator:
        from operax._core.compose import power

        return power(self, p)

    def toreal(self: Any, forw: bool = True, adj: bool = True) -> LinearOperator:
        """The operator that gives the real part of its result, linear over the reals.

        Parameters
        ----------
        forw : bool, optional
            Take the real part in the forward.
        adj : bool, optional
            Take the real part in the adjoint.

        Returns
        -------
        LinearOperator
            With ``clinear=False``: it is not linear over complex numbers.
        """
        from operax._core.compose import RealPart

        return RealPart(self, forw, adj)

    def toimag(self: Any, forw: bool = True, adj: bool = True) -> LinearOperator:
        """The operator that gives the imaginary part of its result, linear over the reals.

        Parameters
        ----------
        forw : bool, optional
            Take the imaginary part in the forward.
        adj : bool, optional
            Take it in the adjoint: of the transpose, so that forward and adjoint pass the dot test on real arrays.

        Returns
        -------
        LinearOperator
            With ``clinear=False``: it is not linear over complex numbers.
        """
        from operax._core.compose import ImaginaryPart

        return ImaginaryPart(self, forw, adj)

    def apply_columns(self: Any, cols: Any) -> LinearOperator:
        """The operator made of some columns of this one.

        Parameters
        ----------
        cols : sequence of int
            Positions in the flattened model.

        Returns
        -------
        LinearOperator
            Of shape ``(M, len(cols))``.

        Raises
        ------
        ValueError
            If a position lies outside the model.
        """
        from operax._core.compose import Columns

        return Columns(self, cols)


def is_scalar(x: object) -> bool:
    """Whether `x` is a number or an array without axes."""
    return (np.isscalar(x) and not isinstance(x, str | bytes)) or (is_array(x) and getattr(x, "ndim", -1) == 0)
