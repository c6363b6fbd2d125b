"""A transform of sliding windows of 2-dimensional data."""

from __future__ import annotations

from typing import Any

from operax._core.operator import LinearOperator
from operax.signalprocessing._windows import Windows, design


def sliding2d_design(dimsd: Any, nwin: Any, nover: Any, nop: Any, verb: bool = True) -> tuple[Any, ...]:
    """Number of windows and shape of the model of `Sliding2D`.

    Parameters
    ----------
    dimsd : tuple of int
        Shape of the data.
    nwin, nover : int
        Samples of a window along the first axis, and how many of them it shares with the next.
    nop : tuple of int
        Shape of the model of one window.
    verb : bool, optional
        Accepted for scripts that give it, and without effect.

    Returns
    -------
    nwins : int
        Number of windows.
    dims : tuple of int
        Shape of the model.
    mwins_inends, dwins_inends : tuple of numpy.ndarray
        First indices and ends of the windows in model and data.

    Warns
    -----
    UserWarning
        If the windows end before the data do.

    Examples
    --------
    >>> import operax
    >>> operax.signalprocessing.sliding2d_design((10, 5), 4, 2, (3, 5))[:2]
    (4, (12, 5))
    """
    nwins, dims, model, data = design(dimsd, nwin, nover, nop)
    return nwins[0], dims, model[0], data[0]


class Sliding2D(Windows):
    r"""A transform of overlapping windows along the first axis of 2-dimensional data.

    Parameters
    ----------
    Op : LinearOperator
        Transform from the model of one window to its samples, or of all windows at once. Any operator: it is called
        once, with the windows as leading batch axes.
    dims : tuple of int
        Shape of the model, from `sliding2d_design`.
    dimsd : tuple of int
        Shape of the data.
    nwin, nover : int
        Samples of a window along the first axis, and how many of them it shares with the next.
    tapertype : {"hanning", "cosine", "cosinesquare", "cosinesqrt"} or None, optional
        Taper of each window before they are added; outer edges of the first and last window are not tapered.
    savetaper : bool, optional
        Accepted for scripts that give it: tapers are kept as one vector an axis and window in any case.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    taps : array or None
        Tapers of all windows.
    simOp : bool
        Whether `Op` takes all windows at once.

    Raises
    ------
    ValueError
        If shapes do not fit, or the windows end before the data do.

    Notes
    -----
    :math:`y = \sum_i R_i^T \mathrm{diag}(t_i) A x_i` with :math:`R_i` the restriction to window :math:`i`,
    :math:`t_i` its taper and :math:`x_i` its model. Model windows follow each other: `dims` is
    (numbers of windows, shape of one model).

    Examples
    --------
    >>> import numpy as np, operax
    >>> sp = operax.signalprocessing
    >>> nwins, dims, _, _ = sp.sliding2d_design((10, 3), nwin=4, nover=2, nop=(4, 3))
    >>> Op = sp.Sliding2D(sp.FFT2D((4, 3)), dims, (10, 3), nwin=4, nover=2)
    >>> Op.shape
    (30, 48)
    """

    def __init__(
        self,
        Op: LinearOperator,
        dims: Any,
        dimsd: Any,
        nwin: Any,
        nover: Any,
        tapertype: str | None = "hanning",
        savetaper: bool = True,
        name: str = "S",
    ) -> None:
        super().__init__(Op, dims, dimsd, nwin, nover, tapertype, None, name)
