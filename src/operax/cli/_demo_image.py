"""First part of the demo: deblur and complete an MRI slice, on NumPy and compiled on JAX."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from operax.basicoperators import FirstDerivative
from operax.cli._demo_data import mri_slice
from operax.cli._demo_operators import blur, sampling
from operax.optimization.sparsity import splitbregman
from operax.utils import snr

WIDTH = 1.6
"""Standard deviation of the blur, in pixels."""

NOISE = 0.003
"""Standard deviation of the noise, where the image's maximum is 1."""


def cut(size: str) -> np.ndarray:
    """The slice: "whole", "middle" or "small"."""
    image = mri_slice()
    return {"whole": image, "middle": image[40:168, 64:192], "small": image[88:152, 96:160]}[size]


def reconstruct(advance: Any, fast: bool) -> dict[str, Any]:
    """Blur the slice, keep half of the pixels, add noise; reconstruct by total variation.

    Solves :math:`min_x |S B x - y|^2 / 2 + eps (|D_0 x|_1 + |D_1 x|_1)` for sampling S, blur B and derivatives D.
    """
    truth = cut("small" if fast else "whole")
    B = blur(truth.shape, WIDTH)
    S, _ = sampling(truth.size, 0.5, seed=1)
    A = S @ B
    y = A @ truth.ravel()
    y = y + NOISE * np.random.default_rng(2).standard_normal(y.shape)
    D = [FirstDerivative(truth.shape, axis=axis, kind="forward") for axis in (0, 1)]
    # penalty and threshold are both the root of the weight 6e-5 of the total variation
    root = [6e-5**0.5] * 2
    outer = 15 if fast else 25
    inner: Any = {"iter_lim": 6, "atol": 1e-10, "btol": 1e-10}

    def solve(library: str) -> np.ndarray:
        import jax

        data: Any = jax.numpy.asarray(y) if library == "jax" else y
        terms = [d.to(library) for d in D]
        x = splitbregman(A.to(library), data, terms, niter_outer=outer, niter_inner=1, epsRL1s=root, tol=1e-6, **inner)[
            0
        ]
        return np.asarray(jax.block_until_ready(x)).reshape(truth.shape)

    advance("reconstruction on NumPy")
    on_numpy, seconds = _timed(solve, "numpy")
    advance("reconstruction on JAX: first call")
    _, first = _timed(solve, "jax")
    advance("reconstruction on JAX")
    on_jax, seconds_jax = _timed(solve, "jax")
    observed = np.full(truth.size, np.nan)
    observed[S.iava] = y
    filled = _filled(observed.reshape(truth.shape))
    return {
        "truth": truth,
        "observed": observed.reshape(truth.shape),
        "reconstructed": on_jax,
        "snr_before": snr(truth, filled),
        "snr_after": snr(truth, on_jax),
        "difference": float(np.linalg.norm(on_jax - on_numpy) / np.linalg.norm(on_numpy)),
        "seconds_numpy": seconds,
        "seconds_jax": seconds_jax,
        "seconds_first": first,
    }


def _timed(solve: Any, library: str) -> tuple[np.ndarray, float]:
    start = time.perf_counter()
    x = solve(library)
    return x, time.perf_counter() - start


def _filled(observed: np.ndarray) -> np.ndarray:
    """Missing pixels from their nearest neighbours: what one would look at without a solver."""
    from scipy.interpolate import griddata

    known = np.isfinite(observed)
    points = np.argwhere(known)
    every = np.indices(observed.shape).reshape(2, -1).T
    return griddata(points, observed[known], every, method="nearest").reshape(observed.shape)
