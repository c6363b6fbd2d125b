"""Integrals from the first sample on."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.cumulative import running_sum
from operax._arrays.dtypes import floating
from operax._arrays.namespace import Array, is_array, namespace_of
from operax._arrays.pad import owned, zero_pad
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axis_of, choice, meeting, sizes_of, step_of


class CausalIntegration(LinearOperator):
    r"""Integrate along an axis, from the first sample on.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis to integrate along (default the last).
    sampling : float or array without axes, optional
        Distance of two samples; given as an array, results can be differentiated in it.
    kind : {"full", "half", "trapezoidal"}, optional
        Weights of the ends, see Notes.
    removefirst : bool, optional
        Leave out the first sample of the result.
    dtype : dtype-like, optional
        Precision that takes part in promotion; by default the one of the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If `kind` is unknown.

    Notes
    -----
    With step :math:`h`,

    .. math::
        y_i &= h \sum_{j \le i} x_j && \text{full} \\
        y_i &= h \Bigl( \sum_{j < i} x_j + \tfrac12 x_i \Bigr) && \text{half} \\
        y_i &= h \Bigl( \tfrac12 x_0 + \sum_{0 < j < i} x_j + \tfrac12 x_i \Bigr), \quad y_0 = \tfrac{h}{2} x_0
        && \text{trapezoidal}

    The adjoint integrates from the last sample back.

    References
    ----------
    .. [1] J. F. Claerbout and S. Fomel, Image Estimation by Example, Stanford University, 2014, ch. 1.

    Examples
    --------
    >>> import numpy as np, operax
    >>> operax.CausalIntegration(4, kind="half") @ np.ones(4)
    array([0.5, 1.5, 2.5, 3.5])
    """

    def __init__(
        self,
        dims: Any,
        axis: int = -1,
        sampling: Any = 1.0,
        kind: str = "full",
        removefirst: bool = False,
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        sizes = sizes_of(dims)
        self.axis = axis_of(axis, len(sizes))
        self.kind = choice(kind, ("full", "half", "trapezoidal"), "kind")
        self.removefirst = bool(removefirst)
        if self.removefirst and sizes[self.axis] < 1:
            raise ValueError(f"removefirst=True takes at least one sample along the axis, got dims={sizes}")
        dimsd = tuple(n - (a == self.axis and self.removefirst) for a, n in enumerate(sizes))
        super().__init__(dtype=dtype, dims=sizes, dimsd=dimsd, name=name)
        self.sampling = step_of(sampling)
        self.step_is_parameter = is_array(self.sampling)

    def _forward(self, x: Array) -> Array:
        x = floating(x)
        axis = self.axis - len(self.dims)
        y = running_sum(x, axis)
        if self.kind == "half":
            y = _less(y, 0.5 * x)
        elif self.kind == "trapezoidal":
            y = _less_first(_less(y, 0.5 * x), 0.5 * x[_along(slice(0, 1), axis)], axis)
        if self.removefirst:
            y = owned(y[_along(slice(1, None), axis)])
        return self._scaled_by_step(y)

    def _adjoint(self, y: Array) -> Array:
        y = floating(y)
        axis = self.axis - len(self.dims)
        if self.removefirst:
            y = zero_pad(y, ((1, 0), *((0, 0),) * (-axis - 1)))
        x = running_sum(y, axis, reverse=True)
        if self.kind == "half":
            x = _less(x, 0.5 * y)
        elif self.kind == "trapezoidal":
            # the first sample takes part in every row with one half
            row = _rows(y, axis)
            x = namespace_of(x).where(row == 0, 0.5 * x, x - 0.5 * y)
        return self._scaled_by_step(x)

    def _scaled_by_step(self, y: Array) -> Array:
        if self.step_is_parameter:
            return y * meeting(self.sampling, y)
        if self.sampling == 1:
            return y
        if isinstance(y, np.ndarray):
            y *= self.sampling
            return y
        return y * self.sampling


def _along(cut: slice, axis: int) -> tuple[Any, ...]:
    return (..., cut, *(slice(None),) * (-axis - 1))


def _rows(like: Array, axis: int) -> Array:
    """Row numbers along `axis`, ready to meet `like`."""
    xp = namespace_of(like)
    return xp.reshape(xp.arange(like.shape[axis]), (-1, *(1,) * (-axis - 1)))


def _less_first(y: Array, first: Array, axis: int) -> Array:
    """`y` less `first` on every row but the first one."""
    if isinstance(y, np.ndarray):
        y[_along(slice(1, None), axis)] -= first
        return y
    xp = namespace_of(y)
    return y - xp.where(_rows(y, axis) > 0, first, xp.zeros_like(first))


def _less(y: Array, part: Array) -> Array:
    """``y - part``; `y` is ours and may be written into."""
    if isinstance(y, np.ndarray):
        y -= part
        return y
    return y - part
