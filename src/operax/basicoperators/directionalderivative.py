"""Derivatives along given directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.dtypes import is_complex
from operax._arrays.keep import store
from operax._arrays.namespace import Array, is_array, namespace_of
from operax._arrays.stencil import apply_stencil, unstack_stencils
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import meeting, per_axis, sizes_of, step_of
from operax.basicoperators._derivative import check_kind, first_stencil


class FirstDirectionalDerivative(LinearOperator):
    r"""First derivative along a direction, the same everywhere or one for each point.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model.
    v : array
        Direction of shape ``(len(dims),)``, or directions of shape ``(len(dims), *dims)``; of unit length where the
        derivative is to be one per unit of length.
    sampling : float or tuple of float, optional
        Distance of two samples, for all axes or for each.
    edge : bool, optional
        Use one-sided differences at the edges; by default the derivative is zero there. For the centered kind.
    kind : {"centered", "forward", "backward"}, optional
        Which neighbours are used.
    dtype : dtype-like, optional
        Precision of the directions and of the result; by default the one of the directions and the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    v : array
        Directions: a leaf, so that results can be differentiated in them.

    Raises
    ------
    ValueError
        If `v` has neither of the two shapes.

    Notes
    -----
    .. math:: y = v \cdot \nabla x = \sum_k v_k \, \delta_k x / h_k

    with the gradient of `Gradient`; nothing is kept of it.

    References
    ----------
    .. [1] J. Marsden and A. Tromba, Vector Calculus, 2011, ch. 2.

    Examples
    --------
    >>> import numpy as np, operax
    >>> x = np.arange(3.0)[:, None] + 10 * np.arange(3.0)
    >>> (operax.FirstDirectionalDerivative((3, 3), np.array([0.6, 0.8])) @ x)[1, 1]
    np.float64(8.6)
    """

    _reads_neighbours = True

    def __init__(
        self,
        dims: Any,
        v: Any,
        sampling: Any = 1.0,
        edge: bool = False,
        kind: str = "centered",
        dtype: Any = None,
        name: str = "F",
    ) -> None:
        check_kind(kind)
        sizes = sizes_of(dims)
        v = v if is_array(v) else np.asarray(v)
        if tuple(v.shape) not in ((len(sizes),), (len(sizes), *sizes)):
            raise ValueError(
                f"v of shape {tuple(v.shape)} must have shape ({len(sizes)},), one direction for all points, or "
                f"{(len(sizes), *sizes)}, one for each"
            )
        self.sampling = tuple(step_of(h) for h in per_axis(sampling, len(sizes), "sampling"))
        if any(is_array(h) for h in self.sampling):
            raise TypeError("sampling of directional derivatives must hold numbers; derivatives go through v")
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, name=name)
        self.edge, self.kind = bool(edge), kind
        self.v = self._parameter(v, "v")
        self.single = v.ndim == 1
        self.stencils = tuple(
            first_stencil(n, kind, self.edge, 3).scaled(1.0 / h) for n, h in zip(sizes, self.sampling)
        )

    def _directions(self, x: Array) -> Array:
        v = meeting(self.v, x)
        return namespace_of(v).reshape(v, (-1, *(1,) * len(self.dims))) if self.single else v

    def _first(self, x: Array) -> Array:
        n = len(self.dims)
        v = self._directions(x)
        total = None
        for k, stencil in enumerate(self.stencils):
            part = apply_stencil(x, stencil, k - n) * v[k, ...]
            total = part if total is None else total + part
        return total

    def _first_adjoint(self, y: Array) -> Array:
        n = len(self.dims)
        xp = namespace_of(y)
        v = self._directions(y)
        v = xp.conj(v) if is_complex(v) else v
        return unstack_stencils(v * xp.expand_dims(y, axis=-n - 1), tuple(s.T for s in self.stencils))

    def _forward(self, x: Array) -> Array:
        return self._first(x)

    def _adjoint(self, y: Array) -> Array:
        return self._first_adjoint(y)


class SecondDirectionalDerivative(FirstDirectionalDerivative):
    r"""Second derivative along a direction, the same everywhere or one for each point.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model.
    v : array
        Direction of shape ``(len(dims),)``, or directions of shape ``(len(dims), *dims)``.
    sampling : float or tuple of float, optional
        Distance of two samples, for all axes or for each.
    edge : bool, optional
        Use one-sided differences at the edges; by default the derivative is zero there. For the centered kind.
    kind : {"centered", "forward", "backward"}, optional
        Which neighbours are used.
    dtype : dtype-like, optional
        Precision of the directions and of the result; by default the one of the directions and the input.
    name : str, optional
        Symbol in `describe`.

    Notes
    -----
    .. math:: y = - D_v^H D_v x

    with the first derivative :math:`D_v` of `FirstDirectionalDerivative`: symmetric and negative semidefinite.

    References
    ----------
    .. [1] J. Marsden and A. Tromba, Vector Calculus, 2011, ch. 2.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.SecondDirectionalDerivative((5, 5), np.array([1.0, 0.0]))
    >>> (Op @ (np.arange(5.0)[:, None] ** 2 * np.ones(5)))[2, 2]
    np.float64(2.0)
    """

    def __init__(
        self,
        dims: Any,
        v: Any,
        sampling: Any = 1.0,
        edge: bool = False,
        kind: str = "centered",
        dtype: Any = None,
        name: str = "S",
    ) -> None:
        super().__init__(dims, v, sampling, edge, kind, dtype, name)

    def _forward(self, x: Array) -> Array:
        return -self._first_adjoint(store(self._first(x)))

    def _adjoint(self, y: Array) -> Array:
        return self._forward(y)
