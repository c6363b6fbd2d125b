"""What Sliding1D/2D/3D and Patch2D/3D share: an operator applied to all windows of an array in one call."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from operax._arrays.dtypes import like
from operax._arrays.namespace import Array, namespace_of
from operax._arrays.windows import overlap_add, take_windows, window_count
from operax._core.apply import apply_nd
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_sizes, each_axis
from operax.utils.tapers import taper

Ends = tuple[np.ndarray, np.ndarray]


def checked_windows(dimsd: tuple[int, ...], nwin: Any, nover: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Lengths and overlaps of windows along the leading axes of `dimsd`."""
    windows = as_sizes(nwin, "nwin")
    overlaps = tuple(int(o) for o in each_axis(nover, len(windows), "nover"))
    for n, w, o in zip(dimsd, windows, overlaps):
        if w > n:
            raise ValueError(f"nwin={nwin!r} is longer than the data of shape {dimsd}")
        if not 0 <= o < w:
            raise ValueError(f"nover={nover!r} must be at least 0 and less than nwin={nwin!r}")
    return windows, overlaps


def uncovered(dimsd: tuple[int, ...], windows: tuple[int, ...], overlaps: tuple[int, ...]) -> str | None:
    """What is wrong and what to do where the last windows end before the data do."""
    for axis, (n, w, o) in enumerate(zip(dimsd, windows, overlaps)):
        step = w - o
        end = (window_count(n, w, step) - 1) * step + w
        if end < n:
            return (
                f"windows of {w} samples with an overlap of {o} end at sample {end} of the {n} along axis {axis}: the "
                f"last {n - end} would be dropped. Pad the axis to {end + step} samples (operax.Pad), cut it to {end}, "
                "or choose another window or overlap"
            )
    return None


def design(
    dimsd: Any, nwin: Any, nover: Any, nop: Any
) -> tuple[tuple[int, ...], tuple[int, ...], list[Ends], list[Ends]]:
    """Numbers of windows, shape of the model, and first and last indices of each window in model and data."""
    dimsd = as_sizes(dimsd, "dimsd")
    windows, overlaps = checked_windows(dimsd, nwin, nover)
    nop = as_sizes(nop, "nop")
    message = uncovered(dimsd, windows, overlaps)
    if message is not None:
        warnings.warn(message, UserWarning, stacklevel=3)
    counts = tuple(window_count(n, w, w - o) for n, w, o in zip(dimsd, windows, overlaps))
    model = [(np.arange(c) * m, (np.arange(c) + 1) * m) for c, m in zip(counts, nop)]
    data = [(np.arange(c) * (w - o), np.arange(c) * (w - o) + w) for c, w, o in zip(counts, windows, overlaps)]
    dims = tuple(c * m for c, m in zip(counts, nop)) + nop[len(counts) :]
    return counts, dims, model, data


