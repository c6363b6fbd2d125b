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

ROWS = CHIRPS
