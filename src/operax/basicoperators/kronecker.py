"""Kronecker products."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, namespace_of
from operax._core.apply import apply_nd
from operax._core.operator import LinearOperator


class Kronecker(LinearOperator):
    r"""The Kronecker product of two operators, never formed.

    Parameters
    ----------
    Op1, Op2 : LinearOperator
        Factors, of shapes ``(n1, m1)`` and ``(n2, m2)``.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the operators and the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    With the model as a matrix :math:`X` of shape ``(m1, m2)``,

    .. math:: (A_1 \otimes A_2) \operatorname{vec}(X) = \operatorname{vec}(A_1 X A_2^T)

    that is: the second operator acts on the rows, then the first one on the columns.

    References
    ----------
    .. [1] C. F. Van Loan, "The ubiquitous Kronecker product", Journal of Computational and Applied Mathematics 123,
       2000.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.Kronecker(operax.Diagonal(np.array([1.0, 2.0])), operax.Flip(2))
    >>> Op @ np.array([1.0, 2.0, 3.0, 4.0])
    array([2., 1., 8., 6.])
    """

    def __init__(self, Op1: LinearOperator, Op2: LinearOperator, dtype: Any = None, name: str = "K") -> None:
        for label, op in (("Op1", Op1), ("Op2", Op2)):
            if not isinstance(op, LinearOperator):
                raise TypeError(f"{label} must be an operator, got {type(op).__name__}; wrap arrays with MatrixMult")
        super().__init__(
            dtype=dtype,
            dims=Op1.shape[1] * Op2.shape[1],
            dimsd=Op1.shape[0] * Op2.shape[0],
            clinear=Op1.clinear and Op2.clinear,
            name=name,
        )
        self.Op1, self.Op2 = Op1, Op2

    @property
    def Op1H(self) -> LinearOperator:
        """The adjoint of the first factor."""
        return self.Op1.H

    @property
    def Op2H(self) -> LinearOperator:
        """The adjoint of the second factor."""
        return self.Op2.H

    def inv(self) -> Kronecker:
        """The inverse, from the inverses of the two factors.

        Raises
        ------
        TypeError
            If a factor has no method `inv`.

        Examples
        --------
        >>> import numpy as np, operax
        >>> A = operax.MatrixMult(np.array([[2.0, 1.0], [0.0, 1.0]]))
        >>> Op = operax.Kronecker(A, operax.Diagonal(np.array([1.0, 4.0])))
        >>> bool(np.allclose((Op.inv() @ Op).todense(), np.eye(4)))
        True
        """
        for op in (self.Op1, self.Op2):
            if not hasattr(op, "inv"):
                raise TypeError(f"{op._label()} has no method inv; solve with Op / y instead")
        return Kronecker(self.Op1.inv(), self.Op2.inv(), dtype=self._dtype, name=f"{self.name}inv")  # type: ignore[attr-defined]

    def _forward(self, x: Array) -> Array:
        return _product(self.Op1, self.Op2, x)

    def _adjoint(self, y: Array) -> Array:
        if not self.clinear:
            # for maps that are only real-linear the order of the two counts
            return _product(self.Op1.H, self.Op2.H, y, first=True)
        return _product(self.Op1.H, self.Op2.H, y)


def _product(left: LinearOperator, right: LinearOperator, x: Array, first: bool = False) -> Array:
    xp = namespace_of(x)
    batch = x.shape[:-1]
    x = xp.reshape(x, (*batch, left.shape[1], right.shape[1]))
    if first:
        x = _columns(left, x, batch)
        x = _rows(right, x, batch)
    else:
        x = _rows(right, x, batch)
        x = _columns(left, x, batch)
    return xp.reshape(x, (*batch, left.shape[0] * right.shape[0]))


def _rows(op: LinearOperator, x: Array, batch: tuple[int, ...]) -> Array:
    xp = namespace_of(x)
    rows = x.shape[-2]
    y = apply_nd(op, xp.reshape(x, (*batch, rows, *op.dims)))
    return xp.reshape(y, (*batch, rows, op.shape[0]))


def _columns(op: LinearOperator, x: Array, batch: tuple[int, ...]) -> Array:
    xp = namespace_of(x)
    return xp.moveaxis(_rows(op, xp.moveaxis(x, -1, -2), batch), -1, -2)