class Windows(LinearOperator):
    """`Op` applied to all windows of the model, the results tapered and added up."""

    def __init__(
        self,
        Op: LinearOperator,
        dims: Any,
        dimsd: Any,
        nwin: Any,
        nover: Any,
        tapertype: str | None,
        scalings: Any,
        name: str,
    ) -> None:
        if not isinstance(Op, LinearOperator):
            raise TypeError(f"Op must be a LinearOperator, got {type(Op).__name__}")
        dimsd = as_sizes(dimsd, "dimsd")
        given = as_sizes(dims)
        self.nwin, self.nover = checked_windows(dimsd, nwin, nover)
        message = uncovered(dimsd, self.nwin, self.nover)
        if message is not None:
            raise ValueError(message)
        along = len(self.nwin)
        self.nwins = tuple(window_count(n, w, w - o) for n, w, o in zip(dimsd, self.nwin, self.nover))
        if any(m % c for m, c in zip(given, self.nwins)) or len(given) != len(dimsd):
            raise ValueError(
                f"dims={given} does not hold the {self.nwins} windows of the data of shape {dimsd}; it must be a "
                "multiple of that; the design helper of this operator gives the shape"
            )
        count, size = math.prod(self.nwins), math.prod(given)
        rest = dimsd[along:]
        inside = (*self.nwin, *rest)
        self.simOp = Op.shape[1] == size
        if not self.simOp and Op.shape[1] * count != size:
            raise ValueError(
                f"Op takes {Op.shape[1]} samples; it must take the {size // count} of a window, or the {size} of all"
            )
        expected = math.prod(inside) * (count if self.simOp else 1)
        if Op.shape[0] != expected:
            raise ValueError(
                f"Op gives {Op.shape[0]} samples; a window of the data has shape {inside}, so {expected} are needed"
            )
        local = tuple(m // c for m, c in zip(given, self.nwins)) + given[along:]
        super().__init__(dims=(*self.nwins, *local), dimsd=dimsd, dtype=Op._dtype, clinear=Op.clinear, name=name)
        self._model_dtype, self._data_dtype = Op._model_dtype, Op._data_dtype
        self.Op, self.tapertype = Op, tapertype
        self.tapers = None if tapertype is None else tuple(self._taper(i) for i in range(along))
        self.scalings = None if scalings is None else self._scalings(scalings, count)

    def _followed_dtype(self) -> np.dtype | None:
        return self.Op._followed_dtype()

    def _taper(self, i: int) -> np.ndarray:
        """Windows' tapers along an axis, of shape (number, samples); the outer edges of the first and last are ones."""
        w, o = self.nwin[i], self.nover[i]
        if 2 * o > w:
            raise ValueError(
                f"nover={o} is more than half of nwin={w}, so the tapered edges of a window would meet; "
                "choose a smaller overlap, or tapertype=None"
            )
        found = np.repeat(taper(w, o, self.tapertype)[None, :], self.nwins[i], axis=0)
        found[0, : w // 2] = 1.0
        found[-1, w - w // 2 :] = 1.0
        return found

    def _scalings(self, scalings: Any, count: int) -> Array:
        values = self._parameter(scalings, "scalings")
        if values.size != count:
            raise ValueError(f"scalings has {values.size} values; give one for each of the {count} windows")
        return namespace_of(values).reshape(values, self.nwins)

    @property
    def taps(self) -> Array | None:
        """The taper of every window, of shape (numbers of windows, samples of a window); None without tapers."""
        if self.tapers is None:
            return None
        xp = namespace_of(*self.tapers)
        found = xp.ones((*self.nwins, *self.nwin, *self.dimsd[len(self.nwin) :]))
        for i, t in enumerate(self.tapers):
            found = found * xp.reshape(t, self._spread(i, found.ndim))
        return found

    def _spread(self, i: int, ndim: int) -> tuple[int, ...]:
        shape = [1] * ndim
        shape[i], shape[len(self.nwins) + i] = self.nwins[i], self.nwin[i]
        return tuple(shape)

    def _weighted(self, windows: Array) -> Array:
        """Windows of shape (*batch, *numbers, *samples) times tapers and scalings."""
        xp = namespace_of(windows)
        ndim = len(self.nwins) + len(self.dimsd)
        for i, t in enumerate(self.tapers or ()):
            windows = windows * xp.reshape(like(t, windows), self._spread(i, ndim))
        if self.scalings is not None:
            windows = windows * xp.reshape(xp.asarray(self.scalings), (*self.nwins, *(1,) * len(self.dimsd)))
        return windows

    def _batch(self, x: Array, dims: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(x.shape[: x.ndim - len(dims)])

    def _apart(self, op: LinearOperator, x: Array, batch: tuple[int, ...], shape: tuple[int, ...]) -> Array:
        """`op` on every window (or on all at once), reshaped to (*batch, *numbers, *shape)."""
        xp = namespace_of(x)
        # one axis of windows: products with a matrix become a single large one
        across = () if self.simOp else (math.prod(self.nwins),)
        y = apply_nd(op, xp.reshape(x, (*batch, *across, *op.dims)))
        return xp.reshape(y, (*batch, *self.nwins, *shape))

    def _forward(self, x: Array) -> Array:
        batch, along, nd = self._batch(x, self.dims), len(self.nwin), len(self.dimsd)
        inside = (*self.nwin, *self.dimsd[along:])
        y = self._weighted(self._apart(self.Op, x, batch, inside))
        steps = [w - o for w, o in zip(self.nwin, self.nover)]
        return overlap_add(y, self.dimsd[:along], steps, nd - along)

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        batch, along, nd = self._batch(y, self.dimsd), len(self.nwin), len(self.dimsd)
        b = len(batch)
        for i in reversed(range(along)):
            y = take_windows(y, b + i, self.nwin[i], self.nwin[i] - self.nover[i])
        numbers = [b + 2 * i for i in range(along)]
        samples = [b + 2 * i + 1 for i in range(along)]
        y = xp.permute_dims(y, (*range(b), *numbers, *samples, *range(b + 2 * along, b + along + nd)))
        y = self._weighted(y)
        return self._apart(self.Op.H, y, batch, self.dims[along:])
