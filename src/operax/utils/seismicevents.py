"""Synthetic seismic gathers: linear, parabolic and hyperbolic events."""

from __future__ import annotations

from typing import Any

import numpy as np


def makeaxis(par: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """Time and space axes from origins, samplings and numbers of samples.

    Parameters
    ----------
    par : dict
        ``ot, dt, nt`` of the time axis, ``ox, dx, nx`` of the first and, optionally, ``oy, dy, ny`` of the second
        space axis.

    Returns
    -------
    t : numpy.ndarray of shape (nt,)
        Time axis.
    t2 : numpy.ndarray of shape (2 nt - 1,)
        Symmetric time axis around zero.
    x : numpy.ndarray of shape (nx,)
        First space axis.
    y : numpy.ndarray of shape (ny,) or None
        Second space axis.

    Raises
    ------
    ValueError
        If an entry is missing.

    Examples
    --------
    >>> from operax.utils.seismicevents import makeaxis
    >>> t, t2, x, y = makeaxis({"ot": 0, "dt": 4, "nt": 3, "ox": 0, "dx": 2, "nx": 4})
    >>> t, t2, x, y
    (array([0, 4, 8]), array([-8, -4,  0,  4,  8]), array([0, 2, 4, 6]), None)
    """
    missing = [key for key in ("ot", "dt", "nt", "ox", "dx", "nx") if key not in par]
    if missing:
        raise ValueError(f"par lacks {', '.join(missing)}; every axis has an origin o, a sampling d and a number n")
    t = par["ot"] + np.arange(par["nt"]) * par["dt"]
    t2 = np.arange(1 - par["nt"], par["nt"]) * par["dt"]
    x = par["ox"] + np.arange(par["nx"]) * par["dx"]
    y = par["oy"] + np.arange(par["ny"]) * par["dy"] if all(k in par for k in ("oy", "dy", "ny")) else None
    return t, t2, x, y


def linear2d(x: Any, t: Any, v: float, t0: Any, theta: Any, amp: Any, wav: Any) -> tuple[np.ndarray, np.ndarray]:
    r"""Linear events along one space axis.

    Parameters
    ----------
    x : array_like of shape (nx,)
        Space axis.
    t : array_like of shape (nt,)
        Time axis, regularly sampled.
    v : float
        Propagation velocity.
    t0, theta, amp : float or sequence of float
        Intercept time, angle (degrees) and amplitude of every event.
    wav : array_like
        Wavelet, centred.

    Returns
    -------
    d, dwav : numpy.ndarray of shape (nx, nt)
        The events as (fractionally placed) spikes, and with the wavelet.

    Raises
    ------
    ValueError
        If the events' parameters differ in number.

    Notes
    -----
    :math:`t_i(x) = t_{0,i} + x \sin(\theta_i) / v`. A spike between two samples is shared out between them linearly;
    one that falls outside the time axis is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.seismicevents import linear2d
    >>> d, dwav = linear2d(np.arange(2.0), np.arange(4.0), 1.0, t0=1.0, theta=30.0, amp=2.0, wav=[1.0])
    >>> d
    array([[0., 2., 0., 0.],
           [0., 1., 1., 0.]])
    """
    x = _axis("x", x)
    t0, theta, amp = _events(t0=t0, theta=theta, amp=amp)
    times = t0 + x[:, None] * np.sin(np.deg2rad(theta)) / v
    return _gather(times, amp, t, wav)


def parabolic2d(x: Any, t: Any, t0: Any, px: Any, pxx: Any, amp: Any, wav: Any) -> tuple[np.ndarray, np.ndarray]:
    r"""Parabolic events along one space axis.

    Parameters
    ----------
    x : array_like of shape (nx,)
        Space axis.
    t : array_like of shape (nt,)
        Time axis, regularly sampled.
    t0, px, pxx, amp : float or sequence of float
        Intercept time, slowness, curvature and amplitude of every event.
    wav : array_like
        Wavelet, centred.

    Returns
    -------
    d, dwav : numpy.ndarray of shape (nx, nt)
        The events as spikes, and with the wavelet.

    Raises
    ------
    ValueError
        If the events' parameters differ in number.

    Notes
    -----
    :math:`t_i(x) = t_{0,i} + p_{x,i} x + p_{xx,i} x^2`

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.seismicevents import parabolic2d
    >>> parabolic2d(np.arange(3.0), np.arange(6.0), 0.0, 0.0, 1.0, 1.0, [1.0])[0].argmax(axis=1)
    array([0, 1, 4])
    """
    x = _axis("x", x)
    t0, px, pxx, amp = _events(t0=t0, px=px, pxx=pxx, amp=amp)
    return _gather(t0 + px * x[:, None] + pxx * x[:, None] ** 2, amp, t, wav)


def hyperbolic2d(x: Any, t: Any, t0: Any, vrms: Any, amp: Any, wav: Any) -> tuple[np.ndarray, np.ndarray]:
    r"""Hyperbolic events along one space axis.

    Parameters
    ----------
    x : array_like of shape (nx,)
        Space axis.
    t : array_like of shape (nt,)
        Time axis, regularly sampled.
    t0, vrms, amp : float or sequence of float
        Intercept time, root-mean-square velocity and amplitude of every event.
    wav : array_like
        Wavelet, centred.

    Returns
    -------
    d, dwav : numpy.ndarray of shape (nx, nt)
        The events as spikes, and with the wavelet.

    Raises
    ------
    ValueError
        If the events' parameters differ in number.

    Notes
    -----
    :math:`t_i(x) = \sqrt{t_{0,i}^2 + x^2 / v_{rms,i}^2}`

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.seismicevents import hyperbolic2d
    >>> hyperbolic2d(np.array([0.0, 4.0]), np.arange(7.0), 3.0, 1.0, 1.0, [1.0])[0].argmax(axis=1)
    array([3, 5])
    """
    x = _axis("x", x)
    t0, vrms, amp = _events(t0=t0, vrms=vrms, amp=amp)
    return _gather(np.sqrt(t0**2 + (x[:, None] / vrms) ** 2), amp, t, wav)


def linear3d(
    x: Any, y: Any, t: Any, v: float, t0: Any, theta: Any, phi: Any, amp: Any, wav: Any
) -> tuple[np.ndarray, np.ndarray]:
    r"""Linear events along two space axes.

    Parameters
    ----------
    x, y : array_like of shape (nx,) and (ny,)
        Space axes.
    t : array_like of shape (nt,)
        Time axis, regularly sampled.
    v : float
        Propagation velocity.
    t0, theta, phi, amp : float or sequence of float
        Intercept time, dip and azimuth (degrees) and amplitude of every event.
    wav : array_like
        Wavelet, centred.

    Returns
    -------
    d, dwav : numpy.ndarray of shape (ny, nx, nt)
        The events as spikes, and with the wavelet.

    Raises
    ------
    ValueError
        If the events' parameters differ in number.

    Notes
    -----
    :math:`t_i(x, y) = t_{0,i} + \frac{\sin\theta_i}{v} (x \cos\phi_i + y \sin\phi_i)`

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.seismicevents import linear3d
    >>> linear3d(np.arange(3.0), np.arange(2.0), np.arange(9.0), 1.0, 1.0, 90.0, 0.0, 1.0, [1.0])[0].argmax(axis=-1)
    array([[1, 2, 3],
           [1, 2, 3]])
    """
    x, y = _axis("x", x)[None, :, None], _axis("y", y)[:, None, None]
    t0, theta, phi, amp = _events(t0=t0, theta=np.deg2rad(theta), phi=np.deg2rad(phi), amp=amp)
    times = t0 + np.sin(theta) / v * (x * np.cos(phi) + y * np.sin(phi))
    return _gather(times, amp, t, wav)


def parabolic3d(
    x: Any, y: Any, t: Any, t0: Any, px: Any, py: Any, pxx: Any, pyy: Any, amp: Any, wav: Any
) -> tuple[np.ndarray, np.ndarray]:
    r"""Parabolic events along two space axes.

    Parameters
    ----------
    x, y : array_like of shape (nx,) and (ny,)
        Space axes.
    t : array_like of shape (nt,)
        Time axis, regularly sampled.
    t0, px, py, pxx, pyy, amp : float or sequence of float
        Intercept time, slownesses, curvatures and amplitude of every event.
    wav : array_like
        Wavelet, centred.

    Returns
    -------
    d, dwav : numpy.ndarray of shape (ny, nx, nt)
        The events as spikes, and with the wavelet.

    Raises
    ------
    ValueError
        If the events' parameters differ in number.

    Notes
    -----
    :math:`t_i(x, y) = t_{0,i} + p_{x,i} x + p_{y,i} y + p_{xx,i} x^2 + p_{yy,i} y^2`

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.seismicevents import parabolic3d
    >>> d, _ = parabolic3d(np.arange(3.0), np.arange(2.0), np.arange(9.0), 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, [1.0])
    >>> d.argmax(axis=-1)
    array([[0, 1, 4],
           [1, 2, 5]])
    """
    x, y = _axis("x", x)[None, :, None], _axis("y", y)[:, None, None]
    t0, px, py, pxx, pyy, amp = _events(t0=t0, px=px, py=py, pxx=pxx, pyy=pyy, amp=amp)
    return _gather(t0 + px * x + py * y + pxx * x**2 + pyy * y**2, amp, t, wav)


def hyperbolic3d(
    x: Any, y: Any, t: Any, t0: Any, vrms_x: Any, vrms_y: Any, amp: Any, wav: Any
) -> tuple[np.ndarray, np.ndarray]:
    r"""Hyperbolic events along two space axes.

    Parameters
    ----------
    x, y : array_like of shape (nx,) and (ny,)
        Space axes.
    t : array_like of shape (nt,)
        Time axis, regularly sampled.
    t0, vrms_x, vrms_y, amp : float or sequence of float
        Intercept time, velocities along the axes (they only set the curvature) and amplitude of every event.
    wav : array_like
        Wavelet, centred.

    Returns
    -------
    d, dwav : numpy.ndarray of shape (ny, nx, nt)
        The events as spikes, and with the wavelet.

    Raises
    ------
    ValueError
        If the events' parameters differ in number.

    Notes
    -----
    :math:`t_i(x, y) = \sqrt{t_{0,i}^2 + x^2 / v_{x,i}^2 + y^2 / v_{y,i}^2}`

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.seismicevents import hyperbolic3d
    >>> x, y, t = np.array([0.0, 4.0]), np.array([0.0, 12.0]), np.arange(20.0)
    >>> hyperbolic3d(x, y, t, 3.0, 1.0, 1.0, 1.0, [1.0])[0].argmax(axis=-1)
    array([[ 3,  5],
           [12, 13]])
    """
    x, y = _axis("x", x)[None, :, None], _axis("y", y)[:, None, None]
    t0, vrms_x, vrms_y, amp = _events(t0=t0, vrms_x=vrms_x, vrms_y=vrms_y, amp=amp)
    return _gather(np.sqrt(t0**2 + (x / vrms_x) ** 2 + (y / vrms_y) ** 2), amp, t, wav)


def _axis(name: str, values: Any) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"{name} must be a one-dimensional axis, got shape {values.shape}")
    return values


