"""Uniform discrete curvelet transform."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from operax._arrays.dtypes import complex_dtype, like
from operax._arrays.fft import fftn, ifftn
from operax._arrays.fit import cut
from operax._arrays.gather import gather
from operax._arrays.namespace import Array, namespace_of
from operax._arrays.scatter import scatter_add
from operax._core.apply import edge
from operax._core.operator import LinearOperator
from operax.signalprocessing._checks import as_sizes, dtype_pair, one_of, real_part
from operax.signalprocessing._curvelet import decimation, geometry, overlap_of

RADIAL = (math.pi / 3, 2 * math.pi / 3, 2 * math.pi / 3, 4 * math.pi / 3)


class UDCT(LinearOperator):
    r"""Uniform discrete curvelet transform of an image or volume.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model, at least two dimensions. Each must be a multiple of all steps by which coefficients are
        decimated; with `num_scales` scales and `wedges_per_direction` wedges :math:`w` that is
        :math:`2^{\mathrm{num\_scales} - 1} w / 3`.
    num_scales : int, optional
        Number of scales, with the lowpass image. Default 3.
    wedges_per_direction : int, optional
        Number of wedges along each direction at the coarsest scale, a multiple of 3; twice as many at each finer
        one. Default 3.
    window_overlap : float, optional
        Half the width of the transition from one wedge to the next, in wedges, above 0 and at most 0.5. Default: a
        tenth of the largest value :math:`a` with :math:`2^{1/w} (1 + 2 a) (1 + a) \le w`.
    radial_frequency_params : tuple of float, optional
        Frequencies in radians a sample where the band of the finest scale begins, is whole, begins to fall, and ends
        (beyond pi); coarser bands end where the next one begins, and begin at half of that. Default
        :math:`(\pi / 3, 2 \pi / 3, 2 \pi / 3, 4 \pi / 3)`.
    window_threshold : float, optional
        Values of windows that are not larger are left out.
    high_frequency_mode : {"curvelet", "wavelet"}, optional
        Wedges at the finest scale as well, or one undecimated ring of all directions there.
    transform_kind : {"real", "complex"}, optional
        For real models, wedges of one half of the frequencies (the others are their conjugates); for complex models
        wedges of both halves, those of negative frequencies last in each scale.
    dtype : dtype-like, optional
        Precision that takes part in promotion; the data are complex. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    groups : tuple of Group
        `scale`, `direction`, number of `wedges` and `shape` of their coefficients, in the order of the data.
    window : array
        Weight of the frequency that each coefficient comes from.

    Raises
    ------
    ValueError
        If `dims` has less than two dimensions or sizes that the decimation does not divide, another argument is out
        of its range, or a frequency lies in no window.

    Notes
    -----
    With smooth windows :math:`u_k` on wedges of the frequency plane, whose squares sum to one,

    .. math::
        c_k = D_k F^{-1} u_k F x, \qquad x = \sum_k F^{-1} u_k F D_k^* c_k ,

    where :math:`D_k` takes every :math:`d`-th sample and scales by :math:`\sqrt{d}` along each axis. The wedges are
    so narrow that nothing aliases: the transform is a tight frame, ``Op.H @ (Op @ x) == x``, and its adjoint is its
    inverse [1]_. (With wide overlaps the rims of a window may fold onto each other; the smaller value is then left out
    before the squares are made to sum to one, so that the frame stays tight.) An image has about two complex
    coefficients a sample, a complex one four. Along the main axis of scale :math:`j` (of :math:`J`, from 1)
    :math:`d = 2^{J - j + 1}`, along the others :math:`d = 2^{J - j} \cdot 2 w_j / 3`. The windows are products of
    Meyer's polynomial in the frequency and in the slope.

    Data are one vector: scale by scale, direction by direction, wedge by wedge (those of positive slopes first);
    `get_coefficients` takes it apart.

    Coefficients are those of PyLops, with three exceptions in favour of the tight frame. With
    ``high_frequency_mode="wavelet"`` the ring is the one window that completes the coarser ones (there it overlaps
    them, and the adjoint is not the inverse). Wide overlaps are treated as above (there reconstruction errs by
    percents). Sizes that the decimation does not divide are refused (there coefficients are lost).

    References
    ----------
    .. [1] T. T. Nguyen and H. Chauris, Uniform discrete curvelet transform, IEEE Transactions on Signal Processing
       58 (2010).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.UDCT((24, 32))
    >>> x = np.cos(np.arange(24.0))[:, None] * np.ones(32)
    >>> y = Op @ x
    >>> np.allclose(Op.H @ y, x)
    True
    >>> coefficients = Op.get_coefficients(y)
    >>> [[len(wedges) for wedges in directions] for directions in coefficients]
    [[1], [3, 3], [6, 6]]
    >>> coefficients[2][0][0].shape
    (12, 8)
    """

    def __init__(
        self,
        dims: Any,
        num_scales: int | None = None,
        wedges_per_direction: int | None = None,
        window_overlap: float | None = None,
        radial_frequency_params: tuple[float, float, float, float] | None = None,
        window_threshold: float = 1e-5,
        high_frequency_mode: str = "curvelet",
        transform_kind: str = "real",
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        dims = as_sizes(dims)
        if len(dims) < 2:
            raise ValueError(f"dims={dims} must have at least two dimensions; use DTCWT or DWT along one")
        self.num_scales = 3 if num_scales is None else operator.index(num_scales)
        if self.num_scales < 2:
            raise ValueError(f"num_scales={num_scales!r} must be at least 2: the lowpass image and one more")
        self.wedges_per_direction = 3 if wedges_per_direction is None else operator.index(wedges_per_direction)
        if self.wedges_per_direction < 3 or self.wedges_per_direction % 3:
            raise ValueError(f"wedges_per_direction={wedges_per_direction!r} must be a multiple of 3: 3, 6, 12, ...")
        self.window_overlap = overlap_of(self.wedges_per_direction) if window_overlap is None else float(window_overlap)
        if not 0 < self.window_overlap <= 0.5:
            raise ValueError(f"window_overlap={window_overlap!r} must be above 0 and at most 0.5")
        self.radial_frequency_params = _radial(radial_frequency_params)
        self.window_threshold = float(window_threshold)
        if not 0 <= self.window_threshold < 0.5:
            raise ValueError(f"window_threshold={window_threshold!r} must be at least 0 and well below 1")
        self.high_frequency_mode = one_of(high_frequency_mode, ("curvelet", "wavelet"), "high_frequency_mode")
        self.transform_kind = one_of(transform_kind, ("real", "complex"), "transform_kind")
        self._check_divisible(dims)
        found = geometry(
            dims,
            self.num_scales,
            self.wedges_per_direction,
            self.window_overlap,
            self.radial_frequency_params,
            self.window_threshold,
            self.high_frequency_mode == "wavelet",
            self.transform_kind == "complex",
        )
        model, data, self._real_model = dtype_pair(dtype, self.transform_kind == "real")
        super().__init__(dims=dims, dimsd=(len(found.source),), clinear=not self._real_model, name=name)
        if data is not None:
            self._dtype, self._model_dtype, self._data_dtype = data, model, data
        self.groups = found.groups
        # kept in double precision: `like` casts it to the data's
        self.window, self._source = found.window, found.source

    def _check_divisible(self, dims: tuple[int, ...]) -> None:
        curvelets = self.num_scales - (self.high_frequency_mode == "wavelet")
        steps = {2 ** (self.num_scales - 2)}
        for scale in range(1, curvelets):
            steps.update(decimation(scale, self.num_scales, self.wedges_per_direction * 2 ** (scale - 1)))
        step = math.lcm(*steps)
        if any(n % step or n == 0 for n in dims):
            nearest = tuple(max(1, -(-n // step)) * step for n in dims)
            raise ValueError(
                f"dims={dims} must be multiples of {step} for num_scales={self.num_scales} and "
                f"wedges_per_direction={self.wedges_per_direction}; pad to {nearest}, e.g. with operax.Pad"
            )

    def _followed_dtype(self) -> np.dtype | None:
        return self._dtype

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the data: complex."""
        return complex_dtype(self._dtype or np.float64)

    def _forward(self, x: Array) -> Array:
        xp = namespace_of(x)
        x = real_part(x) if self._real_model else x
        ndim = len(self.dims)
        spectrum = fftn(x, self.dims, tuple(range(-ndim, 0)), norm="ortho")
        flat = xp.reshape(spectrum, (*spectrum.shape[: spectrum.ndim - ndim], math.prod(self.dims)))
        taken = gather(flat, self._source, -1) * self._window_for(flat)
        return self._by_groups(taken, ifftn)

    def _adjoint(self, y: Array) -> Array:
        xp = namespace_of(y)
        ndim = len(self.dims)
        taken = self._by_groups(y, fftn)
        flat = scatter_add(taken * self._window_for(taken), self._source, math.prod(self.dims))
        spectrum = xp.reshape(flat, (*flat.shape[:-1], *self.dims))
        x = ifftn(spectrum, self.dims, tuple(range(-ndim, 0)), norm="ortho")
        return real_part(x) if self._real_model else x

    def _window_for(self, x: Array) -> Array:
        return like(self.window, namespace_of(x).real(x))

    def _by_groups(self, y: Array, transform: Any) -> Array:
        """The coefficients after a transform of each wedge's grid."""
        xp = namespace_of(y)
        axes = tuple(range(-len(self.dims), 0))
        parts, start = [], 0
        for group in self.groups:
            part = cut(y, y.ndim - 1, start, start + group.size)
            start += group.size
            grids = xp.reshape(part, (*part.shape[:-1], group.wedges, *group.shape))
            grids = transform(grids, group.shape, axes, norm="ortho")
            parts.append(xp.reshape(grids, (*part.shape[:-1], group.size)))
        return xp.concat(parts, axis=-1)

    def inverse(self, x: Array) -> Array:
        """The model whose transform is `x`; the same as the adjoint, because the transform is a tight frame.

        Parameters
        ----------
        x : array
            Data of shape `dimsd`, or with a trailing batch axis, as for ``Op.H @ x``.

        Returns
        -------
        array
            The model, in the style of `x`.
        """
        return edge(self.H, x, self._run_adjoint)

    def get_coefficients(self, x: Array) -> tuple[tuple[tuple[Array, ...], ...], ...]:
        """The coefficients in data `x`: by scale, direction and wedge.

        Parameters
        ----------
        x : array
            Data of shape `dimsd`.

        Returns
        -------
        tuple of tuple of tuple of array
            ``coefficients[scale][direction][wedge]``, an array with the axes of the model.
        """
        if tuple(x.shape) != self.dimsd:
            raise ValueError(f"coefficients have shape {self.dimsd}, got {tuple(x.shape)}")
        xp = namespace_of(x)
        scales: list[list[tuple[Array, ...]]] = [[] for _ in range(self.num_scales)]
        start = 0
        for group in self.groups:
            grids = xp.reshape(cut(x, 0, start, start + group.size), (group.wedges, *group.shape))
            start += group.size
            scales[group.scale].append(tuple(grids[i, ...] for i in range(group.wedges)))
        return tuple(tuple(directions) for directions in scales)


def _radial(value: Any) -> tuple[float, ...]:
    found = RADIAL if value is None else tuple(float(v) for v in value)
    if len(found) != 4 or not (0 < found[0] < found[1] and found[2] < found[3] < 2 * math.pi):
        raise ValueError(
            f"radial_frequency_params={value!r} must be four frequencies in radians a sample, where the finest band "
            f"begins, is whole, begins to fall and ends: a < b and c < d, above 0 and below 2 pi; default {RADIAL}"
        )
    if found[0] > found[2] or found[1] > found[3]:
        raise ValueError(f"radial_frequency_params={value!r}: the band must not fall before it rises: a <= c, b <= d")
    return found
