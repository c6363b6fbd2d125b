"""Rows of the signal operators."""

import numpy as np
import scipy.fft
import scipy.linalg

from catalogue._row import Row
from operax import signalprocessing as sp
from operax.basicoperators import MatrixMult

RNG = np.random.default_rng


def kron(*factors: np.ndarray) -> np.ndarray:
    """Matrix of an operator that acts on each axis on its own."""
    found = np.eye(1)
    for factor in factors:
        found = np.kron(found, factor)
    return found


def numbers(shape: tuple[int, ...] | int, dtype: str, seed: int = 0) -> np.ndarray:
    """Random numbers, complex where the dtype is."""
    rng = RNG(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


# ---- Fourier transforms


def dft(n: int, m: int | None = None, real: bool = False, before: bool = False, after: bool = False) -> np.ndarray:
    """Unscaled Fourier matrix from the exponential, for `n` samples padded or cut to `m`."""
    m = m or n
    f = np.exp(-2j * np.pi * np.outer(np.arange(m), np.arange(m)) / m)
    f = f[:, :n] if m >= n else np.hstack([f, np.zeros((m, n - m))])
    if before:
        f = f @ np.fft.ifftshift(np.eye(n), axes=0)
    if real:
        f = f[: m // 2 + 1] * np.sqrt(2)
        f[0] /= np.sqrt(2)
        if m % 2 == 0:
            f[-1] /= np.sqrt(2)
    return np.fft.fftshift(f, axes=0) if after else f


COMPLEX = ("complex64", "complex128")
REAL = ("float64",)

FOURIER = [
    Row("FFT", lambda d: sp.FFT(6, dtype=d), lambda d: dft(6) / np.sqrt(6), COMPLEX),
    Row("FFT real", lambda d: sp.FFT(6, real=True, dtype=d), lambda d: dft(6, real=True) / np.sqrt(6), REAL),
    Row(
        "FFT real axis=0 nfft odd and longer",
        lambda d: sp.FFT((4, 3), axis=0, nfft=5, real=True, norm="none", dtype=d),
        lambda d: kron(dft(4, 5, real=True), np.eye(3)),
        REAL,
    ),
    Row(
        "FFT nfft shorter shifted 1/n",
        lambda d: sp.FFT((3, 6), nfft=4, norm="1/n", ifftshift_before=True, fftshift_after=True, dtype=d),
        lambda d: kron(np.eye(3), dft(6, 4, before=True, after=True) / 4),
        ("complex128",),
    ),
    Row("FFT of a real dtype", lambda d: sp.FFT(5, dtype=d), lambda d: dft(5) / np.sqrt(5), REAL),
    Row(
        "FFT2D",
        lambda d: sp.FFT2D((4, 3), fftshift_after=(True, False), dtype=d),
        lambda d: kron(dft(4, after=True), dft(3)) / np.sqrt(12),
        ("complex128",),
    ),
    Row(
        "FFT2D real nffts",
        lambda d: sp.FFT2D((4, 3), nffts=(6, None), real=True, norm="none", dtype=d),
        lambda d: kron(dft(4, 6), dft(3, real=True)),
        REAL,
    ),
    Row(
        "FFTND real axes",
        lambda d: sp.FFTND((2, 3, 4), axes=(2, 0), real=True, dtype=d),
        lambda d: kron(dft(2, real=True), np.eye(3), dft(4)) / np.sqrt(8),
        REAL,
    ),
    Row(
        "FFTND four axes",
        lambda d: sp.FFTND((2, 2, 2, 3), axes=(0, 1, 2, 3), dtype=d),
        lambda d: kron(dft(2), dft(2), dft(2), dft(3)) / np.sqrt(24),
        ("complex128",),
    ),
]

# ---- convolutions


def toeplitz(h: np.ndarray, n: int, offset: int = 0, m: int | None = None) -> np.ndarray:
    """Convolution matrix of `h` with centre `offset`, from `n` samples to `m`."""
    m = m or n
    return np.array(
        [[h[t + offset - s] if 0 <= t + offset - s < len(h) else 0 for s in range(n)] for t in range(m)], h.dtype
    )


def toeplitz_nd(h: np.ndarray, dims: tuple[int, ...], offset: tuple[int, ...]) -> np.ndarray:
    """Convolution matrix of `h` over all of `dims`, entry by entry."""
    found = np.zeros((*dims, *dims), h.dtype)
    for t in np.ndindex(*dims):
        for s in np.ndindex(*dims):
            k = tuple(a + o - b for a, o, b in zip(t, offset, s))
            if all(0 <= i < n for i, n in zip(k, h.shape)):
                found[t + s] = h[k]
    return found.reshape(np.prod(dims), np.prod(dims))


CONVOLUTIONS = [
    Row(
        "Convolve1D",
        lambda d: sp.Convolve1D(6, numbers(3, d), offset=1, dtype=d),
        lambda d: toeplitz(numbers(3, d), 6, 1),
        ("float32", "float64", "complex128"),
    ),
    Row(
        "Convolve1D 35 taps",
        lambda d: sp.Convolve1D((70, 2), numbers(35, d), offset=12, axis=0, dtype=d),
        lambda d: kron(toeplitz(numbers(35, d), 70, 12), np.eye(2)),
        REAL,
    ),
    Row(
        "Convolve1D axis=0 fft",
        lambda d: sp.Convolve1D((6, 4), numbers(4, d), offset=3, axis=0, method="fft", dtype=d),
        lambda d: kron(toeplitz(numbers(4, d), 6, 3), np.eye(4)),
    ),
    Row(
        "Convolve1D filter longer than the axis",
        lambda d: sp.Convolve1D((2, 4), numbers(6, d), offset=2, method="overlapadd", dtype=d),
        lambda d: kron(np.eye(2), toeplitz(numbers(6, d), 4, 2, 6)),
    ),
    Row(
        "Convolve2D",
        lambda d: sp.Convolve2D((4, 5), numbers((3, 2), d), offset=(1, 1), dtype=d),
        lambda d: toeplitz_nd(numbers((3, 2), d), (4, 5), (1, 1)),
        ("float32", "float64", "complex128"),
    ),
    Row(
        "Convolve2D 3x45 taps",
        lambda d: sp.Convolve2D((4, 5), numbers((3, 45), d), offset=(1, 20), dtype=d),
        lambda d: toeplitz_nd(numbers((3, 45), d), (4, 5), (1, 20)),
        ("float32", "complex128"),
    ),
    Row(
        "Convolve2D fft",
        lambda d: sp.Convolve2D((4, 5), numbers((2, 3), d), offset=(0, 1), method="fft", dtype=d),
        lambda d: toeplitz_nd(numbers((2, 3), d), (4, 5), (0, 1)),
    ),
    Row(
        "ConvolveND axes",
        lambda d: sp.ConvolveND((4, 2, 3), numbers((2, 2), d), offset=(1, 0), axes=(0, 2), dtype=d),
        lambda d: (
            toeplitz_nd(numbers((2, 2), d), (4, 3), (1, 0))
            .reshape(4, 3, 4, 3)[:, None, :, :, None, :]
            .__mul__(np.eye(2)[None, :, None, None, :, None])
            .reshape(24, 24)
        ),
    ),
]

# ---- transforms


def dwt(n: int, wavelet: str, level: int) -> np.ndarray:
    """Matrix of PyWavelets' transform of the padded signal."""
    import pywt

    m = 1 << (n - 1).bit_length()
    columns = [np.concatenate(pywt.wavedec(e, wavelet, mode="periodization", level=level)) for e in np.eye(m)]
    return np.array(columns).T[:, :n]


def dwtn(dims: tuple[int, ...], wavelet: str, level: int) -> np.ndarray:
    """The same over all of `dims` (powers of two)."""
    import pywt

    size = int(np.prod(dims))
    units = np.eye(size).reshape(size, *dims)
    columns = [
        pywt.coeffs_to_array(pywt.wavedecn(e, wavelet, mode="periodization", level=level))[0].ravel() for e in units
    ]
    return np.array(columns).T


def dct(n: int, kind: int) -> np.ndarray:
    return scipy.fft.dct(np.eye(n), type=kind, axis=0, norm="ortho")


def shift(n: int, by: float, nfft: int | None = None, real: bool = True) -> np.ndarray:
    """Interpolation with the Fourier series; with `real` the Nyquist term keeps its real part only."""
    m = nfft or n
    f = np.fft.fftfreq(m)
    found = (np.exp(2j * np.pi * np.outer(np.arange(m), f)) * np.exp(-2j * np.pi * f * by)) @ dft(m) / m
    return found[:n, :n].real if real else found[:n, :n]


TRANSFORMS = [
    Row("DWT", lambda d: sp.DWT(6, wavelet="db2", level=2, dtype=d), lambda d: dwt(6, "db2", 2)),
    Row(
        "DWT biorthogonal axis=0",
        lambda d: sp.DWT((8, 2), axis=0, wavelet="bior2.2", dtype=d),
        lambda d: kron(dwt(8, "bior2.2", 1), np.eye(2)),
        REAL,
    ),
    Row("DWT2D", lambda d: sp.DWT2D((4, 4), level=2, dtype=d), lambda d: dwtn((4, 4), "haar", 2)),
    Row("DWTND", lambda d: sp.DWTND((2, 4, 2), level=1, dtype=d), lambda d: dwtn((2, 4, 2), "haar", 1), REAL),
    Row("DCT", lambda d: sp.DCT((4, 3), dtype=d), lambda d: kron(dct(4, 2), dct(3, 2))),
    *(
        Row(
            f"DCT type={t} axes=0",
            lambda d, t=t: sp.DCT((5, 2), type=t, axes=0, dtype=d),
            lambda d, t=t: kron(dct(5, t), np.eye(2)),
            REAL,
        )
        for t in (1, 3, 4)
    ),
    Row("Shift real", lambda d: sp.Shift(6, 1.3, real=True, dtype=d), lambda d: shift(6, 1.3), REAL),
    Row(
        "Shift",
        lambda d: sp.Shift((5, 2), -0.4, axis=0, nfft=8, dtype=d),
        lambda d: kron(shift(5, -0.4, 8, real=False), np.eye(2)),
        ("complex128",),
    ),
    Row(
        "Shift of each trace",
        lambda d: sp.Shift((2, 5), np.array([0.5, 1.5]), sampling=0.5, real=True, dtype=d),
        lambda d: np.kron(np.diag([1.0, 0.0]), shift(5, 1.0)) + np.kron(np.diag([0.0, 1.0]), shift(5, 3.0)),
        REAL,
    ),
]

# ---- interpolation

POSITIONS = np.array([0.3, 2.0, 4.4, 1.75])


def linear_interp(n: int, positions: np.ndarray) -> np.ndarray:
    return np.array([np.maximum(0, 1 - abs(p - np.arange(n))) for p in positions])


def spline_interp(n: int, positions: np.ndarray) -> np.ndarray:
    import scipy.interpolate

    return scipy.interpolate.CubicSpline(np.arange(n), np.eye(n), bc_type="natural")(positions)


def bilinear_interp(dims: tuple[int, int], pairs: np.ndarray) -> np.ndarray:
    rows = [np.outer(linear_interp(dims[0], [u])[0], linear_interp(dims[1], [v])[0]).ravel() for u, v in pairs.T]
    return np.array(rows)


PAIRS = np.array([[0.3, 1.0, 2.5], [1.2, 0.0, 0.75]])

INTERPOLATIONS = [
    Row(
        "Interp nearest",
        lambda d: sp.Interp((2, 6), POSITIONS[:3], kind="nearest", dtype=d)[0],
        lambda d: kron(np.eye(2), np.eye(6)[[0, 2, 4]]),
        REAL,
    ),
    Row("Interp linear", lambda d: sp.Interp(6, POSITIONS, dtype=d)[0], lambda d: linear_interp(6, POSITIONS)),
    Row(
        "Interp sinc axis=0",
        lambda d: sp.Interp((6, 2), POSITIONS, axis=0, kind="sinc", dtype=d)[0],
        lambda d: kron(np.sinc(POSITIONS[:, None] - np.arange(6)), np.eye(2)),
        REAL,
    ),
    Row(
        "InterpCubicSpline",
        lambda d: sp.InterpCubicSpline((6, 2), POSITIONS, axis=0, dtype=d),
        lambda d: kron(spline_interp(6, POSITIONS), np.eye(2)),
    ),
    Row("Bilinear", lambda d: sp.Bilinear(PAIRS, (4, 3), dtype=d), lambda d: bilinear_interp((4, 3), PAIRS)),
    Row(
        "Bilinear n-d",
        lambda d: sp.Bilinear(PAIRS, (4, 3, 2), dtype=d),
        lambda d: kron(bilinear_interp((4, 3), PAIRS), np.eye(2)),
        REAL,
    ),
]

# ---- windows and slices


def windows(
    matrix: np.ndarray, n: tuple[int, ...], win: tuple[int, ...], over: tuple[int, ...], tapered: bool
) -> np.ndarray:
    """One `matrix` (samples of a window x its model) for every window of data of shape `n`, placed entry by entry."""
    starts = list(np.ndindex(*[(a - w) // (w - o) + 1 for a, w, o in zip(n, win, over)]))
    last = starts[-1]
    found = np.zeros((*n, len(starts), matrix.shape[1]), matrix.dtype)
    for i, start in enumerate(starts):
        for k in np.ndindex(*win):
            weight = 1.0
            for s, w, o, j, e in zip(start, win, over, k, last):
                edge = np.hanning(2 * o - 1)[:o] if o else []
                if tapered and j < o and s > 0:
                    weight *= edge[j]
                if tapered and j >= w - o and s < e:
                    weight *= edge[w - 1 - j]
            at = tuple(s * (w - o) + j for s, w, o, j in zip(start, win, over, k))
            found[(*at, i)] += weight * matrix[np.ravel_multi_index(k, win)]
    return found.reshape(np.prod(n), -1)


def slices(G: np.ndarray, nz: int) -> np.ndarray:
    return scipy.linalg.block_diag(*[np.kron(g, np.eye(nz)) for g in G])


WINDOWS = [
    Row(
        "Sliding1D",
        lambda d: sp.Sliding1D(MatrixMult(numbers((5, 3), d), dtype=d), 9, 11, 5, 2),
        lambda d: windows(numbers((5, 3), d), (11,), (5,), (2,), True),
    ),
    Row(
        "Sliding1D of FFT, no taper",
        lambda d: sp.Sliding1D(sp.FFT(4, real=True, dtype=d).H, 9, 8, 4, 2, tapertype=None),
        None,  # values: tests/signalprocessing/test_windows.py
        REAL,
    ),
    Row(
        "Sliding2D",
        lambda d: sp.Sliding2D(MatrixMult(numbers((8, 3), d), dtype=d), (3, 3), (8, 2), 4, 2),
        None,  # values: tests/signalprocessing/test_windows.py
        REAL,
    ),
    Row(
        "Sliding3D",
        lambda d: sp.Sliding3D(
            MatrixMult(numbers((6, 2), d), dtype=d), (2, 4, 1), (4, 3, 1), (3, 2), (2, 1), (1, 2), tapertype=None
        ),
        lambda d: windows(numbers((6, 2), d), (4, 3), (3, 2), (2, 1), False),
        REAL,
    ),
    Row(
        "Patch2D scalings",
        lambda d: sp.Patch2D(
            MatrixMult(numbers((12, 2), d), dtype=d),
            (2, 4),
            (6, 5),
            (4, 3),
            (2, 1),
            (1, 2),
            scalings=np.arange(1.0, 5.0),
        ),
        lambda d: windows(numbers((12, 2), d), (6, 5), (4, 3), (2, 1), True) * np.repeat(np.arange(1.0, 5.0), 2),
        REAL,
    ),
    Row(
        "Patch3D",
        lambda d: sp.Patch3D(
            MatrixMult(numbers((8, 1), d), dtype=d),
            (2, 2, 1),
            (3, 3, 2),
            (2, 2, 2),
            (1, 1, 0),
            (1, 1, 1),
            tapertype="cosine",
        ),
        None,  # values: tests/signalprocessing/test_windows.py
        REAL,
    ),
    Row(
        "Fredholm1",
        lambda d: sp.Fredholm1(numbers((2, 3, 2), d), nz=2, dtype=d),
        lambda d: slices(numbers((2, 3, 2), d), 2),
    ),
]

# ---- non-stationary convolutions


def bank(hs: np.ndarray, positions: tuple[tuple[int, ...], ...], dims: tuple[int, ...]) -> np.ndarray:
    """Matrix of the spread of each sample with its own filter, entry by entry."""
    d = len(dims)
    found = np.zeros((*dims, *dims), hs.dtype)
    for i in np.ndindex(*dims):
        filters = hs
        for at, j in zip(positions, i):
            weight = np.array([np.interp(j, at, e) for e in np.eye(len(at))])
            filters = np.tensordot(weight, filters, axes=(0, 0))
        for k in np.ndindex(*filters.shape):
            out = tuple(j + m - n // 2 for j, m, n in zip(i, k, filters.shape))
            if all(0 <= o < n for o, n in zip(out, dims)):
                found[out + i] += filters[k]
    size = int(np.prod(dims))
    assert hs.ndim == 2 * d
    return found.reshape(size, size)


def bank_of(inp: np.ndarray, shape: tuple[int, ...], positions: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """The same as a function of the filters."""
    counts = tuple(len(at) for at in positions)
    units = np.eye(int(np.prod(counts + shape))).reshape(-1, *counts, *shape)
    return np.array([bank(u, positions, inp.shape) @ inp.ravel() for u in units]).T


NONSTATIONARY = [
    Row(
        "NonStationaryConvolve1D",
        lambda d: sp.NonStationaryConvolve1D(6, numbers((2, 3), d), (1, 4), dtype=d),
        lambda d: bank(numbers((2, 3), d), ((1, 4),), (6,)),
    ),
    Row(
        "NonStationaryConvolve1D axis=0",
        lambda d: sp.NonStationaryConvolve1D((5, 2), numbers((2, 3), d), (1, 3), axis=0, dtype=d),
        lambda d: kron(bank(numbers((2, 3), d), ((1, 3),), (5,)), np.eye(2)),
        REAL,
    ),
    Row(
        "NonStationaryConvolve1D many lines",
        lambda d: sp.NonStationaryConvolve1D((5, 16), numbers((2, 3), d), (1, 3), axis=0, dtype=d),
        lambda d: kron(bank(numbers((2, 3), d), ((1, 3),), (5,)), np.eye(16)),
        REAL,
    ),
    Row(
        "NonStationaryFilters1D",
        lambda d: sp.NonStationaryFilters1D(numbers(6, d), 3, (1, 4), dtype=d),
        lambda d: bank_of(numbers(6, d), (3,), ((1, 4),)),
    ),
    Row(
        "NonStationaryConvolve2D",
        lambda d: sp.NonStationaryConvolve2D((4, 3), numbers((2, 2, 3, 1), d), (0, 2), (0, 2), dtype=d),
        lambda d: bank(numbers((2, 2, 3, 1), d), ((0, 2), (0, 2)), (4, 3)),
        REAL,
    ),
    Row(
        "NonStationaryFilters2D",
        lambda d: sp.NonStationaryFilters2D(numbers((4, 3), d), (1, 3), (0, 2), (0, 2), dtype=d),
        lambda d: bank_of(numbers((4, 3), d), (1, 3), ((0, 2), (0, 2))),
        REAL,
    ),
    Row(
        "NonStationaryConvolve3D",
        lambda d: sp.NonStationaryConvolve3D((2, 3, 2), numbers((1, 2, 1, 1, 3, 1), d), (0,), (0, 2), (1,), dtype=d),
        lambda d: bank(numbers((1, 2, 1, 1, 3, 1), d), ((0,), (0, 2), (1,)), (2, 3, 2)),
        REAL,
    ),
]

# ---- Radon transforms

TIME, SPACE, SLOPE = np.arange(5) * 0.1, np.arange(3) * 2.0, np.array([-0.03, 0.04])


def radon(curve: object, x: np.ndarray, p: np.ndarray, nt: int, interp: bool) -> np.ndarray:
    """Every sample of every model trace put on its curve, one by one; `curve(x, t0, p)` in samples."""
    found = np.zeros((len(x), nt, len(p), nt))
    for i, h in enumerate(x):
        for j, q in enumerate(p):
            for t0 in range(nt):
                t = curve(h, t0, q)
                below = int(np.floor(t)) if np.isfinite(t) else -1
                if 0 <= below < (nt - 1 if interp else nt):
                    w = t - below if interp else 0.0
                    found[i, below, j, t0] += 1 - w
                    if interp:
                        found[i, below + 1, j, t0] += w
    return found.reshape(len(x) * nt, len(p) * nt)


def parabola(x: float, t0: float, p: float) -> float:
    return t0 + p * x**2


CENTRED, SAMPLES = np.arange(3) - 1.0, SLOPE * 2.0 / 0.1

RADON = [
    Row(
        "Radon2D",
        lambda d: sp.Radon2D(TIME, SPACE, SLOPE, dtype=d),
        lambda d: radon(lambda x, t, p: t + p * x, CENTRED, SAMPLES, 5, True),
    ),
    Row(
        "Radon2D nearest",
        lambda d: sp.Radon2D(TIME, SPACE, SLOPE, interp=False, centeredh=False, dtype=d),
        lambda d: radon(lambda x, t, p: t + p * x, np.arange(3.0), SAMPLES, 5, False),
        REAL,
    ),
    Row(
        "Radon2D hyperbolic",
        lambda d: sp.Radon2D(TIME, SPACE, SLOPE, kind="hyperbolic", dtype=d),
        lambda d: radon(lambda x, t, p: np.sqrt(t**2 + (x / p) ** 2), CENTRED, SAMPLES, 5, True),
        REAL,
    ),
    Row(
        "Radon2D callable",
        lambda d: sp.Radon2D(TIME, SPACE, SLOPE, kind=parabola, interp=False, dtype=d),
        lambda d: radon(parabola, CENTRED, SAMPLES, 5, False),
        REAL,
    ),
    Row(
        "Radon3D parabolic",
        lambda d: sp.Radon3D(TIME, SPACE, SPACE[:2], SLOPE, SLOPE[:1], kind="parabolic", dtype=d),
        None,  # values: tests/signalprocessing/test_radon.py
        REAL,
    ),
]

ROWS: list[Row] = [*FOURIER, *CONVOLUTIONS, *TRANSFORMS, *INTERPOLATIONS, *WINDOWS, *NONSTATIONARY, *RADON]