def _events(**parameters: Any) -> list[np.ndarray]:
    """Every parameter with one value an event."""
    values = {name: np.atleast_1d(np.asarray(value)) for name, value in parameters.items()}
    lengths = {name: len(value) for name, value in values.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"every parameter needs one value an event, got {lengths}")
    return list(values.values())


def _gather(times: np.ndarray, amp: np.ndarray, t: Any, wav: Any) -> tuple[np.ndarray, np.ndarray]:
    """Spikes of amplitude `amp` at `times` of shape ``(*space, events)``, and their convolution with `wav`."""
    t, wav = _axis("t", t), np.atleast_1d(np.asarray(wav))
    nt = len(t)
    if nt < 2:
        raise ValueError(f"t must hold at least two samples, got {nt}")
    position = (times - t[0]) / (t[1] - t[0])
    near = np.round(position)
    position = np.where(np.abs(position - near) < 1e-9, near, position)  # a spike on a sample is not shared out
    below = np.floor(position)
    inside = (below >= 0) & (below < nt - 1)
    index, fraction = np.where(inside, below, 0).astype(int), position - below
    space = times.shape[:-1]
    d = np.zeros((*space, nt), np.result_type(amp, wav, float))
    places = np.indices(times.shape, sparse=True)[:-1]
    np.add.at(d, (*places, index), np.where(inside, amp * (1 - fraction), 0))
    np.add.at(d, (*places, np.minimum(index + 1, nt - 1)), np.where(inside, amp * fraction, 0))
    centre = len(wav) // 2
    dwav = np.apply_along_axis(lambda trace: np.convolve(trace, wav)[centre : centre + nt], -1, d)
    return d, dwav
