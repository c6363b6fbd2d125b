"""`as_linear_op`: a linear operator as a PyTensor Op whose gradient is the adjoint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Variable

from operax._core.operator import LinearOperator
from operax.pytensor._jax import as_jax_op

__all__ = ["PyTensorOperator", "as_linear_op"]


class _Structure:
    """The static part of an operator: equal by value, and pickled as an operator with empty arrays."""

    def __init__(self, treedef: Any) -> None:
        self.treedef = treedef

    def operator(self, leaves: Sequence[Any]) -> Any:
        return jax.tree.unflatten(self.treedef, leaves)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Structure) and bool(self.treedef == other.treedef)

    def __hash__(self) -> int:
        return hash(self.treedef)

    def __reduce__(self) -> tuple[Any, ...]:
        return _structure_of, (self.operator([np.zeros(())] * self.treedef.num_leaves),)


def _structure_of(operator: Any) -> _Structure:
    return _Structure(jax.tree.structure(operator))


_TURNED = {
    ("", "H"): "H",
    ("", "T"): "T",
    ("H", "H"): "",
    ("H", "T"): "conj",
    ("T", "H"): "conj",
    ("T", "T"): "",
    ("conj", "H"): "T",
    ("conj", "T"): "H",
}
"""What the adjoint (H) and the transpose (T) of each form of an operator are."""


def apply_operator(structure: _Structure, side: str, leaves: Sequence[Any], x: Any) -> Any:
    """``op @ x``, or the same with the adjoint, the transpose or the conjugate."""
    op = structure.operator(leaves)
    match side:
        case "H":
            op = op.H
        case "T":
            op = op.T
        case "conj":
            op = op.conj()
    return op @ x


class PyTensorOperator:
    """A linear operator on PyTensor variables.

    The gradient is the adjoint, in every backend of PyTensor and under batching. Arrays inside the operator may be
    PyTensor variables themselves: a filter, a diagonal or a matrix that is being inferred.

    Parameters
    ----------
    LOp : LinearOperator
        An operator of operax; one of PyLops or SciPy works as well.
    parameters : mapping, optional
        PyTensor variables in place of arrays of the operator, by the name of the attribute. An array of an operator
        inside the operator has a longer name, such as ``"ops[0].diag"``; an unknown name raises an error with a list.

    Attributes
    ----------
    dims, dimsd : tuple of int
        Shapes of the model and of the data.
    shape : tuple of int
        ``(prod(dimsd), prod(dims))``.
    H, T : PyTensorOperator
        Adjoint and transpose, with the same parameters.

    See Also
    --------
    operax.pytensor.as_linear_op : the same with parameters as keywords.

    Notes
    -----
    Two operators are the same Op only when they are of one class with equal settings, and their arrays are inputs of
    the graph: different operators of equal shape never merge.

    Arrays that are not given as variables are taken when the operator is wrapped, as constants of the graph. What is
    changed in the operator later does not reach the model; wrap it again, or pass a variable
    (``pytensor.shared(value)``, ``pm.Data``) that can be set.

    PyTensor carries no gradient through complex variables, so that ``pt.real(A @ x)`` has none where `A` is complex,
    such as `FFT`. Let the operator end in real numbers instead, ``operax.Real(A.dimsd) @ A`` or
    ``operax.VStack([operax.Real(A.dimsd) @ A, operax.Imag(A.dimsd) @ A])``, or keep the complex values inside one
    `as_jax_op`.

    Examples
    --------
    >>> import numpy as np
    >>> import pytensor
    >>> import pytensor.tensor as pt
    >>> import operax
    >>> from operax.pytensor import PyTensorOperator
    >>> class Scale(operax.LinearOperator):
    ...     def __init__(self, factor):
    ...         super().__init__(dims=len(factor), dimsd=len(factor))
    ...         self.factor = np.asarray(factor)
    ...     def _forward(self, x):
    ...         return self.factor * x
    ...     def _adjoint(self, y):
    ...         return self.factor * y
    >>> x = pt.dvector("x")
    >>> y = PyTensorOperator(Scale([1.0, 2.0])) @ x
    >>> f = pytensor.function([x], [y, pytensor.grad(y.sum(), x)])
    >>> [r.tolist() for r in f([3.0, 4.0])]
    [[3.0, 8.0], [1.0, 2.0]]
    """

    __array_ufunc__ = None  # NumPy arrays leave `array * Op` to the operator, which says what to do

    def __init__(self, LOp: Any, parameters: Mapping[str, Any] | None = None) -> None:
        operator = _as_operator(LOp)
        with_paths, treedef = jax.tree_util.tree_flatten_with_path(operator)
        names = [jax.tree_util.keystr(path).lstrip(".") for path, _ in with_paths]
        given = dict(parameters or {})
        leaves = [
            _parameter(name, leaf, given.pop(name)) if name in given else pt.as_tensor(np.asarray(leaf))
            for name, (_, leaf) in zip(names, with_paths)
        ]
        if given:
            raise ValueError(
                f"{type(operator).__name__} has no array named {', '.join(map(repr, given))} that a variable could "
                f"stand for; its arrays are {', '.join(map(repr, names)) or 'none'}."
            )
        self._set(operator, _Structure(treedef), leaves, "")

    def _set(self, operator: LinearOperator, structure: _Structure, leaves: list[Variable], side: str) -> None:
        self.LOp, self._structure, self._leaves, self._side = operator, structure, leaves, side
        swapped = side in ("H", "T")
        self.dims = tuple(operator.dimsd if swapped else operator.dims)
        self.dimsd = tuple(operator.dims if swapped else operator.dimsd)
        self.shape = (math.prod(self.dimsd), math.prod(self.dims))
        name = f"{type(operator).__name__}{'.' if side else ''}{side}"
        self._apply = as_jax_op(apply_operator, name=name)

    def _turned(self, how: str) -> PyTensorOperator:
        turned = object.__new__(PyTensorOperator)
        turned._set(self.LOp, self._structure, self._leaves, _TURNED[self._side, how])
        return turned

    @property
    def H(self) -> PyTensorOperator:
        """The adjoint."""
        return self._turned("H")

    @property
    def T(self) -> PyTensorOperator:
        """The transpose."""
        return self._turned("T")

    def __call__(self, x: Any) -> Any:
        """Apply the operator to an array of shape `dims`, to a flat one, or to a batch of either in the last axis."""
        if isinstance(x, PyTensorOperator | LinearOperator):
            raise TypeError(
                f"{self!r} is applied to arrays, and got the operator {x!r}: combine operators first and wrap the "
                "result, as_linear_op(A @ B)"
            )
        variable = pt.as_tensor(x)
        return self._apply(self._structure, self._side, self._leaves, self._sized(variable))

    __matmul__ = __mul__ = matvec = __call__

    def rmatvec(self, y: Any) -> Any:
        """Apply the adjoint."""
        return self.H(y)

    def __add__(self, other: Any = None) -> Any:
        raise TypeError(
            f"operators are scaled and added before they are wrapped, as_linear_op(2 * A + B); {self!r} only applies"
        )

    __radd__ = __sub__ = __rsub__ = __rmul__ = __neg__ = __add__

    def _sized(self, x: Any) -> Any:
        """The input with all sizes that follow from the operator."""
        if None not in x.type.shape:
            return x
        dims, n = self.dims, self.shape[1]
        options = [dims, (n,), (*dims, None), (n, None)]
        for option in options:
            fits = len(option) == x.type.ndim and all(
                a is None or b is None or a == b for a, b in zip(option, x.type.shape)
            )
            if fits:
                return pt.specify_shape(x, [b if a is None else a for a, b in zip(option, x.type.shape)])
        shapes = f"{dims} or ({n},)" if len(dims) != 1 else f"{dims}"
        raise ValueError(
            f"{type(self.LOp).__name__} takes arrays of shape {shapes}, or a batch of them in a last axis; "
            f"got a variable of type {x.type}."
        )

    def __repr__(self) -> str:
        return f"PyTensorOperator({self.LOp!r}{'.' if self._side else ''}{self._side})"


def _as_operator(value: Any) -> LinearOperator:
    if isinstance(value, LinearOperator):
        return value
    if isinstance(value, PyTensorOperator):
        raise TypeError("this operator is wrapped for PyTensor already; call it, or wrap its LOp")
    import operax.interop

    return operax.interop.aslinearoperator(value)


def _parameter(name: str, leaf: Any, value: Any) -> Any:
    variable, shape = pt.as_tensor(value), np.shape(leaf)
    if variable.type.ndim != len(shape) or any(s not in (None, d) for s, d in zip(variable.type.shape, shape)):
        raise ValueError(
            f"parameter {name!r} has type {variable.type}, but it stands for an array of shape {shape}: "
            "give a variable of that shape."
        )
    return variable if None not in variable.type.shape else pt.specify_shape(variable, shape)


def as_linear_op(Op: Any, **parameters: Any) -> PyTensorOperator:
    """Let a linear operator take PyTensor variables, as input and as parameters.

    Parameters
    ----------
    Op : LinearOperator
        An operator of operax; one of PyLops or SciPy works as well.
    **parameters
        PyTensor variables in place of arrays of the operator, by the name of the attribute.

    Returns
    -------
    PyTensorOperator
        To be applied as ``A @ x`` or ``A(x)``.

    Notes
    -----
    The operator's other arrays are taken now, and complex results end PyTensor's gradients: see `PyTensorOperator`.

    Examples
    --------
    >>> import numpy as np
    >>> import pytensor
    >>> import pytensor.tensor as pt
    >>> import operax
    >>> from operax.pytensor import as_linear_op
    >>> class Scale(operax.LinearOperator):
    ...     def __init__(self, factor):
    ...         super().__init__(dims=len(factor), dimsd=len(factor))
    ...         self.factor = np.asarray(factor)
    ...     def _forward(self, x):
    ...         return self.factor * x
    ...     def _adjoint(self, y):
    ...         return self.factor * y
    >>> x, w = pt.dvector("x"), pt.dvector("w")
    >>> y = as_linear_op(Scale([1.0, 1.0]), factor=w) @ x
    >>> f = pytensor.function([x, w], [y, pytensor.grad(y.sum(), w)])
    >>> [r.tolist() for r in f([3.0, 4.0], [5.0, 6.0])]
    [[15.0, 24.0], [3.0, 4.0]]
    """
    return PyTensorOperator(Op, parameters)
