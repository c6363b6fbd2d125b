"""`operax demo`: the main job on real data."""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SUMMARY = "Reconstruct an MRI slice and model an ECG: operators, solvers, gradients and PyMC at work on real data."

NEEDS = {"matplotlib": "plot", "pymc": "pymc", "pytensor": "pymc"}
"""Packages that the demo needs beyond those of operax, and the extra that brings each."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--fast", action="store_true", help="a small version, for a first look and for tests")
    parser.add_argument(
        "--output", type=Path, default=Path("demo-output"), metavar="DIR", help="where the figures go (demo-output)"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=("image", "blur-width", "ecg-posterior"),
        help="run this part alone; may be given several times",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the parts with a progress bar each, show a table, draw the figures."""
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        print(f"the demo needs {', '.join(missing)}; install them with pip install 'operax[pymc,plot]'")
        return 2
    import jax
    from rich.console import Console

    from operax.cli._demo_blur import find_width
    from operax.cli._demo_figures import draw
    from operax.cli._demo_image import reconstruct
    from operax.cli._demo_trace import sample_posterior

    start = time.perf_counter()
    console = Console(highlight=False)
    parts: dict[str, tuple[Callable[[Any, bool], dict[str, Any]], str, int | None]] = {
        "image": (reconstruct, "1/3 MRI slice", 3),
        "blur-width": (find_width, "2/3 unknown blur", None),
        "ecg-posterior": (sample_posterior, "3/3 ECG in PyMC", 1),
    }
    wanted = arguments.only or list(parts)
    with jax.enable_x64(True):  # both sides of the comparison compute in 64 bit
        results = {
            name: _with_progress(console, title, total, part, arguments.fast)
            for name, (part, title, total) in parts.items()
            if name in wanted
        }
    console.print(_table(results))
    for path in draw(results, arguments.output):
        console.print(f"figure: {path}", soft_wrap=True)
    console.print(f"{time.perf_counter() - start:.0f} s in all")
    failures = [text for good, text in _checks(results) if not good]
    for text in failures:
        console.print(f"[red]not as it should be: {text}[/]")
    return 1 if failures else 0


def _with_progress(
    console: Any, title: str, total: int | None, part: Callable[[Any, bool], dict[str, Any]], fast: bool
) -> dict[str, Any]:
    """Run a part; it tells what it begins with, and how far it is where it knows."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description:<16}"), BarColumn(24), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[doing]}"), console=console) as progress:
        task = progress.add_task(title, total=total, doing="")
        steps = 0

        def advance(doing: str, share: float | None = None) -> None:
            """Say what begins now; `share` is how much of a part with a known end is done, else steps are counted."""
            nonlocal steps
            progress.update(task, doing=doing, completed=steps if share is None else share)
            steps += share is None and total != 1

        results = part(advance, fast)
        progress.update(task, total=1, completed=1, doing="done")
    return results


def _table(results: dict[str, dict[str, Any]]) -> Any:
    from rich.table import Table

    table = Table(title="operax demo", title_style="bold")
    table.add_column("part")
    table.add_column("result")
    table.add_column("value", justify="right")
    if "image" in results:
        r = results["image"]
        table.add_row("MRI slice", "signal-to-noise ratio, data → reconstruction", _arrow(r, "snr", "dB"))
        table.add_row("", "relative difference of NumPy and JAX", f"{r['difference']:.1e}")
        table.add_row("", "time on NumPy", f"{r['seconds_numpy']:.2f} s")
        compiled = f"{r['seconds_jax']:.2f} s (first call {r['seconds_first']:.2f} s)"
        table.add_row("", "time compiled on JAX", compiled)
        table.add_row("", "ratio JAX / NumPy", f"{r['seconds_jax'] / r['seconds_numpy']:.2f}")
        table.add_section()
    if "blur-width" in results:
        r = results["blur-width"]
        table.add_row("unknown blur", "width: start → found (true)", _width(r))
        table.add_row("", "gradients through the solver", str(r["gradients"]))
        table.add_section()
    if "ecg-posterior" in results:
        r = results["ecg-posterior"]
        table.add_row("ECG in PyMC", "true trace inside the 90 % band", f"{r['inside']:.0%}")
        error = f"{r['error_before']:.1f} → {r['error']:.1f} counts"
        table.add_row("", "error of the trace, data → posterior median", error)
        table.add_row("", "noise: true, inferred", f"4.0, {r['scale']:.1f} counts")
        table.add_row("", "draws, divergences", f"{r['draws']}, {r['divergences']}")
    return table


def _arrow(r: dict[str, Any], name: str, unit: str) -> str:
    return f"{r[f'{name}_before']:.1f} → {r[f'{name}_after']:.1f} {unit}"


def _width(r: dict[str, Any]) -> str:
    return f"{r['path'][0][0]:.2f} → {r['found']:.2f} ({r['true']:.2f}) pixels"


def _checks(results: dict[str, dict[str, Any]]) -> list[tuple[bool, str]]:
    """What must hold for the demo to have worked."""
    checks = []
    if "image" in results:
        r = results["image"]
        checks.append((r["snr_after"] > r["snr_before"] + 2, "the reconstruction is hardly better than the data"))
        checks.append((r["difference"] < 1e-4, "NumPy and JAX give different reconstructions"))
    if "blur-width" in results:
        r = results["blur-width"]
        off, at_start = (abs(width - r["true"]) for width in (r["found"], r["path"][0][0]))
        checks.append((off < at_start / 2, "the width of the blur was not found"))
    if "ecg-posterior" in results:
        r = results["ecg-posterior"]
        checks.append((r["inside"] >= 0.6, "the posterior band misses the true trace"))
        checks.append((r["error"] < r["error_before"], "the posterior is no better than the data"))
    return checks
