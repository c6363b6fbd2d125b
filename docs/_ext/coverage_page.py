"""The table of "Backends and devices": read from a run of all checks over the catalogue, never typed.

The run is repeated when the package, the catalogue or JAX changed since the last one. While writing prose,
``OPERAX_DOCS_COVERAGE=reuse`` takes the last run whatever changed since; the page says so.
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections import defaultdict
from html import escape
from pathlib import Path
from typing import Any

import run_coverage

COLUMNS = {
    "NumPy": ("forward", "adjoint", "dottest", "linearity", "complex input", "dtype", "read-only input"),
    "JAX": ("jax",),
    "array API": ("strict",),
    "jit": ("jit",),
    "vmap": ("vmap",),
    "grad": ("vjp",),
    "jvp": ("jvp",),
    "Hessian": ("hessian",),
    "parameter gradient": ("parameters",),
    "sharded": ("sharded",),
    "pickle, pytree": ("pickle", "pytree"),
}
FAMILIES = {
    "composed": "Composed operators",
    "basic": "Basic operators",
    "signal": "Signal processing",
    "solvers": "Solvers",
    "waveeq": "Wave-equation processing",
    "avo": "Amplitude variation with offset",
    "medical": "Medical imaging",
}


def fingerprint() -> str:
    """Of everything that a run depends on."""
    import jax
    import numpy

    digest = hashlib.sha256(f"{jax.__version__} {numpy.__version__}".encode())
    for folder in ("src/operax", "tests/catalogue"):
        for path in sorted((run_coverage.ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def outcomes(folder: Path) -> tuple[list[dict[str, str]], bool]:
    """Lines of the run, and whether it is of the present sources."""
    folder.mkdir(parents=True, exist_ok=True)
    table, stamp = folder / "coverage.csv", folder / "coverage.sha256"
    now = fingerprint()
    fresh = table.exists() and stamp.exists() and stamp.read_text() == now
    if not fresh and os.environ.get("OPERAX_DOCS_COVERAGE") != "reuse":
        run_coverage.run(table, key=now[:12])
        stamp.write_text(now)
        fresh = True
    if not table.exists():
        return [], False
    with table.open(newline="") as file:
        return list(csv.DictReader(file)), fresh


def table_of(lines: list[dict[str, str]]) -> str:
    """One line an operator class: in each column how many of its rows pass, out of how many."""
    seen: dict[str, dict[str, dict[str, dict[str, bool]]]] = defaultdict(lambda: defaultdict(dict))
    for line in lines:
        rows = seen[line["family"]][line["operator"]]
        rows.setdefault(line["row"], {})[line["check"]] = line["outcome"] == "ok"
    head = "<tr><th>operator</th><th>rows</th>" + "".join(f"<th>{name}</th>" for name in COLUMNS) + "</tr>"
    text = ""
    for family, operators in seen.items():
        body = ""
        for operator, rows in sorted(operators.items()):
            cells = ""
            for checks in COLUMNS.values():
                good = sum(all(results.get(check, False) for check in checks) for results in rows.values())
                cells += "<td>✓</td>" if good == len(rows) else f"<td><b>{good}/{len(rows)}</b></td>"
            body += f"<tr><td>{escape(operator)}</td><td>{len(rows)}</td>{cells}</tr>"
        text += f"## {FAMILIES.get(family, family)}\n\n"
        text += f'<table class="coverage-table"><thead>{head}</thead><tbody>{body}</tbody></table>\n\n'
    return text


def failures_of(lines: list[dict[str, str]]) -> str:
    """What does not pass, in the words of the check."""
    failed = [line for line in lines if line["outcome"] != "ok"]
    if not failed:
        return "Every row passes every check.\n"
    text = "<ul>"
    for line in failed:
        text += (
            f"<li><b>{escape(line['row'])}</b>, {escape(line['check'])}: <code>{escape(line['outcome'])}</code></li>"
        )
    return text + "</ul>\n"


def generate(app: Any) -> None:
    import jax
    import numpy

    lines, fresh = outcomes(Path(app.srcdir) / "_build" / "coverage")
    rows = {(line["row"], line["dtype"]) for line in lines}
    passed = sum(line["outcome"] == "ok" for line in lines)
    text = "---\norphan: true\n---\n\n# Coverage of the catalogue\n\n"
    text += (
        f"{len(rows)} configurations, {len(lines)} checks, {passed} passed; NumPy {numpy.__version__}, "
        f"JAX {jax.__version__} on a CPU with four virtual devices. A tick: every configuration of the operator "
        "passes; `3/4`: three of four do, and the failures are listed at the end.\n\n"
    )
    if not fresh:
        text += ":::{note}\nThis table is from a run before the latest changes.\n:::\n\n"
    if lines:
        text += table_of(lines)
    text += "## What does not pass\n\n" + failures_of(lines)
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    path = folder / "coverage.md"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
