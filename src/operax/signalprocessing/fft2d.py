"""Two-dimensional Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax.signalprocessing._checks import each_axis
from operax.signalprocessing._fourier import Fourier


class FFT2D(Fourier):
    r"""Fourier transform along two axes.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model, at least two dimensions.
    axes : tuple of int, optional
        The two axes that are transformed.
    nffts : int or tuple of int or None, optional
        Number of frequencies for both, or one value an axis; None takes the length of the axis.
    sampling : float or tuple of float, optional
        Sampling steps along `axes`.
    norm : {"ortho", "none", "1/n"}, optional
        Scaling of forward and adjoint: both by :math:`1/\sqrt{n}`, neither, or both by :math:`1/n`, where :math:`n`
        is the product of `nffts`.
    real : bool, optional
        The model is real: along the last of `axes` only the frequencies that are not negative are kept, scaled by
        :math:`\sqrt{2}` except at zero and Nyquist.
    ifftshift_before, fftshift_after : bool or tuple of bool, optional
        Shifts of model and data as in `FFT`, for both axes or one value an axis.
    engine : {"numpy", "scipy", "fftw", "mkl_fft"}, optional
        Accepted and without effect, see `FFT`.
    dtype : dtype-like, optional
        As in `FFT`: a real dtype makes the model real.
    name : str, optional
        Symbol in `describe`.
    **kwargs_fft
        Options of single engines; accepted and without effect.

    Attributes
    ----------
    f1, f2 : numpy.ndarray
        Frequencies of the data along the two axes.

    Raises
    ------
    ValueError
        If not two axes are given, one is out of range, or `norm` or `engine` is unknown.

    Notes
    -----
    :math:`y_{kl} = s \sum_{ij} x_{ij} e^{-2 \pi i (ik/n_1 + jl/n_2)}`, and the adjoint has the opposite sign in the
    exponent.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.FFT2D((4, 6), real=True)
    >>> x = np.arange(24.0).reshape(4, 6)
    >>> (Op @ x).shape
    (4, 4)
    >>> np.allclose(Op.H @ (Op @ x), x)
    True
    """

    def __init__(
        self,
        dims: Any,
        axes: tuple[int, int] = (-2, -1),
        nffts: Any = None,
        sampling: Any = 1.0,
        norm: str = "ortho",
        real: bool = False,
        ifftshift_before: Any = False,
        fftshift_after: Any = False,
        engine: str = "numpy",
        dtype: Any = None,
        name: str = "F",
        **kwargs_fft: Any,
    ) -> None:
        if len(each_axis(axes, np.size(axes), "axes")) != 2:
            raise ValueError(f"axes={axes!r} must name two axes; use FFT for one and FFTND for several")
        super().__init__(dims, axes, nffts, sampling, norm, real, ifftshift_before, fftshift_after, engine, dtype, name)

    @property
    def f1(self) -> np.ndarray:
        """Frequencies of the data along the first of `axes`."""
        return self.fs[0]

    @property
    def f2(self) -> np.ndarray:
        """Frequencies of the data along the second of `axes`."""
        return self.fs[1]
