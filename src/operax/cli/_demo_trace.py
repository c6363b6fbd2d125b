"""Third part of the demo: an electrocardiogram's posterior, with operators and a JAX noise model inside PyMC."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np

from operax.basicoperators import MatrixMult, Restriction
from operax.cli._demo_data import ecg_beat
from operax.cli._demo_operators import gaussian_taps
from operax.signalprocessing import Convolve1D

NOISE = 4.0
"""Standard deviation of the noise, in counts of the recorder."""

OUTLIERS = 0.06
"""Share of samples that a disturbance has hit."""

BAND = (5.0, 95.0)
"""Percentiles of the posterior band."""


def noise_model(misfit: Any, scale: Any, fraction: Any) -> Any:
    """Log likelihood of a misfit: Gaussian noise, and now and then a disturbance of some sixty counts."""
    import jax.numpy as jnp

    wide = 60.0
    usual = jnp.log1p(-fraction) - jnp.log(scale) - 0.5 * (misfit / scale) ** 2
    disturbed = jnp.log(fraction) - jnp.log(wide) - 0.5 * (misfit / wide) ** 2
    return jnp.sum(jnp.logaddexp(usual, disturbed))


def sample_posterior(advance: Any, fast: bool) -> dict[str, Any]:
    """Blur one heart beat, keep every second sample, disturb some; sample what the trace may have been.

    The trace is a sum of bumps at every second sample; their heights have a heavy-tailed prior, which lets the
    posterior follow both the quiet baseline and the steep main wave.
    """
    truth = ecg_beat(496, 560) if fast else ecg_beat(480, 608)
    n = truth.size
    B = Convolve1D(n, gaussian_taps(1.5), offset=8)
    S = Restriction(n, np.arange(0, n, 2))
    bumps = Convolve1D(n, gaussian_taps(2.0) / np.linalg.norm(gaussian_taps(2.0)), offset=8) @ S.H
    y, disturbed = _observe(S @ B, truth)

    # heights = W w: coordinates in which the posterior is round, from the least-squares problem
    A = (S @ B @ bumps).todense()
    precision = A.T @ A / (2 * NOISE) ** 2 + np.eye(A.shape[1]) / 60.0**2
    W = MatrixMult(np.linalg.inv(np.linalg.cholesky(precision)).T)

    draws, tune = (60, 80) if fast else (250, 250)
    posterior = _sample(advance, W, bumps, S @ B @ bumps @ W, y, draws, tune, chains=1 if fast else 2)
    traces = posterior["trace"]
    low, middle, high = (np.percentile(traces, q, axis=0) for q in (BAND[0], 50.0, BAND[1]))
    return {
        "truth": truth,
        "positions": np.asarray(S.iava),
        "observed": y,
        "disturbed": disturbed,
        "low": low,
        "middle": middle,
        "high": high,
        "inside": float(np.mean((truth >= low) & (truth <= high))),
        "error": float(np.sqrt(np.mean((middle - truth) ** 2))),
        "error_before": float(np.sqrt(np.mean((np.interp(np.arange(n), np.asarray(S.iava), y) - truth) ** 2))),
        "scale": float(np.mean(posterior["scale"])),
        "draws": traces.shape[0],
        "divergences": posterior["divergences"],
    }


def _observe(op: Any, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    y = op @ truth
    y = y + NOISE * rng.standard_normal(y.size)
    disturbed = rng.random(y.size) < OUTLIERS
    return y + disturbed * rng.choice([-1.0, 1.0], y.size) * rng.uniform(40.0, 90.0, y.size), disturbed


def _sample(
    advance: Any, W: Any, bumps: Any, forward: Any, y: np.ndarray, draws: int, tune: int, chains: int
) -> dict[str, Any]:
    """The PyMC model: operators and the noise model enter as PyTensor Ops with gradients."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTensor tells of its BLAS, ArviZ of its future
        advance("loading PyMC")
        import pymc as pm

        from operax.pytensor import as_jax_op, as_linear_op

        logging.getLogger("pymc").setLevel(logging.ERROR)
        level = float(np.median(y))
        with pm.Model():
            w = pm.Flat("w", shape=W.shape[1], initval=np.zeros(W.shape[1]))
            heights = as_linear_op(W)(w)
            pm.Potential("heights", pm.logp(pm.StudentT.dist(nu=3, mu=0.0, sigma=30.0), heights).sum())
            scale = pm.HalfNormal("scale", 10.0)
            fraction = pm.Beta("fraction", 1.0, 10.0)
            pm.Potential("noise", as_jax_op(noise_model)(level + as_linear_op(forward)(w) - y, scale, fraction))
            pm.Deterministic("trace", level + as_linear_op(bumps)(heights))
            total = chains * (draws + tune)
            done = 0

            def step(trace: Any, draw: Any) -> None:
                nonlocal done
                done += 1
                advance(f"sampling: {done} of {total} draws", done / total)

            advance("compiling the model")
            data = pm.sample(
                draws,
                tune=tune,
                chains=chains,
                cores=1,
                random_seed=1,
                progressbar=False,
                compute_convergence_checks=False,
                callback=step,
            )
    found = data.posterior
    return {
        "trace": found["trace"].to_numpy().reshape(-1, bumps.shape[0]),
        "scale": found["scale"].to_numpy().ravel(),
        "divergences": int(data.sample_stats["diverging"].sum()),
    }
