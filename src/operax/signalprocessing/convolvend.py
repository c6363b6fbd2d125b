"""Convolution along several axes."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._convolution import Convolution


class ConvolveND(Convolution):
    r"""Convolution with a filter along several axes.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model and of the data.
    h : array
        Filter with one dimension for each of `axes`. A leaf: ``jax.grad`` with respect to the operator
        differentiates it.
    offset : tuple of int, optional
        Index of the filter's sample that meets the sample of the same index in the data. Default: its first sample.
    axes : tuple of int, optional
        Axes of the convolution.
    method : {None, "auto", "direct", "fft"}, optional
        How to compute: None and "auto" take the fastest for the sizes at hand; the others insist.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow `h` and the input.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    nh : tuple of int
        Shape of the filter.

    Raises
    ------
    ValueError
        If `h` does not have a dimension for each of `axes`, `offset` lies outside it, an axis is out of range or
        `method` unknown.

    Notes
    -----
    :math:`y_t = \sum_k h_k x_{t + o - k}` with multi-indices :math:`t, k` over `axes`, offset :math:`o` and zeros
    outside; the adjoint is the correlation :math:`x_t = \sum_k \bar h_k y_{t - o + k}`.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.ConvolveND((3, 4, 5), h=np.ones((1, 3, 2)), offset=(0, 1, 0), axes=(0, 1, 2))
    >>> (Op @ np.ones((3, 4, 5)))[0]
    array([[2., 4., 4., 4., 4.],
           [3., 6., 6., 6., 6.],
           [3., 6., 6., 6., 6.],
           [2., 4., 4., 4., 4.]])
    """

    def __init__(
        self,
        dims: Any,
        h: Any,
        offset: Any = None,
        axes: Any = (-2, -1),
        method: str | None = None,
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        super().__init__(dims, h, offset, axes, method, dtype, name)

    @property
    def offset(self) -> tuple[int, ...]:
        """Index of the centre of the filter."""
        return self.offsets
