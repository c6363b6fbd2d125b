"""A transform of patches of 2-dimensional data."""

from __future__ import annotations

from typing import Any

from operax._core.operator import LinearOperator
from operax.signalprocessing._windows import Windows, design


def patch2d_design(dimsd: Any, nwin: Any, nover: Any, nop: Any, verb: bool = True) -> tuple[Any, ...]:
    """Numbers of patches and shape of the model of `Patch2D`.

    Parameters
    ----------
    dimsd : tuple of int
        Shape of the data.
    nwin, nover : tuple of int
        Samples of a patch along each axis, and how many of them it shares with the next.
    nop : tuple of int
        Shape of the model of one patch.
    verb : bool, optional
        Accepted for scripts that give it, and without effect.

    Returns
    -------
    nwins : tuple of int
        Numbers of patches.
    dims : tuple of int
        Shape of the model.
    mwins_inends, dwins_inends : tuple of tuple of numpy.ndarray
        First indices and ends of the patches in model and data, for each axis.

    Warns
    -----
    UserWarning
        If the patches end before the data do.

    Examples
    --------
    >>> import operax
    >>> operax.signalprocessing.patch2d_design((10, 7), (4, 3), (2, 1), (3, 2))[:2]
    ((4, 3), (12, 6))
    """
    nwins, dims, model, data = design(dimsd, nwin, nover, nop)
    return nwins, dims, tuple(model), tuple(data)


class Patch2D(Windows):
    r"""A transform of overlapping patches along all axes of 2-dimensional data.

    Parameters
    ----------
    Op : LinearOperator
        Transform from the model of one patch to its samples, or of all patches at once. Any operator: it is called
        once, with the patches as leading batch axes.
    dims : tuple of int
        Shape of the model, from `patch2d_design`.
    dimsd : tuple of int
        Shape of the data.
    nwin, nover : tuple of int
        Samples of a patch along each axis, and how many of them it shares with the next.
    nop : tuple of int
        Shape of the model of one patch.
    tapertype : {"hanning", "cosine", "cosinesquare", "cosinesqrt"} or None, optional
        Taper of each patch before they are added; outer edges of the data are not tapered.
    savetaper : bool, optional
        Accepted for scripts that give it: tapers are kept as one vector an axis and patch in any case.
    scalings : array, optional
        A factor for each patch. A leaf: ``jax.grad`` with respect to the operator differentiates it.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    taps : array or None
        Tapers of all patches.
    simOp : bool
        Whether `Op` takes all patches at once.

    Raises
    ------
    ValueError
        If shapes do not fit, or the patches end before the data do.

    Notes
    -----
    :math:`y = \sum_i R_i^T \mathrm{diag}(s_i t_i) A x_i` with :math:`R_i` the restriction to patch :math:`i`,
    :math:`t_i` its taper, :math:`s_i` its factor and :math:`x_i` its model. Model patches follow each other: `dims` is
    (numbers of patches, shape of one model).

    Examples
    --------
    >>> import numpy as np, operax
    >>> sp = operax.signalprocessing
    >>> nwins, dims, _, _ = sp.patch2d_design((10, 7), (4, 3), (2, 1), (4, 3))
    >>> Op = sp.Patch2D(sp.FFTND((4, 3), axes=(0, 1)), dims, (10, 7), (4, 3), (2, 1), (4, 3))
    >>> Op.shape
    (70, 144)
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
        scalings: Any = None,
        name: str = "P",
    ) -> None:
        super().__init__(Op, dims, dimsd, nwin, nover, tapertype, scalings, name)
