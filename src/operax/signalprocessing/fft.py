"""One-dimensional Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax.signalprocessing._checks import as_axis, as_sizes
from operax.signalprocessing._fourier import Fourier


class FFT(Fourier):
    r"""Fourier transform along one axis.

    Parameters
    ----------
    dims : int or tuple of int
        Shape of the model.
    axis : int, optional
        Axis that is transformed.
    nfft : int, optional
        Number of frequencies; the axis is zero-padded or cut to it. Default: the length of the axis.
    sampling : float, optional
        Sampling step along `axis`, for the frequencies `f`.
    norm : {"ortho", "none", "1/n"}, optional
        Scaling of forward and adjoint: both by :math:`1/\sqrt{n}` (the operator is unitary), neither, or both by
        :math:`1/n`.
    real : bool, optional
        The model is real: keep the ``nfft // 2 + 1`` frequencies that are not negative, scaled by :math:`\sqrt{2}`
        except at zero and Nyquist, so that with ``norm="ortho"`` the adjoint is still the inverse.
    ifftshift_before : bool, optional
        Apply an inverse FFT shift to the model first (zero in the middle goes to index 0).
    fftshift_after : bool, optional
        Apply an FFT shift to the data (frequencies from negative to positive); not with `real`.
    engine : {"numpy", "scipy", "fftw", "mkl_fft"}, optional
        Accepted for scripts that name one; every library uses its fastest transform whatever it says.
    dtype : dtype-like, optional
        Precision that takes part in promotion. A real dtype makes the model real: the forward takes the real part of
        its input, and the adjoint gives real results. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.
    **kwargs_fft
        Options of single engines (such as ``workers``); accepted and without effect.

    Attributes
    ----------
    f : numpy.ndarray
        Frequencies of the data along `axis`.
    nfft : int
        Number of samples of the transform.

    Raises
    ------
    ValueError
        If `axis` is out of range, `norm` or `engine` unknown, or `fftshift_after` is asked of a `real` transform.

    Notes
    -----
    With :math:`n` samples, :math:`y_k = s \sum_j x_j e^{-2 \pi i j k / n}`, where :math:`s` is :math:`1/\sqrt{n}`,
    1 or :math:`1/n` for the three norms. The adjoint is :math:`x_j = s \sum_k y_k e^{2 \pi i j k / n}`.

    References
    ----------
    J. W. Cooley and J. W. Tukey, An algorithm for the machine calculation of complex Fourier series, Mathematics of
    Computation 19 (1965).

    Examples
    --------
    >>> import numpy as np, operax
    >>> Op = operax.signalprocessing.FFT(4, norm="none")
    >>> (Op @ np.ones(4)).real.tolist()
    [4.0, 0.0, 0.0, 0.0]
    >>> Op = operax.signalprocessing.FFT(8, sampling=0.5, real=True)
    >>> Op.f
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> np.allclose(Op.H @ (Op @ np.arange(8.0)), np.arange(8.0))
    True
    """

    def __init__(
        self,
        dims: Any,
        axis: int = -1,
        nfft: int | None = None,
        sampling: float = 1.0,
        norm: str = "ortho",
        real: bool = False,
        ifftshift_before: bool = False,
        fftshift_after: bool = False,
        engine: str = "numpy",
        dtype: Any = None,
        name: str = "F",
        **kwargs_fft: Any,
    ) -> None:
        axis = as_axis(axis, len(as_sizes(dims)))
        super().__init__(
            dims, (axis,), nfft, sampling, norm, real, ifftshift_before, fftshift_after, engine, dtype, name
        )

    @property
    def axis(self) -> int:
        """The transformed axis, counted from the front."""
        return self.axes[0]

    @property
    def nfft(self) -> int:
        """Number of samples of the transform."""
        return self.nffts[0]

    @property
    def sampling(self) -> float:
        """Sampling step."""
        return self.samplings[0]

    @property
    def f(self) -> np.ndarray:
        """Frequencies of the data."""
        return self.fs[0]
