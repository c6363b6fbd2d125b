"""Convolution matrices, and slopes of images from their structure tensor or by plane-wave destruction."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import as_numpy
from operax.utils._pwdslope import pwd_slope_estimate as pwd_slope_estimate


def convmtx(h: Any, n: int, offset: int = 0, sparse: bool = False) -> Any:
    r"""Matrix of the full convolution with a filter, cut so that `offset` is its centre.

    Parameters
    ----------
    h : array of shape (nh,)
        Filter.
    n : int
        Number of columns: samples of the signal.
    offset : int, optional
        Index of the filter's centre: the rows in front of it are left out, as many rows of zeros follow.
    sparse : bool, optional
        Give a SciPy CSR matrix.

    Returns
    -------
    C : numpy.ndarray or scipy.sparse.csr_matrix of shape (nh + n - 1, n)
        The matrix, with :math:`C_{ij} = h_{i + o - j}`.

    Raises
    ------
    ValueError
        If `h` is not one-dimensional, `n` is not positive or `offset` lies outside the filter.

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.signalprocessing import convmtx
    >>> convmtx(np.array([1, 2, 3]), 3, offset=1)[:3]
    array([[2, 1, 0],
           [3, 2, 1],
           [0, 3, 2]])
    """
    h = as_numpy(h) if hasattr(h, "shape") else np.asarray(h)
    if h.ndim != 1 or h.size == 0:
        raise ValueError(f"h must be one-dimensional and not empty, got shape {h.shape}")
    if n < 1:
        raise ValueError(f"n={n!r} must be positive")
    if not 0 <= offset < h.size:
        raise ValueError(f"offset={offset!r} must lie inside the filter: from 0 to {h.size - 1}")
    import scipy.sparse

    rows = (np.arange(n)[:, None] + np.arange(h.size)[None, :] - offset).ravel()
    columns, values = np.repeat(np.arange(n), h.size), np.tile(h, n)
    inside = rows >= 0
    matrix = scipy.sparse.csr_matrix(
        (values[inside], (rows[inside], columns[inside])), shape=(h.size + n - 1, n), dtype=h.dtype
    )
    return matrix if sparse else matrix.toarray()


def nonstationary_convmtx(H: Any, n: int, hc: int = 0, pad: tuple[int, int] = (0, 0), sparse: bool = False) -> Any:
    r"""Matrix of a convolution whose filter changes with every input sample.

    Parameters
    ----------
    H : array of shape (n, nh)
        One filter for each input sample.
    n : int
        Number of columns: samples of the signal.
    hc : int, optional
        Index of the filters' centre.
    pad : tuple of int, optional
        Zeros in front of and behind each filter; the matrix ends with the padded first filter.
    sparse : bool, optional
        Give a SciPy CSR matrix.

    Returns
    -------
    C : numpy.ndarray or scipy.sparse.csr_matrix of shape (m, n)
        The matrix, with :math:`C_{ij} = H_{j, i - j + c}`; `m` is `n`, or fewer where the padded filters end earlier.

    Raises
    ------
    ValueError
        If `H` has not a row for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.signalprocessing import nonstationary_convmtx
    >>> nonstationary_convmtx(np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), 3, hc=1, pad=(3, 3))
    array([[2, 4, 0],
           [3, 5, 7],
           [0, 6, 8]])
    """
    H = as_numpy(H) if hasattr(H, "shape") else np.asarray(H)
    if H.ndim != 2 or H.shape[0] != n:
        raise ValueError(f"H must have shape ({n}, nh): a filter for each of the n={n} columns, got {H.shape}")
    if len(pad) != 2 or min(pad) < 0:
        raise ValueError(f"pad={pad!r} must hold two counts that are not negative")
    import scipy.sparse

    nh = H.shape[1]
    rows = (np.arange(n)[:, None] + np.arange(nh)[None, :] - hc).ravel()
    columns, values = np.repeat(np.arange(n), nh), H.ravel()
    count = max(0, min(n, nh + pad[1] - hc))
    inside = (rows >= 0) & (rows < count)
    matrix = scipy.sparse.csr_matrix((values[inside], (rows[inside], columns[inside])), shape=(count, n), dtype=H.dtype)
    return matrix if sparse else matrix.toarray()


def slope_estimate(
    d: Any, dz: float = 1.0, dx: float = 1.0, smooth: Any = 5.0, eps: float = 0.0, dips: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    r"""Local slopes of an image, from its smoothed structure tensor.

    Parameters
    ----------
    d : array of shape (nz, nx)
        Image.
    dz, dx : float, optional
        Samplings of the two axes, of similar size.
    smooth : float or sequence of float, optional
        Standard deviation, in samples, of the Gaussian that smooths the tensor.
    eps : float, optional
        Slopes are zero where :math:`|g_{zx}|` is below `eps` times the largest element of the tensor anywhere, and
        anisotropies where the larger eigenvalue is below `eps`.
    dips : bool, optional
        Give dips in radians instead of slopes.

    Returns
    -------
    slopes : numpy.ndarray of shape (nz, nx)
        Slopes in units of ``dz / dx``, or dips.
    anisotropies : numpy.ndarray of shape (nz, nx)
        :math:`1 - \lambda_{\min} / \lambda_{\max}`: 1 where the image varies in one direction only.

    Raises
    ------
    ValueError
        If the image has not two dimensions.

    Notes
    -----
    With :math:`g` the smoothed products of the two derivatives and :math:`\lambda` the eigenvalues of the tensor, the
    slope is :math:`(\lambda_{\max} - g_{zz}) / g_{zx}` and the dip half the angle of
    :math:`(g_{zz} - g_{xx}, 2 g_{zx})` [1]_.

    References
    ----------
    .. [1] L. J. van Vliet and P. W. Verbeek, Estimators for orientation and anisotropy in digitized images, ASCI
       Imaging Workshop (1995).

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.signalprocessing import slope_estimate
    >>> z, x = np.meshgrid(np.arange(40.0), np.arange(30.0), indexing="ij")
    >>> slopes, _ = slope_estimate(np.sin(0.5 * (z - 0.3 * x)), smooth=3.0)
    >>> bool(abs(abs(slopes[20, 15]) - 0.3) < 0.02)
    True
    """
    import scipy.ndimage

    image = as_numpy(d) if hasattr(d, "shape") else np.asarray(d)
    if image.ndim != 2:
        raise ValueError(f"d must have two dimensions, got shape {image.shape}")
    gz, gx = np.gradient(image, dz, dx)
    gzz, gxx, gzx = (scipy.ndimage.gaussian_filter(g, sigma=smooth) for g in (gz * gz, gx * gx, gz * gx))
    root = np.sqrt((gzz - gxx) ** 2 + 4 * gzx**2)
    largest, smallest = 0.5 * (gzz + gxx + root), 0.5 * (gzz + gxx - root)
    scale = max(float(np.max(np.abs(g), initial=0.0)) for g in (gzz, gxx, gzx))
    regular = np.abs(gzx) > eps * scale if eps > 0 else gzx != 0
    if dips:
        values = 0.5 * np.arctan2(2 * gzx, gzz - gxx)
    else:
        values = np.zeros_like(gzx)
        values[regular] = ((largest - gzz)[regular]) / gzx[regular]
    anisotropies = np.zeros_like(gzx)
    strong = largest > eps
    anisotropies[strong] = 1 - smallest[strong] / largest[strong]
    return values, anisotropies


def dip_estimate(
    d: Any, dz: float = 1.0, dx: float = 1.0, smooth: Any = 5.0, eps: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    r"""Local dips of an image in radians, from its smoothed structure tensor; see `slope_estimate`.

    Parameters
    ----------
    d : array of shape (nz, nx)
        Image.
    dz, dx : float, optional
        Samplings of the two axes, of similar size.
    smooth : float or sequence of float, optional
        Standard deviation, in samples, of the Gaussian that smooths the tensor.
    eps : float, optional
        Anisotropies are zero where the larger eigenvalue is below it.

    Returns
    -------
    dips : numpy.ndarray of shape (nz, nx)
        Dips from :math:`-\pi/2` to :math:`\pi/2`.
    anisotropies : numpy.ndarray of shape (nz, nx)
        As in `slope_estimate`.

    Examples
    --------
    >>> import numpy as np
    >>> from operax.utils.signalprocessing import dip_estimate
    >>> dips, _ = dip_estimate(np.outer(np.sin(np.arange(20.0)), np.ones(20)))
    >>> bool(np.allclose(dips, 0))
    True
    """
    return slope_estimate(d, dz=dz, dx=dx, smooth=smooth, eps=eps, dips=True)
