"""Cubic spline interpolation along one axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import floating
from operax._arrays.fit import cut, pad_axis
from operax._arrays.interpolate import accumulate_parts, aligned, spline_solve, weighted_gather
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axis, as_sizes, one_of
from operax.signalprocessing._positions import as_positions, check_positions, check_unique, clip_end, split


class InterpCubicSpline(LinearOperator):
    r"""Natural cubic spline through regular samples, evaluated at fractional positions along an axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model, at least three samples along `axis`.
    iava : array of shape (n,)
        Positions, in samples from 0 to ``dims[axis] - 1``, each once; those at the last sample or beyond it are moved
        just before it. Inside a JAX transformation they may be traced.
    bc_type : {"natural"}, optional
        Condition at the ends: second derivative zero.
    axis : int, optional
        Axis of the interpolation.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    iava : array
        The positions used.
    fraction : array
        Distance of each position from the sample before it; a leaf, whose derivative is the one of the position.

    Raises
    ------
    ValueError
        If positions repeat or lie outside the axis, the axis has fewer than three samples, or `bc_type` is unknown.

    Notes
    -----
    The second derivatives :math:`m` at the samples solve
    :math:`\tfrac16 (m_{j-1} + 4 m_j + m_{j+1}) = x_{j-1} - 2 x_j + x_{j+1}`, :math:`m_0 = m_{N-1} = 0`, and with
    :math:`w` the fraction behind sample :math:`l`, :math:`v = 1 - w`,

    .. math:: y = v x_l + w x_{l+1} + \tfrac16 (v^3 - v) m_l + \tfrac16 (w^3 - w) m_{l+1}.

    References
    ----------
    C. de Boor, A Practical Guide to Splines, Springer (1978).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.InterpCubicSpline(4, np.array([0.5, 2.0]))
    >>> np.round(Op @ np.array([0.0, 1.0, 2.0, 3.0]), 6)
    array([0.5, 2. ])
    """

    def __init__(
        self,
        dims: Any,
        iava: Any,
        bc_type: str = "natural",
        axis: int = -1,
        dtype: Any = None,
        name: str = "S",
    ) -> None:
        dims = as_sizes(dims)
        self.axis = as_axis(axis, len(dims))
        self.bc_type = one_of(bc_type, ("natural",), "bc_type")
        size = dims[self.axis]
        if size < 3:
            raise ValueError(f"a cubic spline needs three samples along axis={axis}, got dims={dims}")
        positions = as_positions(iava)
        if positions.ndim != 1:
            raise ValueError(f"iava must be one-dimensional, got shape {tuple(positions.shape)}")
        check_positions(positions, size, beyond=True)
        positions = clip_end(positions, size)
        check_unique(positions)
        dimsd = tuple(int(positions.shape[0]) if a == self.axis else n for a, n in enumerate(dims))
        super().__init__(dims=dims, dimsd=dimsd, dtype=dtype, name=name)
        self.index, self.fraction = split(positions, size)

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype

    @property
    def iava(self) -> Array:
        """The positions used."""
        return self.index + self.fraction

    def num_cols(self) -> int:
        """Number of samples along the axis of the interpolation."""
        return self.dims[self.axis]

    def _weights(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        w = self.fraction
        v = 1 - w
        return (v, w), ((v**3 - v) / 6, (w**3 - w) / 6)

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        values, curves = self._weights()
        pair = (self.index, self.index + 1)
        x = xp.moveaxis(floating(x), self.axis - len(self.dims), -1)
        n = x.shape[-1]
        second = cut(x, -1, 0, n - 2) - 2 * cut(x, -1, 1, n - 1) + cut(x, -1, 2, n)
        moments = pad_axis(spline_solve(second), -1, 1, 1)
        y = weighted_gather(x, pair, values, -1) + weighted_gather(moments, pair, curves, -1)
        return xp.moveaxis(y, -1, self.axis - len(self.dims))

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        values, curves = self._weights()
        n = self.dims[self.axis]
        y = xp.moveaxis(floating(y), self.axis - len(self.dims), -1)
        parts = [aligned(w, y, -1) * y for w in (*values, *curves)]
        sums = accumulate_parts(*parts, index=self.index, size=n)
        # what belongs to the sample after is one place further
        later = [pad_axis(cut(s, -1, 0, n - 1), -1, 1, 0) for s in (sums[1], sums[3])]
        inner = spline_solve(cut(sums[2] + later[1], -1, 1, n - 1))
        second = pad_axis(inner, -1, 0, 2) - 2 * pad_axis(inner, -1, 1, 1) + pad_axis(inner, -1, 2, 0)
        x = sums[0] + later[0] + second
        return xp.moveaxis(x, -1, self.axis - len(self.dims))
