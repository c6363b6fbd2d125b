"""A transform of sliding windows of 3-dimensional data."""

from __future__ import annotations

from typing import Any

from operax._core.operator import LinearOperator
from operax.signalprocessing._windows import Windows, design


def sliding3d_design(dimsd: Any, nwin: Any, nover: Any, nop: Any, verb: bool = True) -> tuple[Any, ...]:
    """Number of windows and shape of the model of `Sliding3D`.

    Parameters
    ----------
    dimsd : tuple of int
        Shape of the data.
    nwin, nover : tuple of int
        Samples of a window along the first two axes, and how many of them it shares with the next.
    nop : tuple of int
        Shape of the model of one window.
    verb : bool, optional
        Accepted for scripts that give it, and without effect.

    Returns
    -------
    nwins : tuple of int
        Number of windows.
    dims : tuple of int
        Shape of the model.
    mwins_inends, dwins_inends : tuple of numpy.ndarray
        First indices and ends of the windows in model and data, for each of the two axes.

    Warns
    -----
    UserWarning
        If the windows end before the data do.

    Examples
    --------
    >>> import operax
    >>> operax.signalprocessing.sliding3d_design((10, 7, 5), (4, 3), (2, 1), (3, 2, 5))[:2]
    ((4, 3), (12, 6, 5))
    """
    nwins, dims, model, data = design(dimsd, nwin, nover, nop)
    return nwins, dims, (model[0], model[1]), (data[0], data[1])


class Sliding3D(Windows):
    r"""A transform of overlapping windows along the first two axes of 3-dimensional data.

    Parameters
    ----------
    Op : LinearOperator
        Transform from the model of one window to its samples, or of all windows at once. Any operator: it is called
        once, with the windows as leading batch axes.
    dims : tuple of int
        Shape of the model, from `sliding3d_design`.
    dimsd : tuple of int
        Shape of the data.
    nwin, nover : tuple of int
        Samples of a window along the first two axes, and how many of them it shares with the next.
    nop : tuple of int
        Shape of the model of one window.
    tapertype : {"hanning", "cosine", "cosinesquare", "cosinesqrt"} or None, optional
        Taper of each window before they are added; outer edges of the first and last window are not tapered.
    savetaper : bool, optional
        Accepted for scripts that give it: tapers are kept as one vector an axis and window in any case.
    nproc : int, optional
        Accepted for scripts that give it, and without effect.
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
    >>> nwins, dims, _, _ = sp.sliding3d_design((10, 7, 2), nwin=(4, 3), nover=(2, 1), nop=(4, 3, 2))
    >>> Op = sp.Sliding3D(sp.FFTND((4, 3, 2)), dims, (10, 7, 2), (4, 3), (2, 1), (4, 3, 2))
    >>> Op.shape
    (140, 288)
    """

    def __init__(
        self,
        Op: LinearOperator,
        dims: Any,
        dimsd: Any,
        nwin: Any,
        nover: Any,
        nop: Any,
        tapertype: str | None = "hanning",
        savetaper: bool = True,
        nproc: int = 1,
        name: str = "P",
    ) -> None:
        super().__init__(Op, dims, dimsd, nwin, nover, tapertype, None, name)
