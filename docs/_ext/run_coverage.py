"""Run every check over every row of the catalogue and write the outcome as CSV.

    python docs/_ext/run_coverage.py OUT.csv [--part I N]

One line a row and check: family, operator, row, dtype, check, outcome (``ok``, or the first line of the error).
`coverage_page` calls it at build time and makes the table of the page "Backends and devices" from it.
"""

from __future__ import annotations

import argparse
import csv
import inspect
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIELDS = ("family", "operator", "row", "dtype", "check", "outcome")


def run_part(out: Path, part: int, parts: int) -> None:
    """Check every `parts`-th row, starting with number `part`."""
    import importlib

    import jax

    jax.config.update("jax_enable_x64", True)
    sys.path.insert(0, str(ROOT / "tests"))
    import catalogue
    from operax.testing import CHECKS

    rows = [(f, row) for f in catalogue.FAMILIES for row in importlib.import_module(f"catalogue.{f}").ROWS]
    done = finished_rows(out)
    with out.open("a", newline="") as file:
        writer = csv.writer(file)
        for family, row in rows[part::parts]:
            if row.name in done:
                continue
            dtype = row.dtypes[0]
            try:
                op, matrix = row.build(dtype), None if row.matrix is None else row.matrix(dtype)
            except Exception as error:  # a row that cannot be built is an outcome, not a crash of the page
                writer.writerow([family, row.name.split()[0], row.name, dtype, "build", describe(error)])
                continue
            for name, check in CHECKS.items():
                try:
                    check(op, matrix) if "matrix" in inspect.signature(check).parameters else check(op)
                    outcome = "ok"
                except Exception as error:
                    outcome = describe(error)
                writer.writerow([family, type(op).__name__, row.name, dtype, name, outcome])
            file.flush()


def finished_rows(out: Path) -> set[str]:
    """Rows that an interrupted run of the same sources has finished; its half-done last row is cut off."""
    if not out.exists():
        return set()
    with out.open(newline="") as file:
        lines = [line for line in csv.reader(file) if len(line) == len(FIELDS)]
    last = lines[-1][2] if lines else None
    kept = [line for line in lines if line[2] != last]
    with out.open("w", newline="") as file:
        csv.writer(file).writerows(kept)
    return {line[2] for line in kept}


def describe(error: Exception) -> str:
    """First line of an error, with its type."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:160]}"


def run(out: Path, key: str = "run", parts: int = 2) -> None:
    """All rows, in `parts` processes; each sees four virtual devices so that sharding is checked.

    What was finished by an interrupted run of the same `key` is not repeated.
    """
    env = {
        **os.environ,
        "XLA_FLAGS": "--xla_force_host_platform_device_count=4",
        "JAX_PLATFORMS": "cpu",
    }
    pieces = [out.with_suffix(f".{key}.{i}") for i in range(parts)]
    jobs = [
        subprocess.Popen([sys.executable, __file__, str(piece), "--part", str(i), str(parts)], env=env)
        for i, piece in enumerate(pieces)
    ]
    if any([job.wait() for job in jobs]):
        raise RuntimeError("a part of the coverage run ended early; its messages stand above")
    with out.open("w", newline="") as file:
        csv.writer(file).writerow(FIELDS)
        for piece in pieces:
            file.write(piece.read_text())
            piece.unlink()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--part", nargs=2, type=int)
    given = parser.parse_args()
    if given.part:
        run_part(given.out, *given.part)
    else:
        run(given.out)
