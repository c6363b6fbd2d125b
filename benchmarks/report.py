"""The table in the terminal and the CSV of a benchmark run."""

from __future__ import annotations

import csv
import dataclasses
import math
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.harness import Outcome


def table(outcomes: Iterable[Outcome]) -> Any:
    """The outcomes as a rich table."""
    from rich.table import Table

    out = Table(
        title="ratio: our time over theirs, median \\[quartiles] of interleaved rounds, and of the best times",
        title_style="bold",
    )
    out.add_column("case")
    out.add_column("ours : against")
    for name in ("ratio", "time", "first call", "peak memory"):
        out.add_column(name, justify="right")
    last: Any = None
    for o in outcomes:
        here = (o.case, o.size)
        if last not in (None, here):
            out.add_section()
        size = f"  {o.size:.0e}".replace("e+0", "e") if o.size else ""
        out.add_row(
            f"{o.case}{size}" if here != last else "",
            f"{o.side} : {o.peer}" if o.peer else o.side,
            _ratio(o),
            _pair(_time, o.seconds, None if o.note.startswith("not") else o.peer_seconds),
            _pair(_time, o.first, o.peer_first),
            _pair(_bytes, o.peak, o.peer_peak),
        )
        last = here
    return out


def _ratio(o: Outcome) -> str:
    from rich.markup import escape

    colour = {True: "green", False: "red", None: "default"}[o.reached]
    parts = []
    if o.ratio is not None:
        spread = escape(f"[{o.low:.3g} {o.high:.3g}]")
        parts.append(f"[{colour}]{o.ratio:.3g}[/] [dim]{spread} {o.best:.3g}[/]")
    if o.goal is not None and o.ratio is not None:
        parts.append(f"[dim]≤ {o.goal:g}[/]")
    if o.limit is not None:
        parts.append(f"[{colour}]time ≤ {_time(o.limit)}[/]")
    if o.note:
        parts.append(f"[yellow]{escape(o.note)}[/]")
    return " ".join(parts)


def summary(outcomes: Iterable[Outcome]) -> list[str]:
    """Geometric mean of the ratios against every competitor, and the goals missed."""
    outcomes = list(outcomes)
    lines = []
    pairs = sorted({(o.side, o.peer) for o in outcomes if o.ratio is not None})
    for side, peer in pairs:
        ratios = [o.ratio for o in outcomes if (o.side, o.peer) == (side, peer) and o.ratio]
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        lines.append(f"{side} against {peer}: geometric mean {mean:.3g} over {len(ratios)} cases")
    judged = [o for o in outcomes if o.reached is not None]
    missed = [o for o in judged if not o.reached]
    if judged:
        lines.append(f"goals reached: {len(judged) - len(missed)} of {len(judged)}")
    lines += [f"  missed: {o.case} ({o.size or '-'}), {o.side}: {_why(o)}" for o in missed]
    differing = [o for o in outcomes if o.note.startswith("results differ")]
    lines += [f"  differs: {o.case} ({o.size or '-'}), {o.side} against {o.peer}: {o.note}" for o in differing]
    return lines


def _why(o: Outcome) -> str:
    if o.ratio is None and o.note:
        return o.note
    return f"{o.ratio:.3g} against {o.peer}" if o.ratio is not None else f"{o.seconds:.3g} s"


def write_csv(outcomes: Iterable[Outcome], path: Path) -> None:
    """All figures of all outcomes: seconds, bytes and plain ratios."""
    names = [f.name for f in dataclasses.fields(Outcome)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "reached"])
        for outcome in outcomes:
            writer.writerow([*(getattr(outcome, name) for name in names), outcome.reached])


def _pair(form: Any, ours: float | None, theirs: float | None) -> str:
    if ours is None:
        return ""
    return form(ours) if theirs is None else f"{form(ours)} / {form(theirs)}"


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _bytes(size: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return "<1 MB"
