"""The first derivative."""

from __future__ import annotations

from typing import Any

from operax.basicoperators._derivative import AxisStencil, check_kind, first_stencil


class FirstDerivative(AxisStencil):
    r"""First derivative along an axis, by finite differences.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis to differentiate along (default the last).
    sampling : float or array without axes, optional
        Distance of two samples; given as an array, results can be differentiated in it.
    kind : {"centered", "forward", "backward"}, optional
        Which neighbours are used.
    edge : bool, optional
        Use one-sided differences of lower order at the edges; by default the derivative is zero there. For the
        centered kind.
    order : {3, 5}, optional
        Number of points of the centered stencil.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If `kind` or `order` is unknown, or the axis is too short for one-sided edges.

    Notes
    -----
    With step :math:`h`, the stencils are

    .. math::
        y_i &= (x_{i+1} - x_i) / h && \text{forward} \\
        y_i &= (x_i - x_{i-1}) / h && \text{backward} \\
        y_i &= (x_{i+1} - x_{i-1}) / (2 h) && \text{centered, 3 points} \\
        y_i &= (x_{i-2} - 8 x_{i-1} + 8 x_{i+1} - x_{i+2}) / (12 h) && \text{centered, 5 points}

    References
    ----------
    .. [1] B. Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Mathematics of
       Computation 51, 1988.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.FirstDerivative(4, kind="forward") @ np.array([0.0, 1.0, 4.0, 9.0])
    array([1., 3., 5., 0.])
    """

    def __init__(
        self,
        dims: Any,
        axis: int = -1,
        sampling: Any = 1.0,
        kind: str = "centered",
        edge: bool = False,
        order: int = 3,
        dtype: Any = None,
        name: str = "F",
    ) -> None:
        check_kind(kind, order)
        n = self._set_stencil(dims, axis, sampling, 1, dtype, name)
        self.kind, self.edge, self.order = kind, bool(edge), order
        self._scaled_stencil(first_stencil(n, kind, self.edge, order))
