"""The Laplacian."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, is_array
from operax._arrays.stencil import sum_stencils
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axes_of, behind, per_axis, sizes_of, step_of
from operax.basicoperators._derivative import check_kind, second_stencil


class Laplacian(LinearOperator):
    r"""Weighted sum of second derivatives along several axes.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model.
    axes : tuple of int, optional
        Axes to differentiate along (default the last two).
    weights : tuple of float, optional
        Factor of each direction.
    sampling : float or tuple of float, optional
        Distance of two samples along each axis.
    edge : bool, optional
        Use the nearest three points at the edges; by default the derivative is zero there. For the centered kind.
    kind : {"centered", "forward", "backward"}, optional
        Where the three points lie.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If `axes`, `weights` and `sampling` differ in length, or `kind` is unknown.

    Notes
    -----
    .. math:: y = \sum_k \frac{w_k}{h_k^2} \, \delta_k^2 x

    with the second difference :math:`\delta_k^2` of `SecondDerivative`. All directions run in one pass over the data.

    References
    ----------
    .. [1] R. J. LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, SIAM, 2007, ch. 3.

    Examples
    --------
    >>> import numpy as np, operax
    >>> x = np.arange(3.0)[:, None] ** 2 + np.arange(3.0) ** 2
    >>> (operax.Laplacian((3, 3)) @ x)[1, 1]
    np.float64(4.0)
    """

    _reads_neighbours = True

    def __init__(
        self,
        dims: Any,
        axes: Any = (-2, -1),
        weights: Any = (1.0, 1.0),
        sampling: Any = (1.0, 1.0),
        edge: bool = False,
        kind: str = "centered",
        dtype: Any = None,
        name: str = "L",
    ) -> None:
        check_kind(kind)
        sizes = sizes_of(dims)
        self.axes = axes_of(axes, len(sizes))
        self.weights = tuple(float(w) for w in per_axis(weights, len(self.axes), "weights"))
        self.sampling = tuple(step_of(h) for h in per_axis(sampling, len(self.axes), "sampling"))
        if any(is_array(h) for h in self.sampling):
            raise TypeError("sampling of Laplacian must hold numbers; for a derivative in it add SecondDerivatives")
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, name=name)
        self.edge, self.kind = bool(edge), kind
        self.stencils = tuple(
            second_stencil(sizes[a], kind, self.edge).scaled(w / h**2)
            for a, w, h in zip(self.axes, self.weights, self.sampling)
        )

    def _forward(self, x: Array) -> Array:
        return sum_stencils(x, self.stencils, behind(self.axes, len(self.dims)))

    def _adjoint(self, y: Array) -> Array:
        return sum_stencils(y, tuple(s.T for s in self.stencils), behind(self.axes, len(self.dims)))
