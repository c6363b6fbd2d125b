"""Two-dimensional Radon transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operax.signalprocessing._checks import as_vector, one_of
from operax.signalprocessing._radon import ENGINES, KINDS, Radon, step_of, unitless


class Radon2D(Radon):
    r"""Spreading of model traces along curves, and, as its adjoint, summation along them.

    Parameters
    ----------
    taxis : array of shape (nt,)
        Time axis, regular.
    haxis : array of shape (nh,)
        Space axis, regular.
    pxaxis : array of shape (npx,)
        Parameter of the curves.
    kind : {"linear", "parabolic", "hyperbolic"} or callable, optional
        Family of curves, or a function of :math:`(x, t_0, p_x)` that gives the time, all in samples.
    centeredh : bool, optional
        Measure space from the middle of `haxis` (True) or as `haxis` says (False).
    interp : bool, optional
        Split each sample between its two neighbours in time (True) or put it in the one before (False).
    onthefly : bool, optional
        Accepted for scripts that give it: linear and parabolic curves never need a table, others always keep one.
    engine : {"numpy", "numba", "cuda"}, optional
        Accepted for scripts that name one; every library uses its fastest kernel whatever it says.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input. Times and weights are computed in
        double precision whatever it is.
    name : str, optional
        Symbol in `describe`.

    Attributes
    ----------
    fraction : array of shape (npx, nh)
        For linear and parabolic curves with `interp`: the fractional part of each shift in samples; a leaf, whose
        derivative is the one of the shift.

    Raises
    ------
    ValueError
        If an axis is not regular or not one-dimensional, or `kind` or `engine` is unknown.

    Notes
    -----
    :math:`d(x, t) = \sum_{p} m(p, t_0)` where :math:`t = t_0 + p x` (linear), :math:`t_0 + p x^2` (parabolic) or
    :math:`\sqrt{t_0^2 + x^2 / p^2}` (hyperbolic), with :math:`x` and :math:`t` in samples and :math:`p` multiplied by
    the ratio of the samplings [1]_. The model has shape (npx, nt), the data (nh, nt).

    References
    ----------
    .. [1] S. R. Deans, The Radon Transform and Some of Its Applications, Wiley (1983).

    Examples
    --------
    >>> import numpy as np, operax
    >>> t, h = np.arange(5) * 0.1, np.arange(3) * 1.0
    >>> Op = operax.signalprocessing.Radon2D(t, h, np.array([0.0, 0.1]), centeredh=False)
    >>> m = np.zeros((2, 5))
    >>> m[1, 0] = 1.0
    >>> Op @ m
    array([[1., 0., 0., 0., 0.],
           [0., 1., 0., 0., 0.],
           [0., 0., 1., 0., 0.]])
    """

    def __init__(
        self,
        taxis: Any,
        haxis: Any,
        pxaxis: Any,
        kind: str | Callable[..., Any] = "linear",
        centeredh: bool = True,
        interp: bool = True,
        onthefly: bool = False,
        engine: str = "numpy",
        dtype: Any = None,
        name: str = "R",
    ) -> None:
        t, h, p = as_vector(taxis, "taxis"), as_vector(haxis, "haxis"), as_vector(pxaxis, "pxaxis")
        dt, dh = step_of(t, "taxis"), step_of(h, "haxis")
        self.engine = one_of(engine, ENGINES, "engine")
        self.kind = kind if callable(kind) else one_of(kind, KINDS, "kind")
        super().__init__((p.size, t.size), (h.size, t.size), interp, dtype, name)
        x, slope, t0 = unitless(h, dh, centeredh), p * dh / dt, np.arange(t.size, dtype=np.float64)
        if kind == "linear":
            self._set_shifts(slope[:, None] * x[None, :])
        elif kind == "parabolic":
            self._set_shifts(slope[:, None] * x[None, :] ** 2)
        elif kind == "hyperbolic":
            self._set_table(lambda i: np.sqrt(t0[None, :] ** 2 + (x[i] / slope[:, None]) ** 2), h.size)
        else:
            function: Any = kind
            self._set_table(
                lambda i: np.stack(
                    [np.broadcast_to(np.asarray(function(x[i], t0, s), np.float64), t0.shape) for s in slope]
                ),
                h.size,
            )
