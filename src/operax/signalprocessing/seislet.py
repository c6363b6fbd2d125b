"""Seislet transform."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from operax._arrays.dtypes import floating, like
from operax._arrays.fit import cut, pad_axis
from operax._arrays.namespace import Array, namespace_of
from operax._arrays.sinc import sinc_path
from operax._core.apply import edge
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import one_of


class Step(NamedTuple):
    """One term of a predict or update step: traces follow `shifts`, move by `by` places, and are weighted."""

    shifts: Array
    by: int
    weights: tuple[float, ...]


class Seislet(LinearOperator):
    r"""Wavelet transform across traces, each predicted from its neighbours along local slopes.

    Parameters
    ----------
    slopes : array of shape (nx, nt)
        Local slopes, in the units of `sampling` (time over space). A leaf: ``jax.grad`` with respect to the operator
        differentiates them.
    sampling : tuple of float, optional
        Sampling steps along x and t.
    level : int, optional
        Number of levels, from 0 to :math:`\log_2` of the padded number of traces; the default leaves two traces at the
        coarsest.
    kind : {"haar", "linear"}, optional
        Predict each trace from the one before, or from both neighbours.
    inv : bool, optional
        Make ``Op.H`` the inverse instead of the adjoint.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    slopes : array
        Slopes, padded with zeros.
    nx, nt : int
        Number of traces after padding to a power of two, and of samples.
    dx, dt : float
        Sampling steps.
    level : int
        Number of levels.
    levels_size : numpy.ndarray
        Number of residual traces of each level, finest first.
    levels_cum : numpy.ndarray
        Where each level's residuals, and last the coarsest traces, start in the data.

    Raises
    ------
    ValueError
        If `slopes` has not two dimensions, `sampling` not two values, `level` is out of range, or `kind` unknown.

    Notes
    -----
    Each level of the lifting scheme [1]_ splits the traces into even and odd ones and gives the residuals and the
    coarse traces

    .. math::
        r = o - P e, \qquad c = e + U r,

    the latter for the next level. :math:`P` and :math:`U` shift traces along the slopes by sinc interpolation, trace
    by trace over all between: forward for :math:`P` and backward, halved, for :math:`U` (`kind="haar"`), or averages
    of both directions (`kind="linear"`). The inverse, :math:`e = c - U r` and :math:`o = r + P e`, is exact.
    Slopes belong to the trace that a step starts from.

    References
    ----------
    .. [1] S. Fomel and Y. Liu, Seislet transform and seislet frame, Geophysics 75 (2010).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.Seislet(np.zeros((4, 3)), level=1)
    >>> x = np.array([[1.0, 2, 3], [1, 2, 3], [5, 6, 7], [5, 6, 7]])
    >>> (Op @ x).round(6) + 0.0  # residuals, then coarse traces
    array([[0., 0., 0.],
           [0., 0., 0.],
           [1., 2., 3.],
           [5., 6., 7.]])
    >>> np.allclose(Op.inverse(Op @ x), x)
    True
    """

    def __init__(
        self,
        slopes: Any,
        sampling: Any = (1.0, 1.0),
        level: int | None = None,
        kind: str = "haar",
        inv: bool = False,
        dtype: Any = None,
        name: str = "S",
    ) -> None:
        # kept in double precision whatever the dtype: they are positions
        slopes = floating(LinearOperator._parameter(LinearOperator(dims=1, dimsd=1), slopes, "slopes"))
        if slopes.ndim != 2 or 0 in slopes.shape:
            raise ValueError(f"slopes must have shape (nx, nt), got {tuple(slopes.shape)}")
        if np.size(sampling) != 2:
            raise ValueError(f"sampling={sampling!r} must hold two steps, along x and t")
        self.dx, self.dt = (float(s) for s in sampling)
        self.kind = one_of(kind, ("haar", "linear"), "kind")
        self.inv = bool(inv)
        traces, self.nt = (int(n) for n in slopes.shape)
        most = (traces - 1).bit_length()
        self.nx = 1 << most
        self.level = max(most - 1, 0) if level is None else operator.index(level)
        if not 0 <= self.level <= most:
            raise ValueError(
                f"level={level!r} must be between 0 and {most}, the base-two logarithm of {self.nx} traces"
            )
        super().__init__(dims=(traces, self.nt), dimsd=(self.nx, self.nt), dtype=dtype, name=name)
        self.slopes = pad_axis(slopes, 0, 0, self.nx - traces)

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype  # the precision of slopes says nothing of the data's

    @property
    def levels_size(self) -> np.ndarray:
        """Number of residual traces of each level, finest first."""
        return np.array([self.nx >> (k + 1) for k in range(self.level)], dtype=int)

    @property
    def levels_cum(self) -> np.ndarray:
        """Where each level's residuals, and last the coarsest traces, start in the data."""
        return np.concatenate([[0], np.cumsum(self.levels_size)]).astype(int)

    def _steps(self, level: int, x: Array) -> tuple[list[Step], list[Step]]:
        """The terms of predict and update at `level`."""
        xp = namespace_of(x)
        slopes = xp.asarray(self.slopes) * (self.dx / self.dt)  # in samples a trace
        stride = 1 << level
        n = self.nx // (2 * stride)

        def paths(first: int, backward: bool) -> Array:
            """Shifts of `stride` steps from trace ``first`` of each group of ``2 stride`` on, shape (steps, n, nt)."""
            start = first - stride + 1 if backward else first
            moved = pad_axis(slopes, 0, -start, start)  # the last group of the next one's traces is weighted zero
            groups = cut(xp.reshape(moved, (n, 2 * stride, self.nt)), 1, 0, stride)
            steps = xp.moveaxis(groups, 1, 0)
            return xp.flip(steps, axis=0) if backward else -steps

        if self.kind == "haar":
            return [Step(paths(0, False), 0, (1.0,) * n)], [Step(paths(stride, True), 0, (0.5,) * n)]
        # where the neighbour behind is missing, the other stands for it; the first update goes without the one before
        predict = [
            Step(paths(0, False), 0, (0.5,) * (n - 1) + (1.0,)),
            Step(paths(2 * stride, True), -1, (0.5,) * (n - 1) + (0.0,)),
        ]
        update = [
            Step(paths(stride, True), 0, (0.25,) * (n - 1) + (0.5,)),
            Step(paths(stride, False), 1, (0.25,) * n),
        ]
        return predict, update

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        coarse = pad_axis(floating(x), -2, 0, self.nx - self.dims[0])
        found = []
        for level in range(self.level):
            predict, update = self._steps(level, x)
            even, odd = _split(coarse)
            residual = odd - _apply(predict, even)
            coarse = even + _apply(update, residual)
            found.append(residual)
        return xp.concat([*found, coarse], axis=-2)

    def _adjoint(self, y: Array) -> Array:
        return self._back(y, inverse=self.inv)

    def _back(self, y: Array, inverse: bool) -> Array:
        y = floating(y)
        coarse = cut(y, y.ndim - 2, int(self.levels_cum[-1]), self.nx)
        for level in reversed(range(self.level)):
            predict, update = self._steps(level, y)
            start = int(self.levels_cum[level])
            residual = cut(y, y.ndim - 2, start, start + int(self.levels_size[level]))
            if inverse:
                even = coarse - _apply(update, residual)
                odd = residual + _apply(predict, even)
            else:
                odd = residual + _transposed(update, coarse)
                even = coarse - _transposed(predict, odd)
            coarse = _merge(even, odd)
        return cut(coarse, coarse.ndim - 2, 0, self.dims[0])

    def inverse(self, x: Array) -> Array:
        r"""The model whose transform is `x`.

        Parameters
        ----------
        x : array
            Data of shape `dimsd`, flat, or with a trailing batch axis, as for ``Op.H @ x``.

        Returns
        -------
        array
            The model, in the style of `x`.
        """
        return edge(self.H, x, lambda y: self._back(y, inverse=True))


