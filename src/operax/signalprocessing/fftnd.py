"""Fourier transform along several axes."""

from __future__ import annotations

from typing import Any

from operax.signalprocessing._fourier import Fourier


class FFTND(Fourier):
    r"""Fourier transform along several axes.

    Parameters
    ----------
    dims : tuple of int
        Shape of the model.
    axes : int or tuple of int, optional
        Axes that are transformed.
    nffts : int or tuple of int or None, optional
        Number of frequencies for all, or one value an axis; None takes the length of the axis.
    sampling : float or tuple of float, optional
        Sampling steps along `axes`.
    norm : {"ortho", "none", "1/n"}, optional
        Scaling of forward and adjoint: both by :math:`1/\sqrt{n}`, neither, or both by :math:`1/n`, where :math:`n`
        is the product of `nffts`.
    real : bool, optional
        The model is real: along the last of `axes` only the frequencies that are not negative are kept, scaled by
        :math:`\sqrt{2}` except at zero and Nyquist.
    ifftshift_before, fftshift_after : bool or tuple of bool, optional
        Shifts of model and data as in `FFT`, for all axes or one value an axis.
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
    fs : tuple of numpy.ndarray
        Frequencies of the data along each of `axes`.

    Raises
    ------
    ValueError
        If an axis is out of range or named twice, or `norm` or `engine` is unknown.

    Notes
    -----
    :math:`y_k = s \sum_j x_j e^{-2 \pi i \sum_a j_a k_a / n_a}` with multi-indices :math:`j, k` over `axes`; the
    adjoint has the opposite sign in the exponent.

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.FFTND((2, 3, 4), fftshift_after=True)
    >>> [f.tolist() for f in Op.fs][:1]
    [[-0.5, 0.0]]
    >>> x = np.arange(24.0).reshape(2, 3, 4)
    >>> np.allclose(Op.H @ (Op @ x), x)
    True
    """

    def __init__(
        self,
        dims: Any,
        axes: Any = (-3, -2, -1),
        nffts: Any = None,
        sampling: Any = 1.0,
        norm: str = "ortho",
        real: bool = False,
        ifftshift_before: Any = False,
        fftshift_after: Any = False,
        engine: str = "scipy",
        dtype: Any = None,
        name: str = "F",
        **kwargs_fft: Any,
    ) -> None:
        super().__init__(dims, axes, nffts, sampling, norm, real, ifftshift_before, fftshift_after, engine, dtype, name)
