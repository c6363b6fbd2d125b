"""The second derivative."""

from __future__ import annotations

from typing import Any

from operax.basicoperators._derivative import AxisStencil, check_kind, second_stencil


class SecondDerivative(AxisStencil):
    r"""Second derivative along an axis, by finite differences of three points.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis to differentiate along (default the last).
    sampling : float or array without axes, optional
        Distance of two samples; given as an array, results can be differentiated in it.
    kind : {"centered", "forward", "backward"}, optional
        Where the three points lie.
    edge : bool, optional
        Use the nearest three points at the edges; by default the derivative is zero there. For the centered kind.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If `kind` is unknown, or the axis is too short for one-sided edges.

    Notes
    -----
    With step :math:`h`, the stencils are

    .. math::
        y_i &= (x_{i} - 2 x_{i+1} + x_{i+2}) / h^2 && \text{forward} \\
        y_i &= (x_{i-2} - 2 x_{i-1} + x_{i}) / h^2 && \text{backward} \\
        y_i &= (x_{i-1} - 2 x_i + x_{i+1}) / h^2 && \text{centered}

    References
    ----------
    .. [1] B. Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Mathematics of
       Computation 51, 1988.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.SecondDerivative(5) @ np.array([0.0, 1.0, 4.0, 9.0, 16.0])
    array([0., 2., 2., 2., 0.])
    """

    def __init__(
        self,
        dims: Any,
        axis: int = -1,
        sampling: Any = 1.0,
        kind: str = "centered",
        edge: bool = False,
        dtype: Any = None,
        name: str = "S",
    ) -> None:
        check_kind(kind)
        n = self._set_stencil(dims, axis, sampling, 2, dtype, name)
        self.kind, self.edge = kind, bool(edge)
        self._scaled_stencil(second_stencil(n, kind, self.edge))
