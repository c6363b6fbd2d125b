"""Rows of the signal operators that work along slopes, in the frequency domain, or with redundant frames."""

import numpy as np

from catalogue._row import Row
from operax import signalprocessing as sp

RNG = np.random.default_rng
DOUBLE = ("float64",)


# ---- Radon transforms in the frequency domain


def by_frequency(response, nt: int, nfft: int | None = None) -> np.ndarray:
    """Matrix of a real operator on ``(n, nt)`` from the response ``response(f) -> (m, n)`` at ``f`` in cycles a sample.

    Padded to `nfft` samples and cut again; real parts are taken at the end, as of a sum over all frequencies.
    """
    nfft = nfft or nt
    found = 0
    for k in range(nfft // 2 + 1):
        weight = 1 if k == 0 or 2 * k == nfft else 2
        wave = np.exp(2j * np.pi * k / nfft * np.subtract.outer(np.arange(nt), np.arange(nt))) / nfft
        found = found + weight * np.real(np.einsum("mn,ts->mtns", response(k / nfft), wave))
    m, _, n, _ = found.shape
    return found.reshape(m * nt, n * nt)


def chirp(n: int, pmax: float, f: float, sign: int = 1) -> np.ndarray:
    """Phases of the chirp Radon transform, entry by entry."""
    centre = (n + 1) // 2
    return np.array(
        [
            [np.exp(sign * 2j * np.pi * f * (2 * pmax * (i - centre) / n) * (j - centre)) for j in range(n)]
            for i in range(n)
        ]
    )


CHIRPS = [
    Row(
        "ChirpRadon2D",
        lambda d: sp.ChirpRadon2D(np.arange(6) * 0.004, np.arange(4) * 10.0, 0.7, dtype=d),
        lambda d: by_frequency(lambda f: chirp(4, 0.7, f), 6),
    ),
    Row(
        "ChirpRadon3D odd",
        lambda d: sp.ChirpRadon3D(np.arange(5.0), np.arange(3.0), np.arange(2.0), (0.7, 0.4), dtype=d),
        lambda d: by_frequency(lambda f: np.kron(chirp(3, 0.7, f), chirp(2, 0.4, f)), 5),
        DOUBLE,
    ),
]


def phases(h: np.ndarray, p: np.ndarray, f: float) -> np.ndarray:
    """Phases of the Radon transform at `f` cycles a unit of time, entry by entry."""
    return np.array([[np.exp(-2j * np.pi * f * b * a) for b in p] for a in h])


H, P = np.array([-1.0, 0.0, 1.5]), np.array([-0.5, 0.3, 0.7, 1.2])

FOURIER = [
    Row(
        "FourierRadon2D",
        lambda d: sp.FourierRadon2D(np.arange(5.0), H, P, 8, dtype=d),
        lambda d: by_frequency(lambda f: phases(H, P, f), 5, 8),
    ),
    Row(
        "FourierRadon2D parabolic flims",
        lambda d: sp.FourierRadon2D(np.arange(4.0), H, P, 7, flims=(1, 3), kind="parabolic", dtype=d),
        lambda d: by_frequency(lambda f: phases(H**2, P, f) * (1 <= round(7 * f) < 3), 4, 7),
        DOUBLE,
    ),
    Row(
        "FourierRadon3D",
        lambda d: sp.FourierRadon3D(np.arange(4.0), H, H[:2], P[:2], P[1:], 8, kind=("linear", "parabolic"), dtype=d),
        lambda d: by_frequency(lambda f: np.kron(phases(H, P[:2], f), phases(H[:2] ** 2, P[1:], f)), 4, 8),
        DOUBLE,
    ),
]


# ---- along slopes

SLOPES = RNG(3).uniform(-0.8, 0.8, (6, 4))


def seislet(slopes: np.ndarray, level: int, linear: bool) -> np.ndarray:
    """Matrix of the seislet transform by its lifting steps, each trace as a block of rows."""
    nx, nt = slopes.shape
    size = 1 << (nx - 1).bit_length()
    slopes = np.vstack([slopes, np.zeros((size - nx, nt))])
    t = np.arange(nt)

    def walk(block: np.ndarray, start: int, count: int, backward: bool) -> np.ndarray:
        for k in range(count):
            s = slopes[start - k] if backward else -slopes[start + k]
            block = np.sinc((t + s)[:, None] - t) @ block
        return block

    coarse, found = list(np.eye(size * nt).reshape(size, nt, -1)), []
    for lev in range(level):
        even, odd, step = coarse[::2], coarse[1::2], 1 << lev
        residual = []
        for i, o in enumerate(odd):
            guess = walk(even[i], 2 * step * i, step, False)
            if linear and i + 1 < len(even):
                guess = (guess + walk(even[i + 1], 2 * step * (i + 1), step, True)) / 2
            residual.append(o - guess)
        coarse = []
        for i, e in enumerate(even):
            update = walk(residual[i], 2 * step * i + step, step, True) / 2
            if linear:
                update = update if i + 1 == len(even) else update / 2
                update = update + (walk(residual[i - 1], 2 * step * i - step, step, False) / 4 if i else 0)
            coarse.append(e + update)
        found += residual
    return np.vstack([*found, *coarse])[:, : nx * nt]


SIGMA = RNG(4).uniform(-1.3, 1.3, (4, 5))


def sprayer(sigma: np.ndarray, radius: int, alpha: float) -> np.ndarray:
    """Matrix of the plane-wave sprayer, sample by sample and step by step."""
    nz, nx = sigma.shape
    found = np.zeros((nz, nx, nz, nx))
    for i, j in np.ndindex(nz, nx):
        found[i, j, i, j] = 1
        for way in (-1, 1):
            z = float(i)
            for k in range(1, radius + 1):
                trace = j + way * k
                if not 0 <= trace < nx:
                    break
                z += way * sigma[i, min(trace, trace - way)]
                held = min(max(z, 0.0), nz - 1.0)
                for row in range(nz):
                    found[row, trace, i, j] += alpha**k * max(1 - abs(held - row), 0)
    return found.reshape(nz * nx, nz * nx)


ALONG_SLOPES = [
    Row("Seislet", lambda d: sp.Seislet(SLOPES, level=2, dtype=d), lambda d: seislet(SLOPES, 2, False)),
    Row(
        "Seislet linear",
        lambda d: sp.Seislet(SLOPES / 2, sampling=(2.0, 1.0), level=3, kind="linear", dtype=d),
        lambda d: seislet(SLOPES, 3, True),
        DOUBLE,
    ),
    Row("PWSprayer2D", lambda d: sp.PWSprayer2D((4, 5), SIGMA, 3, 0.7, dtype=d), lambda d: sprayer(SIGMA, 3, 0.7)),
    Row(
        "PWSmoother2D",
        lambda d: sp.PWSmoother2D((4, 5), SIGMA, dtype=d),
        lambda d: sprayer(SIGMA, 8, 0.9).T @ sprayer(SIGMA, 8, 0.9),
        DOUBLE,
    ),
]


# ---- redundant frames


def dualtree(n: int, level: int) -> np.ndarray:
    """Matrix of the dual-tree transform with filters near_sym_a and qshift_a, tap by tap on reflected signals."""
    h = np.array([-1 / 20, 1 / 4, 3 / 5, 1 / 4, -1 / 20])
    g = np.array([3 / 280, -3 / 56, -73 / 280, 17 / 28, -73 / 280, -3 / 56, 3 / 280])
    q = [0.05113040528383166, -0.01397537024688884, -0.10983605166597087, 0.26383956105893763, 0.7666284677930372]
    q += [0.5636557101270515, 0.0008736226952171, -0.1002312195074762, -0.00168968127252815, -0.00618188189211644]
    q = np.array(q)
    p = -q * (-1.0) ** np.arange(10)

    def at(x: np.ndarray, i: int) -> np.ndarray:
        i %= 2 * len(x)
        return x[min(i, 2 * len(x) - 1 - i)]

    low, real, imag = np.eye(n), [], []
    for lev in range(level):
        if lev == 0:
            low, high = (
                np.array([sum(v * at(low, i + len(f) // 2 - k) for k, v in enumerate(f)) for i in range(len(low))])
                for f in (h, g)
            )
        else:
            if len(low) % 4:
                low = np.vstack([low[:1], low, low[-1:]])
            taps = range(10)
            count = range(len(low) // 4)
            first = [[sum(q[m] * at(low, 4 * i - 8 + 2 * m) for m in taps) for i in count]]
            first += [[sum(q[9 - m] * at(low, 4 * i - 7 + 2 * m) for m in taps) for i in count]]
            second = [[sum(p[m] * at(low, 4 * i - 7 + 2 * m) for m in taps) for i in count]]
            second += [[sum(p[9 - m] * at(low, 4 * i - 8 + 2 * m) for m in taps) for i in count]]
            low, high = (np.array(v).transpose(1, 0, 2).reshape(-1, n) for v in (first, second))
        real.append(high[::2])
        imag.append(high[1::2])
    return np.vstack([*real, low, *imag, 0 * low])


def curvelets(dims: tuple[int, int], scales: int, both: bool) -> np.ndarray:
    """Uniform curvelets with three wedges a direction, frequency by frequency from the published windows."""

    def step(x: float) -> float:
        x = min(max(x, 0.0), 1.0)
        return x**4 * (35 - 84 * x + 70 * x**2 - 20 * x**3)

    def low(w: tuple[float, float], scale: int) -> float:
        return float(np.prod([step(2 - 2 ** (scales - 1 - scale) * abs(v) * 3 / np.pi) for v in w]))

    def wedge(w: tuple[float, float], axis: int, number: int, scale: int, count: int) -> float:
        main, side = w[axis], w[1 - axis]
        if main <= 0:
            return 0.0
        slope = side / main
        slope = slope if abs(slope) <= 1 else np.sign(slope) * (2 - abs(main / side)) if side else 0.0
        overlap = 0.1 * (np.sqrt(1 + 8 * 3 / 2 ** (1 / 3)) - 3) / 4
        away = abs((1 - slope) * count / 2 - number - 0.5)
        radial = low(w, scale + 1) - low(w, scale)
        return np.sqrt(max(radial, 0.0) * step((0.5 + overlap - away) / (2 * overlap)))

    def rows(window, steps: tuple[int, int], factor: float) -> np.ndarray:
        found = np.zeros((*(n // s for n, s in zip(dims, steps)), *dims), complex)
        for k in np.ndindex(*dims):
            value = factor * window(tuple(2 * np.pi * i / n for i, n in zip(k, dims)))
            for m in np.ndindex(*found.shape[:2]):
                for n in np.ndindex(*dims):
                    angle = sum(2 * np.pi * k[a] * (m[a] * steps[a] - n[a]) / dims[a] for a in (0, 1))
                    found[(*m, *n)] += value * np.exp(1j * angle)
        return found.reshape(-1, dims[0] * dims[1]) * np.sqrt(np.prod(steps)) / np.prod(dims)

    def turns(window):
        """A window on the circle: all readings of a frequency that may lie inside."""
        readings = [(i * 2 * np.pi, j * 2 * np.pi) for i in (-2, -1, 0) for j in (-2, -1, 0)]
        return lambda w: sum(window((w[0] + i, w[1] + j)) for i, j in readings)

    def opposite(window):
        return lambda w: window((-w[0] + 2 * np.pi, -w[1] + 2 * np.pi))

    coarse = 2 ** (scales - 2)
    parts = [rows(turns(lambda w: np.sqrt(low(w, 1))), (coarse, coarse), 1.0)]
    for scale in range(1, scales):
        count, fine = 3 * 2 ** (scale - 1), 2 ** (scales - 1 - scale)
        for sign in (-1, 1) if both else (-1,):
            for axis in (0, 1):
                steps = (2 * fine, 2 * count // 3 * fine)[:: 1 if axis == 0 else -1]
                for number in range(count):

                    def one(w, axis=axis, number=number, scale=scale, count=count):
                        return wedge(w, axis, number, scale, count)

                    window = turns(one) if sign > 0 else opposite(turns(one))
                    parts.append(rows(window, steps, 1.0 if both else np.sqrt(2)))
    return np.vstack(parts)


FRAMES = [
    Row("UDCT", lambda d: sp.UDCT((4, 6), num_scales=2, dtype=d), lambda d: curvelets((4, 6), 2, False), DOUBLE),
    Row(
        "UDCT complex",
        lambda d: sp.UDCT((4, 4), num_scales=2, transform_kind="complex", dtype=d),
        lambda d: curvelets((4, 4), 2, True),
        ("complex128",),
    ),
    Row("DTCWT", lambda d: sp.DTCWT(12, dtype=d), lambda d: dualtree(12, 3)),
    Row(
        "DTCWT axis=0",
        lambda d: sp.DTCWT((4, 3), level=2, axis=0, dtype=d),
        lambda d: np.kron(dualtree(4, 2), np.eye(3)),
        DOUBLE,
    ),
]

ROWS = [*CHIRPS, *FOURIER, *ALONG_SLOPES, *FRAMES]
