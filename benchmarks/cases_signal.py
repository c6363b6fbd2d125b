"""Signal-processing operators against PyLops and SciPy.

Goals hold at a million elements (Radon transforms: 256 x 256 models, whose sums run over 17 million pairs). JAX writes
a new array in the time of ``2 * x`` (see `cases_core`): where a goal lies below that, no formulation reaches it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Case, SetUp, Work, random, same_api_cases

SIDES = (100, 1000)

SHORT = {"jax/pylops": 0.5}
LONG = {"jax/pylops": 0.7}
NUMBA = {"jax/pylops numba": 0.5}
TENTH = {"jax/pylops": 0.1}
SAME = {"jax/pylops": 1.1}
NO_JAX = {"jax_peer": False}
WITH_NUMBA = {"jax_peer": False, "numba": True}

FLOAT = {"dtype": "float32"}
Build = Callable[..., Any]


def _filter(*sizes: int) -> np.ndarray:
    h = np.ones((), "float32")
    for n in sizes:
        h = np.multiply.outer(h, np.hanning(n + 2)[1:-1].astype("float32"))
    return h


def _engine(lib: Any) -> dict[str, str]:
    """PyLops at its best."""
    return {"engine": "scipy"} if lib.__name__ == "pylops" else {}


def _convolve1d(taps: int, axis: int) -> Build:
    h, offset = _filter(taps), taps // 2
    return lambda lib, d: lib.signalprocessing.Convolve1D(d, h, offset=offset, axis=axis, **FLOAT)


def _convolve2d(*taps: int) -> Build:
    h, offset = _filter(*taps), tuple(n // 2 for n in taps)
    return lambda lib, d: lib.signalprocessing.Convolve2D(d, h, offset=offset, **FLOAT)


def _nonstationary1d(lib: Any, d: tuple[int, ...]) -> Any:
    places = np.arange(d[0] // 20, d[0], d[0] // 10)
    hs = random((len(places), 31), "float32")
    return lib.signalprocessing.NonStationaryConvolve1D(d, hs, places, axis=0, **FLOAT)


def _nonstationary2d(lib: Any, d: tuple[int, ...], **options: Any) -> Any:
    places = [np.arange(n // 8, n, n // 4) for n in d]
    hs = random((len(places[0]), len(places[1]), 7, 7), "float32")
    return lib.signalprocessing.NonStationaryConvolve2D(d, hs, *places, **FLOAT, **{"engine": "numpy", **options})


def _fft(axis: int) -> Build:
    return lambda lib, d: lib.signalprocessing.FFT(d, axis=axis, real=True, **FLOAT, **_engine(lib))


def _positions(n: int) -> np.ndarray:
    return np.sort(np.random.default_rng(0).uniform(1, n - 2, n // 4))


def _interp(kind: str) -> Build:
    return lambda lib, d: lib.signalprocessing.Interp(d, _positions(d[0]), axis=0, kind=kind, **FLOAT)[0]


def _radon2d(kind: str) -> Build:
    def build(lib: Any, d: tuple[int, ...], **options: Any) -> Any:
        t, h = np.arange(d[1]) * 4e-3, np.linspace(-0.5, 0.5, d[0])
        p = np.linspace(0, 0.4, d[0])
        options = {"engine": "numpy", **options}
        return lib.signalprocessing.Radon2D(t, h, p, kind=kind, centeredh=False, **FLOAT, **options)

    return build


def _fourier_radon2d(lib: Any, d: tuple[int, ...], **options: Any) -> Any:
    t, h, p = np.arange(d[1]) * 4e-3, np.linspace(-500.0, 500.0, d[0]), np.linspace(-1e-4, 1e-4, d[0])
    options = {"engine": "numpy", **options}
    return lib.signalprocessing.FourierRadon2D(t, h, p, 2 * d[1], kind="linear", **FLOAT, **options)


def _chirp_radon2d(lib: Any, d: tuple[int, ...]) -> Any:
    t, h = np.arange(d[1]) * 4e-3, np.linspace(-500.0, 500.0, d[0])
    return lib.signalprocessing.ChirpRadon2D(t, h, 2e-4, **FLOAT)


def _sliding2d(lib: Any, d: tuple[int, ...]) -> Any:
    window, over = 64, 16
    count = (d[0] - over) // (window - over)
    n = count * (window - over) + over
    inner = lib.FirstDerivative((window, d[1]), axis=0, **FLOAT)
    return lib.signalprocessing.Sliding2D(inner, (count * window, d[1]), (n, d[1]), window, over, tapertype="hanning")


def _patch2d(lib: Any, d: tuple[int, ...]) -> Any:
    w, over = 64, 16
    count = (d[0] - over) // (w - over)
    n, m = count * (w - over) + over, count * w
    inner = lib.FirstDerivative((w, w), axis=0, **FLOAT)
    return lib.signalprocessing.Patch2D(inner, (m, m), (n, n), (w, w), (over, over), (w, w), tapertype="hanning")


def _fredholm1(lib: Any, d: tuple[int, ...]) -> Any:
    return lib.signalprocessing.Fredholm1(random((d[0] // 10, 50, 100), "float32"), nz=d[1] // 10, **FLOAT)


def _slopes(d: tuple[int, ...]) -> np.ndarray:
    return np.full(d, 0.3, "float32")


def _sprayer(lib: Any, d: tuple[int, ...]) -> Any:
    return lib.signalprocessing.PWSprayer2D(d, _slopes(d), radius=3, **FLOAT)


def _seislet(lib: Any, d: tuple[int, ...]) -> Any:
    return lib.signalprocessing.Seislet(_slopes(d), sampling=(1.0, 1.0), level=4, **FLOAT)


OPERATORS: dict[str, tuple[dict[str, float], Build, dict[str, Any]]] = {
    "Convolve1D 15 taps axis=0": (SHORT, _convolve1d(15, 0), {}),
    "Convolve1D 15 taps axis=1": (SHORT, _convolve1d(15, 1), {}),
    "Convolve1D 101 taps axis=0": (LONG, _convolve1d(101, 0), {}),
    "Convolve1D 401 taps axis=0": (LONG, _convolve1d(401, 0), {}),
    "Convolve2D 5x5": (SHORT, _convolve2d(5, 5), {}),
    "Convolve2D 21x21": (LONG, _convolve2d(21, 21), {}),
    "NonStationaryConvolve1D": (TENTH, _nonstationary1d, NO_JAX),
    "NonStationaryConvolve2D": ({"jax/pylops numba": 0.5}, _nonstationary2d, WITH_NUMBA),
    "FFT axis=0": ({}, _fft(0), {}),
    "FFT axis=1": ({}, _fft(1), {}),
    "FFT2D": ({}, lambda lib, d: lib.signalprocessing.FFT2D(d, real=True, **FLOAT, **_engine(lib)), {}),
    "DWT": (SHORT, lambda lib, d: lib.signalprocessing.DWT(d, axis=0, wavelet="db4", level=3, **FLOAT), NO_JAX),
    "DWT2D": (SHORT, lambda lib, d: lib.signalprocessing.DWT2D(d, wavelet="db4", level=3, **FLOAT), NO_JAX),
    "DCT": (SAME, lambda lib, d: lib.signalprocessing.DCT(d, axes=(0, 1), **FLOAT), NO_JAX),
    "Interp linear": ({}, _interp("linear"), {}),
    "Interp sinc": ({}, _interp("sinc"), {}),
    "Shift": ({}, lambda lib, d: lib.signalprocessing.Shift(d, 1.3, axis=0, real=True, **FLOAT), {}),
    "Sliding2D": (SHORT, _sliding2d, NO_JAX),
    "Patch2D": (SHORT, _patch2d, NO_JAX),
    "Fredholm1": (SAME, _fredholm1, {}),
}
PLANE_WAVES: dict[str, tuple[dict[str, float], Build, dict[str, Any]]] = {
    "Radon2D linear": (NUMBA, _radon2d("linear"), WITH_NUMBA),
    "Radon2D parabolic": (NUMBA, _radon2d("parabolic"), WITH_NUMBA),
    "Radon2D hyperbolic": (NUMBA, _radon2d("hyperbolic"), WITH_NUMBA),
    "FourierRadon2D": (NUMBA, _fourier_radon2d, WITH_NUMBA),
    "ChirpRadon2D": (SHORT, _chirp_radon2d, NO_JAX),
    "PWSprayer2D": (SHORT, _sprayer, NO_JAX),
    "Seislet": (SHORT, _seislet, NO_JAX),
}

CASES: list[Case] = []
for _table, _sides in ((OPERATORS, SIDES), (PLANE_WAVES, (64, 256))):
    for _side in _sides:
        for _label, (_goals, _make, _options) in _table.items():
            if _side == 100 and "401" in _label:
                continue
            CASES += same_api_cases(
                _label,
                (_side, _side),
                lambda lib, make=_make, side=_side, **options: make(lib, (side, side), **options),
                goals=_goals if _side == _sides[-1] else None,
                **_options,
            )


# ---- the transforms themselves


def _transform(side: int, ours: Callable[[Any, tuple[int, int]], Any]) -> SetUp:
    def setup() -> Work:
        import jax.numpy as jnp

        import operax

        op, x = ours(operax, (side, side)).to("jax"), jnp.asarray(random((side, side), "float32"))
        return lambda: op @ x

    return setup


def _scipy(side: int, function: Callable[[Any, Any], Any]) -> SetUp:
    def setup() -> Work:
        import scipy.fft

        x = random((side, side), "float32")
        return lambda: function(scipy.fft, x)

    return setup


_TRANSFORMS: dict[str, tuple[float, Build, Callable[[Any, Any], Any]]] = {
    "FFT axis=0": (1.2, _fft(0), lambda fft, x: fft.rfft(x, axis=0)),
    "FFT axis=1": (1.2, _fft(1), lambda fft, x: fft.rfft(x, axis=1)),
    "FFT2D": (1.2, OPERATORS["FFT2D"][1], lambda fft, x: fft.rfft2(x)),
    "DCT": (1.1, OPERATORS["DCT"][1], lambda fft, x: fft.dctn(x, norm="ortho")),
}
for _label, (_goal, _make, _function) in _TRANSFORMS.items():
    CASES.append(
        Case(
            f"{_label} against scipy.fft",
            10**6,
            ours={"jax": _transform(1000, _make)},
            peers={"scipy": _scipy(1000, _function)},
            goals={"scipy": _goal},
            same=None,  # the operators scale the frequencies that they leave out by sqrt(2)
        )
    )