def _split(x: Array) -> tuple[Array, Array]:
    """Even and odd traces."""
    xp = namespace_of(x)
    pairs = xp.reshape(x, (*x.shape[:-2], x.shape[-2] // 2, 2, x.shape[-1]))
    return pairs[..., 0, :], pairs[..., 1, :]


def _merge(even: Array, odd: Array) -> Array:
    xp = namespace_of(even)
    return xp.reshape(xp.stack([even, odd], axis=-2), (*even.shape[:-2], 2 * even.shape[-2], even.shape[-1]))


def _weighted(x: Array, weights: tuple[float, ...]) -> Array:
    xp = namespace_of(x)
    return x * like(xp.reshape(xp.asarray(list(weights)), (-1, 1)), x)


def _moved(x: Array, by: int) -> Array:
    """Traces `by` places further, zeros behind them."""
    return pad_axis(x, x.ndim - 2, by, -by) if by else x


def _apply(steps: list[Step], x: Array) -> Array:
    total = 0
    for shifts, by, weights in steps:
        # traces come to their path before a backward step, and leave it after a forward one
        y = sinc_path(_moved(x, by) if by < 0 else x, shifts)
        total = total + _weighted(_moved(y, by) if by > 0 else y, weights)
    return total


def _transposed(steps: list[Step], y: Array) -> Array:
    total = 0
    for shifts, by, weights in steps:
        x = _weighted(y, weights)
        x = sinc_path(_moved(x, -by) if by > 0 else x, shifts, transposed=True)
        total = total + (_moved(x, -by) if by < 0 else x)
    return total
