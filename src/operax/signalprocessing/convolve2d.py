"""Convolution along two axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax.signalprocessing.convolvend import ConvolveND


class Convolve2D(ConvolveND):
    r"""Convolution with a filter along two axes.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model and of the data.
    h : array of shape (nh1, nh2)
        Filter. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    offset : tuple of int, optional
        Index of the filter's sample that meets the sample of the same index in the data.
    axes : tuple of int, optional
        The two axes of the convolution.
    method : {None, "auto", "direct", "fft"}, optional
        How to compute, see `ConvolveND`.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow `h` and the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If `h` has not two dimensions, `offset` lies outside it, not two axes are given, or `method` is unknown.

    Notes
    -----
    :math:`y_{ij} = \sum_{kl} h_{kl} x_{i + o_1 - k, j + o_2 - l}` with zeros outside.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.Convolve2D((3, 3), h=np.arange(4.0).reshape(2, 2))
    >>> x = np.zeros((3, 3))
    >>> x[1, 1] = 1.0
    >>> Op @ x
    array([[0., 0., 0.],
           [0., 0., 1.],
           [0., 2., 3.]])
    """

    def __init__(
        self,
        dims: Any,
        h: Any,
        offset: tuple[int, int] = (0, 0),
        axes: tuple[int, int] = (-2, -1),
        method: str | None = None,
        dtype: Any = None,
        name: str = "C",
    ) -> None:
        if np.size(axes) != 2:
            raise ValueError(f"axes={axes!r} must name two axes; use Convolve1D for one and ConvolveND for several")
        super().__init__(dims, h, offset, axes, method, dtype, name)
