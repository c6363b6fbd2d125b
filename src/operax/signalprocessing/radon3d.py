"""Three-dimensional Radon transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operax.signalprocessing._checks import as_vector, one_of
from operax.signalprocessing._radon import ENGINES, KINDS, Radon, step_of, unitless


class Radon3D(Radon):
    r"""Spreading of model traces along surfaces, and, as its adjoint, summation over them.

    Parameters
    ----------
    taxis : array of shape (nt,)
        Time axis, regular.
    hyaxis, hxaxis : array of shape (ny,) and (nx,)
        Slow and fast space axes, regular.
    pyaxis, pxaxis : array of shape (npy,) and (npx,)
        Parameters of the surfaces along the two axes.
    kind : {"linear", "parabolic", "hyperbolic"} or callable, optional
        Family of surfaces, or a function of :math:`(y, x, t_0, p_y, p_x)` that gives the time, all in samples.
    centeredh : bool, optional
        Measure space from the middle of the axes (True) or as they say (False).
    interp : bool, optional
        Split each sample between its two neighbours in time (True) or put it in the one before (False).
    onthefly : bool, optional
        Accepted for scripts that give it: linear and parabolic surfaces never need a table, others always keep one.
    engine : {"numpy", "numba", "cuda"}, optional
        Accepted for scripts that name one; every library uses its fastest kernel whatever it says.
    dtype : dtype-like, optional
        Precision that takes part in promotion. Default None: follow the input.
    name : str, optional
        Symbol in `describe`.

    Raises
    ------
    ValueError
        If an axis is not regular or not one-dimensional, or `kind` or `engine` is unknown.

    Notes
    -----
    :math:`d(y, x, t) = \sum_{p_y, p_x} m(p_y, p_x, t_0)` where :math:`t = t_0 + p_y y + p_x x` (linear),
    :math:`t_0 + p_y y^2 + p_x x^2` (parabolic) or :math:`\sqrt{t_0^2 + y^2 / p_y^2 + x^2 / p_x^2}` (hyperbolic), with
    space and time in samples and the parameters multiplied by the ratio of the samplings. The model has shape
    (npy * npx, nt), the data (ny * nx, nt).

    Examples
    --------
    >>> import numpy as np, operax
    >>> t, h, p = np.arange(4) * 1.0, np.arange(2) * 1.0, np.array([0.0, 1.0])
    >>> Op = operax.signalprocessing.Radon3D(t, h, h, p, p, centeredh=False)
    >>> m = np.zeros((2, 2, 4))
    >>> m[1, 1, 0] = 1.0
    >>> (Op @ m.ravel()).reshape(2, 2, 4)[1, 1]
    array([0., 0., 1., 0.])
    """

    def __init__(
        self,
        taxis: Any,
        hyaxis: Any,
        hxaxis: Any,
        pyaxis: Any,
        pxaxis: Any,
        kind: str | Callable[..., Any] = "linear",
        centeredh: bool = True,
        interp: bool = True,
        onthefly: bool = False,
        engine: str = "numpy",
        dtype: Any = None,
        name: str = "R",
    ) -> None:
        t, hy, hx = as_vector(taxis, "taxis"), as_vector(hyaxis, "hyaxis"), as_vector(hxaxis, "hxaxis")
        py, px = as_vector(pyaxis, "pyaxis"), as_vector(pxaxis, "pxaxis")
        dt, dy, dx = step_of(t, "taxis"), step_of(hy, "hyaxis"), step_of(hx, "hxaxis")
        self.engine = one_of(engine, ENGINES, "engine")
        self.kind = kind if callable(kind) else one_of(kind, KINDS, "kind")
        super().__init__((py.size * px.size, t.size), (hy.size * hx.size, t.size), interp, dtype, name)
        t0 = np.arange(t.size, dtype=np.float64)
        y, x = (v.ravel() for v in np.meshgrid(unitless(hy, dy, centeredh), unitless(hx, dx, centeredh), indexing="ij"))
        sy, sx = (v.ravel() for v in np.meshgrid(py * dy / dt, px * dx / dt, indexing="ij"))
        if kind == "linear":
            self._set_shifts(sy[:, None] * y + sx[:, None] * x)
        elif kind == "parabolic":
            self._set_shifts(sy[:, None] * y**2 + sx[:, None] * x**2)
        elif kind == "hyperbolic":
            self._set_table(lambda i: np.sqrt(t0**2 + (y[i] / sy[:, None]) ** 2 + (x[i] / sx[:, None]) ** 2), y.size)
        else:
            function: Any = kind
            self._set_table(
                lambda i: np.stack(
                    [
                        np.broadcast_to(np.asarray(function(y[i], x[i], t0, a, b), np.float64), t0.shape)
                        for a, b in zip(sy, sx)
                    ]
                ),
                y.size,
            )
