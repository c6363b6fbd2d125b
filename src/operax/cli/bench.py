"""`operax bench`: our operators and solvers against their competitors."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from pathlib import Path
from typing import Any

SUMMARY = "Time operators and solvers against PyLops, SciPy and lineax; a table here, a CSV in bench-output/."

NO_CHECKOUT = (
    "operax bench needs the folder benchmarks/ of a source checkout and found none in {places}.\n"
    "Clone the repository, install it there with pip install -e '.[bench]', and run the command from its root."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--quick", action="store_true", help="sizes up to 1e5 only and few rounds: is anything broken?")
    parser.add_argument("--only", metavar="PATTERN", help="only cases whose file or name contains PATTERN")
    parser.add_argument(
        "--sizes", type=sizes, metavar="LIST", help="sizes to run, such as 1e4,1e6, or 'all' (default: 1e4,1e6)"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="time for the rounds of one case (default: 2)")
    parser.add_argument(
        "--asynchronous",
        action="store_true",
        help="leave on that JAX hands computations on CPUs to another thread, which is off as calls are waited for",
    )
    parser.add_argument("--no-memory", action="store_true", help="do not measure peak memory")
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    parser.add_argument("--check", action="store_true", help="exit with status 1 where a goal is missed")
    parser.add_argument("--output", type=Path, default=Path("bench-output"), metavar="DIR", help="where the CSV goes")


def sizes(text: str) -> tuple[int, ...]:
    """``"1e4,1e6"`` as numbers; ``"all"`` as the empty tuple."""
    if text == "all":
        return ()
    try:
        return tuple(int(float(part)) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of sizes such as 1e4,1e6, nor 'all'") from None


def run(arguments: argparse.Namespace) -> int:
    """Find the cases, time them, report."""
    root = checkout()
    if root is None:
        print(NO_CHECKOUT.format(places=" or ".join(map(str, places()))), file=sys.stderr)
        return 2
    sys.path.insert(0, str(root))
    import jax

    jax.config.update("jax_enable_x64", True)  # operators state their precision; both sides get what they state
    if not arguments.asynchronous:
        jax.config.update("jax_cpu_enable_async_dispatch", False)
    cases = select(load(root), arguments)
    if arguments.list:
        for case in cases:
            print(f"{case.size:>9}  {case.name}")
        return 0
    if not cases:
        print("no case fits --only and --sizes; --list shows them", file=sys.stderr)
        return 2
    if any(name in os.environ for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")):
        print("OPENBLAS_CORETYPE or OPENBLAS_L2_SIZE is set: figures of NumPy's products are not representative")
    if "OPENBLAS_THREAD_TIMEOUT" not in os.environ:
        print(
            "OPENBLAS_THREAD_TIMEOUT is not set: threads of NumPy's products go on spinning for tens of milliseconds "
            "and slow what is timed next; `make bench` sets it to 18"
        )
    return report(measure_all(cases, arguments), arguments)


def places() -> list[Path]:
    """Where a checkout may be: here, or where an editable installation was made from."""
    return [Path.cwd(), Path(__file__).resolve().parents[3]]


def checkout() -> Path | None:
    """The root of the source checkout, or None."""
    return next((place for place in places() if (place / "benchmarks" / "harness.py").is_file()), None)


def load(root: Path) -> list[tuple[str, Any]]:
    """All cases with the name of their file."""
    found = []
    for path in sorted((root / "benchmarks").glob("cases_*.py")):
        module = importlib.import_module(f"benchmarks.{path.stem}")
        found += [(path.stem.removeprefix("cases_"), case) for case in module.CASES]
    return found


def select(cases: list[tuple[str, Any]], arguments: argparse.Namespace) -> list[Any]:
    """The cases that --only, --sizes and --quick leave."""
    ladder = importlib.import_module("benchmarks.harness").SIZES
    wanted = arguments.sizes if arguments.sizes is not None else ((10**4,) if arguments.quick else (10**4, 10**6))
    limit = 10**5 if arguments.quick and arguments.sizes is None else None

    def fits(case: Any) -> bool:
        nearest = min(ladder, key=lambda n: abs(n - case.size))
        on_ladder = abs(nearest - case.size) <= 0.05 * nearest
        if limit is not None and case.size > limit:
            return False
        # cases off the ladder ask a question of their own: they run unless sizes were chosen
        return not wanted or (nearest in wanted if on_ladder else arguments.sizes is None)

    return [
        case
        for file, case in cases
        if fits(case) and (arguments.only is None or arguments.only.lower() in f"{file} {case.name}".lower())
    ]


def measure_all(cases: list[Any], arguments: argparse.Namespace) -> list[Any]:
    """Time the cases one after the other, with a progress bar."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    harness = importlib.import_module("benchmarks.harness")
    seconds = arguments.seconds if arguments.seconds is not None else (0.2 if arguments.quick else 2.0)
    outcomes = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns) as progress:
        task = progress.add_task("", total=len(cases))
        for case in cases:
            progress.update(task, description=case.name)
            outcomes += harness.measure(
                case, seconds, least=5 if arguments.quick else 7, memory=not arguments.no_memory
            )
            progress.advance(task)
    return outcomes


def report(outcomes: list[Any], arguments: argparse.Namespace) -> int:
    """Print the table and write the CSV."""
    from rich.console import Console

    reports = importlib.import_module("benchmarks.report")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=170)  # a log has no edge to wrap at
    console.print(reports.table(outcomes))
    for line in reports.summary(outcomes):
        console.print(line, markup=False)
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / time.strftime("bench-%Y%m%d-%H%M%S.csv")
    reports.write_csv(outcomes, path)
    console.print(f"figures: {path}")
    missed = any(outcome.reached is False for outcome in outcomes)
    return 1 if missed and arguments.check else 0
