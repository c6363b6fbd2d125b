"""The figures of the demo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Draw one figure for each part and tell where they are."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for name, size, paint in (
        ("image", (10, 8.5), _image),
        ("blur-width", (10, 4.2), _blur),
        ("ecg-posterior", (10, 4.8), _trace),
    ):
        if name not in results:
            continue
        figure = Figure(figsize=size, layout="constrained")
        paint(figure, results[name])
        path = folder / f"{name}.png"
        figure.savefig(path, dpi=130)
        drawn.append(path)
    return drawn


def _image(figure: Any, r: dict[str, Any]) -> None:
    axes = figure.subplots(2, 2, sharex=True, sharey=True)
    error = r["reconstructed"] - r["truth"]
    limit = float(np.percentile(np.abs(error), 99.5))
    gray = {"cmap": "gray", "vmin": 0.0, "vmax": float(np.percentile(r["truth"], 99.8))}
    panels = (
        ("MRI slice (truth)", r["truth"], gray, "intensity (1 = maximum)"),
        (f"blurred, noisy, half of the pixels: SNR {r['snr_before']:.1f} dB", r["observed"], gray, "intensity"),
        (f"total-variation reconstruction: SNR {r['snr_after']:.1f} dB", r["reconstructed"], gray, "intensity"),
        ("reconstruction − truth", error, {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit}, "intensity"),
    )
    for axis, (title, values, style, unit) in zip(axes.ravel(), panels):
        style = dict(style)
        shown = axis.imshow(values, interpolation="nearest", **style)
        axis.set_facecolor("#d97706")  # pixels that were not observed
        axis.set_title(title, fontsize=10)
        figure.colorbar(shown, ax=axis, label=unit, shrink=0.85)
    for axis in axes[1]:
        axis.set_xlabel("column (pixel)")
    for axis in axes[:, 0]:
        axis.set_ylabel("row (pixel)")
    figure.suptitle("Deblurring with half of the pixels missing (orange)")


def _blur(figure: Any, r: dict[str, Any]) -> None:
    from operax.cli._demo_operators import HALF, gaussian_taps

    left, right = figure.subplots(1, 2)
    widths = [width for width, _ in r["path"]]
    left.plot(range(len(widths)), widths, "o-", color="#1d4ed8", label="estimate")
    left.axhline(r["true"], color="black", lw=1, ls="--", label="true width")
    left.set(xlabel="iteration of L-BFGS", ylabel="width of the blur (pixel)", title="jax.grad through the solver")
    left.legend()
    k = np.arange(-HALF, HALF + 1)
    right.plot(k, gaussian_taps(r["true"]), "k--", lw=1, label=f"true: {r['true']:.2f} pixels")
    right.plot(k, gaussian_taps(widths[0]), ":", color="gray", label=f"start: {widths[0]:.2f} pixels")
    right.plot(k, gaussian_taps(r["found"]), color="#1d4ed8", label=f"found: {r['found']:.2f} pixels")
    right.set(xlabel="offset (pixel)", ylabel="filter", title="filter of the blur")
    right.legend()


def _trace(figure: Any, r: dict[str, Any]) -> None:
    axis = figure.subplots()
    t = np.arange(r["truth"].size)
    axis.fill_between(t, r["low"], r["high"], color="#93c5fd", label="posterior, 90 % band")
    axis.plot(t, r["middle"], color="#1d4ed8", lw=1.5, label="posterior median")
    axis.plot(t, r["truth"], "k--", lw=1, label="ECG trace (held out)")
    usual = ~r["disturbed"]
    axis.plot(r["positions"][usual], r["observed"][usual], "o", ms=3.5, color="#059669", label="blurred, noisy samples")
    axis.plot(
        r["positions"][r["disturbed"]], r["observed"][r["disturbed"]], "x", color="#dc2626", label="disturbed samples"
    )
    axis.set(xlabel="sample", ylabel="amplitude (counts)")
    axis.set_title(f"{r['inside']:.0%} of the true trace lies inside the 90 % band")
    axis.legend(fontsize=9)
