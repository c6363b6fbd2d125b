"""The tables of measured ratios on the page "Backends and devices", from the CSV of a benchmark run.

`ratios.csv` is what `make bench` wrote on a quiet machine; copy a new one here to bring the page up to date.
"""

from __future__ import annotations

import csv
import math
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COLUMNS = {
    "NumPy : PyLops": ("numpy", "pylops"),
    "JAX : PyLops": ("jax", "pylops"),
    "JAX : PyLops on numba": ("jax", "pylops numba"),
    "JAX : PyLops on JAX": ("jax", "pylops jax"),
    "JAX : SciPy": ("jax", "scipy"),
}
SIZE = 10**6
RETURNED = ("Identity", "Zero")
"""Where PyLops returns the input or nothing but zeros: a ratio says what an allocation costs."""


def split(case: str) -> tuple[str, str]:
    """The operator and which way it ran."""
    for way in ("forward", "adjoint"):
        if case.endswith(" " + way):
            return case.removesuffix(" " + way), way
    return case, ""


def operators(lines: list[dict[str, str]]) -> str:
    """A row an operator, forward and adjoint beside each other, at a million elements."""
    found: dict[str, dict[tuple[str, str, str], str]] = defaultdict(dict)
    for line in lines:
        name, way = split(line["case"])
        if way and line["ratio"] and 0.5 * SIZE <= int(line["size"]) <= 2 * SIZE:
            found[name][line["side"], line["peer"], way] = f"{float(line['ratio']):.2g}"
    used = [c for c, key in COLUMNS.items() if any((*key, w) in row for row in found.values() for w in WAYS)]
    text = "| operator | " + " | ".join(used) + " |\n|---|" + "---|" * len(used) + "\n"
    for name, row in found.items():
        cells = [" / ".join(row.get((*COLUMNS[c], way), "–") for way in WAYS) for c in used]
        text += f"| {name} | " + " | ".join("" if cell == "– / –" else cell for cell in cells) + " |\n"
    return text


WAYS = ("forward", "adjoint")


def means(lines: list[dict[str, str]]) -> str:
    """Geometric means over all operators at each size, and how many cases are above 1.1."""
    sizes = [10**k for k in range(4, 8)]
    used = {c: COLUMNS[c] for c in ("NumPy : PyLops", "JAX : PyLops", "JAX : PyLops on JAX")}
    text = "| elements | " + " | ".join(used) + " |\n|---|" + "---|" * len(used) + "\n"
    for size in sizes:
        cells = []
        for side, peer in used.values():
            found = [
                float(line["ratio"])
                for line in lines
                if (line["side"], line["peer"]) == (side, peer)
                and line["ratio"]
                and split(line["case"])[1]
                and 0.5 * size <= int(line["size"]) <= 2 * size
                and not line["case"].startswith(RETURNED)
            ]
            if found:
                above = sum(ratio > 1.1 for ratio in found)
                cells.append(f"{math.exp(statistics.fmean(map(math.log, found))):.2g} ({above} of {len(found)})")
            else:
                cells.append("")
        text += f"| {size:,} | " + " | ".join(cells) + " |\n"
    return text


def others(lines: list[dict[str, str]]) -> str:
    """Everything else, a row a comparison."""
    text = "| case | ours : against | ratio | quartiles |\n|---|---|---|---|\n"
    for line in lines:
        if line["ratio"] and not split(line["case"])[1] and not line["case"].startswith("catalogue:"):
            size = f" ({int(line['size']):,})" if int(line["size"]) > 0 else ""
            text += (
                f"| {line['case']}{size} | {line['side']} : {line['peer']} | {float(line['ratio']):.2g} "
                f"| {float(line['low']):.2g} to {float(line['high']):.2g} |\n"
            )
    return text


def generate(app: Any) -> None:
    with (HERE / "ratios.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    text = "---\norphan: true\n---\n\n# Measured ratios\n\n## Operators, a million elements\n\n" + operators(lines)
    text += (
        "\n## Geometric means by size\n\nOver the operators measured, without identity and zeros; in brackets "
        "how many cases are above 1.1.\n\n" + means(lines)
    )
    text += "\n## Calls, solvers, bridges\n\n" + others(lines)
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    path = folder / "ratios.md"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
