"""Bilinear interpolation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from operax._arrays.interpolate import weighted_gather, weighted_spread
from operax._arrays.namespace import Array, namespace_of
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_sizes
from operax.signalprocessing._positions import as_positions, check_positions, check_unique, split


class Bilinear(LinearOperator):
    r"""Bilinear interpolation at fractional positions along the first two axes.

    Parameters
    ----------
    iava : array of shape (2, n)
        Pairs of positions, in samples from 0 to ``dims[0] - 1`` and ``dims[1] - 1``, each pair once. Inside a JAX
        transformation they may be traced.
    dims : tuple of int
        Shape of the model, at least two dimensions.
    forceflat : bool, optional
        Give flat results for one-dimensional inputs of the adjoint.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input. Weights are computed in double
        precision whatever it is.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    weights_tb, weights_lr : array
        Distances from the sample before along the first and the second axis; leaves, whose derivatives are the ones of
        the positions.
    iava_t, iava_b, iava_l, iava_r : array
        Indices of the samples before and after along the first and the second axis.

    Raises
    ------
    ValueError
        If `iava` has another shape, a pair repeats or lies outside the model, or `dims` has fewer than two dimensions.

    Notes
    -----
    :math:`y = (1-u)(1-v) x_{t,l} + (1-u) v x_{t,l+1} + u (1-v) x_{t+1,l} + u v x_{t+1,l+1}` with :math:`u, v` the
    fractions behind the samples :math:`t, l`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.Bilinear(np.array([[0.5], [1.5]]), (2, 3))
    >>> Op @ np.arange(6.0).reshape(2, 3)
    array([3.])
    """

    def __init__(self, iava: Any, dims: Any, forceflat: bool | None = None, dtype: Any = None, name: str = "B") -> None:
        dims = as_sizes(dims)
        if len(dims) < 2 or min(dims[:2]) < 2:
            raise ValueError(f"dims={dims} must have two dimensions of at least two samples in front")
        positions = as_positions(iava)
        if positions.ndim != 2 or positions.shape[0] != 2:
            raise ValueError(f"iava must have shape (2, n), got {tuple(positions.shape)}")
        for i in (0, 1):
            check_positions(positions[i], dims[i], f"iava[{i}]")
        check_unique(positions)
        count = int(positions.shape[1])
        super().__init__(dims=dims, dimsd=(count, *dims[2:]), forceflat=forceflat, dtype=dtype, name=name)
        self.iava_t, self.weights_tb = split(positions[0], dims[0])
        self.iava_l, self.weights_lr = split(positions[1], dims[1])

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype

    @property
    def iava_b(self) -> Array:
        """Indices of the samples after along the first axis."""
        return self.iava_t + 1

    @property
    def iava_r(self) -> Array:
        """Indices of the samples after along the second axis."""
        return self.iava_l + 1

    def _taps(self) -> tuple[list[Array], list[Array]]:
        u, v = self.weights_tb, self.weights_lr
        first = self.iava_t * self.dims[1] + self.iava_l
        indices = [first, first + 1, first + self.dims[1], first + self.dims[1] + 1]
        return indices, [(1 - u) * (1 - v), (1 - u) * v, u * (1 - v), u * v]

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        rest = self.dims[2:]
        batch = x.shape[: x.ndim - len(self.dims)]
        flat = xp.reshape(x, (*batch, math.prod(self.dims[:2]), *rest))
        return weighted_gather(flat, *self._taps(), -1 - len(rest))

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        rest = self.dims[2:]
        flat = weighted_spread(y, *self._taps(), math.prod(self.dims[:2]), -1 - len(rest))
        return xp.reshape(flat, (*y.shape[: y.ndim - len(self.dimsd)], *self.dims))
