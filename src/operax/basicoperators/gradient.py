"""The gradient."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, is_array
from operax._arrays.stencil import stack_stencils, unstack_stencils
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import per_axis, sizes_of, step_of
from operax.basicoperators._derivative import check_kind, first_stencil


class Gradient(LinearOperator):
    r"""First derivatives along all axes, stacked in front.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    sampling : float or tuple of float, optional
        Distance of two samples, for all axes or for each.
    edge : bool, optional
        Use one-sided differences at the edges; by default the derivative is zero there. For the centered kind.
    kind : {"centered", "forward", "backward"}, optional
        Which neighbours are used.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math:: y_k = \delta_k x / h_k, \qquad x = \sum_k \delta_k^T y_k / h_k

    with the first difference :math:`\delta_k` of `FirstDerivative` along axis :math:`k`; the data have shape
    ``(len(dims), *dims)``.

    References
    ----------
    .. [1] R. J. LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, SIAM, 2007, ch. 1.

    Examples
    --------
    >>> import numpy as np, operax
    >>> x = np.arange(3.0)[:, None] + 10 * np.arange(3.0)
    >>> (operax.Gradient((3, 3)) @ x)[:, 1, 1]
    array([ 1., 10.])
    """

    _reads_neighbours = True

    def __init__(
        self,
        dims: Any,
        sampling: Any = 1.0,
        edge: bool = False,
        kind: str = "centered",
        dtype: Any = None,
        name: str = "G",
    ) -> None:
        check_kind(kind)
        sizes = sizes_of(dims)
        self.sampling = tuple(step_of(h) for h in per_axis(sampling, len(sizes), "sampling"))
        if any(is_array(h) for h in self.sampling):
            raise TypeError("sampling of Gradient must hold numbers; for a derivative in it stack FirstDerivatives")
        super().__init__(dtype=dtype, dims=sizes, dimsd=(len(sizes), *sizes), name=name)
        self.edge, self.kind = bool(edge), kind
        self.stencils = tuple(
            first_stencil(n, kind, self.edge, 3).scaled(1.0 / h) for n, h in zip(sizes, self.sampling)
        )

    def _forward(self, x: Array) -> Array:
        return stack_stencils(x, self.stencils)

    def _adjoint(self, y: Array) -> Array:
        return unstack_stencils(y, tuple(s.T for s in self.stencils))
