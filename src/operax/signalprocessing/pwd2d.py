"""Spraying and smoothing along local slopes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from operax._arrays.dtypes import floating
from operax._arrays.namespace import Array, is_tracer, namespace_of
from operax._arrays.spray import depths, spray
from operax._core.apply import apply_nd
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_sizes


class PWSprayer2D(LinearOperator):
    r"""Spray each sample along local slopes to the traces on both sides, decaying with distance.

    Parameters
    ----------
    dims : tuple of int
        Shape ``(nz, nx)`` of model and data.
    sigma : array of shape (nz, nx)
        Local slopes in samples a trace. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    radius : int, optional
        Number of traces on each side that a sample reaches.
    alpha : float, optional
        Decay a trace, in (0, 1]. A leaf, too.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    sigma, alpha : array
        Slopes and decay.
    radius : int
        Reach.

    Raises
    ------
    ValueError
        If `dims` has not two values, `sigma` another shape, `radius` is negative, or `alpha` outside (0, 1].

    See Also
    --------
    PWSmoother2D : The adjoint after the sprayer.

    Notes
    -----
    A sample at row :math:`z` of trace :math:`j` arrives at trace :math:`j + k` with weight :math:`\alpha^{|k|}` at the
    depth

    .. math::
        z_k = z + \sum_{m=j}^{j+k-1} \sigma_{z,m} \quad (k > 0), \qquad
        z_k = z - \sum_{m=j+k}^{j-1} \sigma_{z,m} \quad (k < 0),

    divided linearly between the two rows around it. Depths outside are taken at the nearest row.

    References
    ----------
    .. [1] S. Fomel, Applications of plane-wave destruction filters, Geophysics 67 (2002).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.PWSprayer2D((3, 3), np.ones((3, 3)), alpha=0.5)
    >>> x = np.zeros((3, 3))
    >>> x[1, 1] = 1.0  # sprayed along a slope of one sample a trace
    >>> Op @ x
    array([[0.5, 0. , 0. ],
           [0. , 1. , 0. ],
           [0. , 0. , 0.5]])
    """

    def __init__(
        self, dims: Any, sigma: Any, radius: int = 8, alpha: Any = 0.9, dtype: Any = None, name: str = "P"
    ) -> None:
        dims = as_sizes(dims)
        if len(dims) != 2:
            raise ValueError(f"dims={dims} must be (nz, nx)")
        self.radius = operator.index(radius)
        if self.radius < 0:
            raise ValueError(f"radius={radius!r} must not be negative")
        super().__init__(dims=dims, dimsd=dims, dtype=dtype, name=name)
        # kept in double precision whatever the dtype: they are positions
        plain = LinearOperator(dims=1, dimsd=1)
        self.sigma = floating(plain._parameter(sigma, "sigma"))
        self.alpha = floating(plain._parameter(alpha, "alpha"))
        if tuple(self.sigma.shape) != dims:
            raise ValueError(f"sigma has shape {tuple(self.sigma.shape)}, expected one slope a sample: {dims}")
        if self.alpha.shape != () or not (is_tracer(self.alpha) or 0 < float(self.alpha) <= 1):
            raise ValueError(f"alpha={alpha!r} must be a number in (0, 1]")

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype  # the precision of slopes says nothing of the data's

    def _forward(self, x: Array) -> Array:
        return self._spray(x, transposed=False)

    def _adjoint(self, y: Array) -> Array:
        return self._spray(y, transposed=True)

    def _spray(self, x: Array, transposed: bool) -> Array:
        xp = namespace_of(x)
        ways = depths(xp.asarray(self.sigma))
        flat = xp.reshape(floating(x), (*x.shape[:-2], -1))
        reach = min(self.radius, self.dims[1] - 1)
        return xp.reshape(spray(flat, ways, xp.asarray(self.alpha), reach, transposed), x.shape)


class PWSmoother2D(LinearOperator):
    r"""Smooth along local slopes: :math:`P^H P` with the sprayer :math:`P`.

    Parameters
    ----------
    dims : tuple of int
        Shape ``(nz, nx)`` of model and data.
    sigma : array of shape (nz, nx)
        Local slopes in samples a trace. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    radius : int, optional
        Number of traces on each side that a sample reaches in each of the two operators.
    alpha : float, optional
        Decay a trace, in (0, 1]. A leaf, too.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    sprayer : PWSprayer2D
        The sprayer.

    Raises
    ------
    ValueError
        As `PWSprayer2D`.

    See Also
    --------
    PWSprayer2D : The sprayer.

    Notes
    -----
    The operator is symmetric and has no negative eigenvalues, so it can serve as a covariance or as a preconditioner
    [1]_.

    References
    ----------
    .. [1] S. Fomel, Shaping regularization in geophysical-estimation problems, Geophysics 72 (2007).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.PWSmoother2D((3, 3), np.zeros((3, 3)), radius=1, alpha=0.5)
    >>> x = np.zeros((3, 3))
    >>> x[1, 1] = 1.0
    >>> Op @ x
    array([[0. , 0. , 0. ],
           [1. , 1.5, 1. ],
           [0. , 0. , 0. ]])
    """

    def __init__(
        self, dims: Any, sigma: Any, radius: int = 8, alpha: Any = 0.9, dtype: Any = None, name: str = "P"
    ) -> None:
        self.sprayer = PWSprayer2D(dims, sigma, radius, alpha, dtype)
        super().__init__(dims=self.sprayer.dims, dimsd=self.sprayer.dims, dtype=dtype, name=name)

    def _forward(self, x: Array) -> Array:
        return apply_nd(self.sprayer.H, apply_nd(self.sprayer, x))

    def _adjoint(self, y: Array) -> Array:
        return self._forward(y)
