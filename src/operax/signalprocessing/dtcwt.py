"""Dual-tree complex wavelet transform."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from operax._arrays.complexes import make_complex
from operax._arrays.dtypes import floating, is_complex
from operax._arrays.fit import cut
from operax._arrays.namespace import Array, namespace_of
from operax._arrays.polyphase import bank_forward, bank_transposed
from operax._core.apply import edge
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_axis, as_sizes, one_of
from operax.signalprocessing._dualtree import (
    BIORT,
    QSHIFT,
    alternating,
    decimating,
    interpolating,
    level_one,
    whole,
)


class Pyramid(NamedTuple):
    """Coefficients by level.

    Parameters
    ----------
    lowpass : array
        The signal at the coarsest scale.
    highpasses : tuple of array
        Complex coefficients, finest scale first.
    scales : None
        Held for compatibility.
    """

    lowpass: Array
    highpasses: tuple[Array, ...]
    scales: None = None


class DTCWT(LinearOperator):
    r"""Dual-tree complex wavelet transform along one axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    biort : {"near_sym_a", "near_sym_b", "antonini", "legall"}, optional
        Filters of the first level.
    qshift : {"qshift_a", "qshift_b", "qshift_c", "qshift_d", "qshift_06"}, optional
        Filters of the further levels.
    level : int, optional
        Number of levels.
    include_scale : bool, optional
        Accepted and without effect.
    axis : int, optional
        Axis of the transform, of even length.
    inv : bool, optional
        Make ``Op.H`` the inverse transform, as PyLops has it, instead of the adjoint.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    h0o, g0o : array
        Lowpass filters of the first level, for analysis and synthesis; leaves, as `h0a`.
    h0a : array
        Lowpass filter of the further levels for the first tree; the second tree has it reversed.
    lengths : tuple of int
        Number of coefficients of each level, finest first, and last of the lowpass signal.

    Raises
    ------
    ValueError
        If `axis` is out of range or of odd length, `level` is negative, or `biort` or `qshift` unknown.

    Notes
    -----
    Two wavelet trees with a relative delay of half a sample give the real and the imaginary parts of coefficients
    whose size hardly changes when the signal moves [1]_. The first level filters without decimation, and its even and
    odd outputs feed the two trees; signals are continued by reflection. The data have one axis more than the model, in
    front, with the real and the imaginary parts; along `axis` they hold the coefficients of all levels, finest first,
    and last the lowpass signal, whose imaginary part is zero. `get_pyramid` takes them apart.

    ``Op.H`` is the adjoint, so that gradients and solvers are right; `inverse` gives the perfect reconstruction that
    PyLops applies in its place.

    References
    ----------
    .. [1] N. Kingsbury, Complex wavelets for shift invariant analysis and filtering of signals, Applied and
       Computational Harmonic Analysis 10 (2001).
    .. [2] D. Le Gall and A. Tabatabai, Sub-band coding of digital images using symmetric short kernel filters and
       arithmetic coding techniques, ICASSP (1988).
    .. [3] M. Antonini, M. Barlaud, P. Mathieu and I. Daubechies, Image coding using wavelet transform, IEEE
       Transactions on Image Processing 1 (1992).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.DTCWT(16, level=2)
    >>> x = np.arange(16.0)
    >>> (Op @ x).shape
    (2, 20)
    >>> np.allclose(Op.inverse(Op @ x), x)
    True
    >>> [h.shape for h in Op.get_pyramid(Op @ x).highpasses]
    [(8,), (4,)]
    """

    def __init__(
        self,
        dims: Any,
        biort: str = "near_sym_a",
        qshift: str = "qshift_a",
        level: int = 3,
        include_scale: bool = False,
        axis: int = -1,
        dtype: Any = None,
        name: str = "C",
        inv: bool = False,
    ) -> None:
        dims = as_sizes(dims)
        self.axis = as_axis(axis, len(dims))
        n = dims[self.axis]
        self.level = operator.index(level)
        if self.level < 0:
            raise ValueError(f"level={level!r} must not be negative")
        if self.level and n % 2:
            raise ValueError(f"axis {axis} of dims={dims} has the odd length {n}; pad it by one, e.g. with operax.Pad")
        self.biort, self.qshift = one_of(biort, BIORT, "biort"), one_of(qshift, QSHIFT, "qshift")
        self.include_scale, self.inv = bool(include_scale), bool(inv)
        self._lowpass = [n]  # lengths of the lowpass signal that each level takes
        lengths = []
        for k in range(self.level):
            m = self._lowpass[-1]
            m += 2 * (k > 0 and m % 4 == 2)
            lengths.append(m // 2 if k == 0 else m // 4)
            self._lowpass.append(m if k == 0 else m // 2)
        self.lengths = (*lengths, self._lowpass[-1])
        dimsd = [2, *dims]
        dimsd[self.axis + 1] = sum(self.lengths)
        super().__init__(dims=dims, dimsd=tuple(dimsd), dtype=dtype, name=name)
        # kept in double precision: `like` casts them to the data's
        self.h0o, self.g0o = (whole(half) for half in BIORT[self.biort])
        self.h0a = np.array(QSHIFT[self.qshift])

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype

    def _first(self, x: Array, synthesis: bool = False) -> list[Array]:
        """Low- and highpass filter of the first level."""
        xp = namespace_of(x)
        h, g = (xp.asarray(v) for v in (self.h0o, self.g0o))
        low, other = (g, h) if synthesis else (h, g)
        return [low, other * xp.asarray(alternating(other.shape[0], other.shape[0] // 2), dtype=other.dtype)]

    def _further(self, x: Array, synthesis: bool = False) -> list[tuple[Array, Array]]:
        """Low- and highpass filters of the further levels, in the order of the outputs of a pair."""
        xp = namespace_of(x)
        a = xp.asarray(self.h0a)
        b = xp.flip(a)
        highpass = b * xp.asarray(alternating(a.shape[0], 0), dtype=a.dtype)
        backward = xp.flip(highpass)
        # names of trees as published: analysis runs the second tree's filters first, synthesis the reversed ones
        return [(a, b), (highpass, backward)] if synthesis else [(b, a), (backward, highpass)]

    def _index(self, level: int) -> np.ndarray:
        """Samples that `level` takes: all, with the ends repeated where it needs a multiple of four."""
        n = self._lowpass[level]
        index = np.arange(n)
        return np.concatenate([[0], index, [n - 1]]) if level and n % 4 else index

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        low = xp.moveaxis(floating(x), self.axis - len(self.dims), -1)
        real, imag = [], []
        for level in range(self.level):
            index, (low_pass, high_pass) = self._index(level), self._banks(level, low)
            high = bank_forward(low, high_pass[0], high_pass[1], index)
            low = bank_forward(low, low_pass[0], low_pass[1], index)
            pairs = xp.reshape(high, (*high.shape[:-1], -1, 2))
            real.append(pairs[..., 0])
            imag.append(pairs[..., 1])
        parts = [xp.concat([*real, low], axis=-1), xp.concat([*imag, xp.zeros_like(low)], axis=-1)]
        y = xp.stack([xp.moveaxis(v, -1, self.axis - len(self.dims)) for v in parts], axis=0)
        return xp.moveaxis(y, 0, -1 - len(self.dims))

    def _banks(self, level: int, x: Array) -> list[tuple[list[Array], Any]]:
        """Filters and bank for the low- and the highpass signal of an analysis level."""
        if level == 0:
            return [([h], level_one(h.shape[0])) for h in self._first(x)]
        found = []
        for swapped, pair in zip((False, True), self._further(x)):
            found.append((list(pair[::-1] if swapped else pair), decimating(pair[0].shape[0], swapped)))
        return found

    def _adjoint(self, y: Array) -> Array:
        return self._inverse(y) if self.inv else self._transposed(y)

    def _taken_apart(self, y: Array) -> tuple[list[Array], Array]:
        """The highpass signals of all levels, real and imaginary parts interleaved, and the lowpass signal."""
        xp = namespace_of(y)
        y = xp.moveaxis(floating(y), -1 - len(self.dims), 0)
        y = xp.moveaxis(y, self.axis - len(self.dims), -1)
        highs, start = [], 0
        for n in self.lengths[:-1]:
            pairs = xp.stack([y[0, ..., start : start + n], y[1, ..., start : start + n]], axis=-1)
            highs.append(xp.reshape(pairs, (*pairs.shape[:-2], 2 * n)))
            start += n
        return highs, y[0, ..., start:]

    def _transposed(self, y: Array) -> Array:
        highs, low = self._taken_apart(y)
        for level in reversed(range(self.level)):
            index, (low_pass, high_pass) = self._index(level), self._banks(level, low)
            size = self._lowpass[level]
            low = bank_transposed(low, low_pass[0], low_pass[1], index, size) + bank_transposed(
                highs[level], high_pass[0], high_pass[1], index, size
            )
        return namespace_of(y).moveaxis(low, -1, self.axis - len(self.dims))

    def _inverse(self, y: Array) -> Array:
        highs, low = self._taken_apart(y)
        for level in reversed(range(self.level)):
            high = highs[level]
            index = np.arange(low.shape[-1])
            if level == 0:
                terms = [
                    bank_forward(v, [h], level_one(h.shape[0]), index)
                    for v, h in zip((low, high), self._first(y, synthesis=True))
                ]
            else:
                terms = []
                for swapped, v, (a, b) in zip((False, True), (low, high), self._further(y, synthesis=True)):
                    terms.append(bank_forward(v, [a, b, a, b], interpolating(a.shape[0], swapped), index))
            low = terms[0] + terms[1]
            if low.shape[-1] != self._lowpass[level]:
                low = cut(low, low.ndim - 1, 1, low.shape[-1] - 1)
        return namespace_of(y).moveaxis(low, -1, self.axis - len(self.dims))

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
        return edge(self.H, x, self._inverse)

    def get_pyramid(self, x: Array) -> Pyramid:
        """The coefficients in data `x` of shape `dimsd` (or flat), level by level.

        Parameters
        ----------
        x : array
            Data.

        Returns
        -------
        Pyramid
            Named tuple of `lowpass` and complex `highpasses` (finest first), with the axes of the model.
        """
        xp = namespace_of(x)
        x = xp.reshape(x, self.dimsd)
        found, start = [], 0
        for n in self.lengths:
            part = cut(x, self.axis + 1, start, start + n)
            found.append((part[0, ...], part[1, ...]))
            start += n
        join = (lambda r, i: r + 1j * i) if is_complex(x) else make_complex
        return Pyramid(found[-1][0], tuple(join(r, i) for r, i in found[:-1]))
