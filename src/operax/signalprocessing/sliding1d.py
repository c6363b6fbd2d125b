"""A transform of sliding windows of 1-dimensional data."""

from __future__ import annotations

from typing import Any

from operax._core.operator import LinearOperator
from operax.signalprocessing._windows import Windows, design


def sliding1d_design(dimd: Any, nwin: Any, nover: Any, nop: Any, verb: bool = True) -> tuple[Any, ...]:
    """Number of windows and shape of the model of `Sliding1D`.

    Parameters
    ----------
    dimd : int
        Shape of the data.
    nwin, nover : int
        Samples of a window along the axis, and how many of them it shares with the next.
    nop : int
        Shape of the model of one window.
    verb : bool, optional
        Accepted for scripts that give it, and without effect.

    Returns
    -------
    nwins : int
        Number of windows.
    dim : int
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
    >>> operax.signalprocessing.sliding1d_design(10, 4, 2, 3)[:2]
    (4, 12)
    """
    nwins, dims, model, data = design(dimd, nwin, nover, nop)
    return nwins[0], dims[0], model[0], data[0]


class Sliding1D(Windows):
    r"""A transform of overlapping windows along the axis of 1-dimensional data.

    Parameters
    ----------
    Op : LinearOperator
        Transform from the model of one window to its samples, or of all windows at once. Any operator: it is called
        once, with the windows as leading batch axes.
    dim : int
        Shape of the model, from `sliding1d_design`.
    dimd : int
        Shape of the data.
    nwin, nover : int
        Samples of a window along the axis, and how many of them it shares with the next.
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
    >>> nwins, dim, _, _ = sp.sliding1d_design(10, nwin=4, nover=2, nop=4)
    >>> Op = sp.Sliding1D(sp.FFT(4).H @ sp.FFT(4), dim, 10, nwin=4, nover=2)
    >>> Op.shape
    (10, 16)
    """

    def __init__(
        self,
        Op: LinearOperator,
        dim: Any,
        dimd: Any,
        nwin: Any,
        nover: Any,
        tapertype: str | None = "hanning",
        savetaper: bool = True,
        name: str = "S",
    ) -> None:
        super().__init__(Op, dim, dimd, nwin, nover, tapertype, None, name)
