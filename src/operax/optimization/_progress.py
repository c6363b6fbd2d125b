"""A progress bar with residual and rate; rich is imported only where one is shown."""

from __future__ import annotations

from typing import Any


class Bar:
    """A bar over `total` iterations."""

    def __init__(self, name: str, total: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self.progress: Any = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("cost {task.fields[cost]:.3e}  {task.fields[rate]}"),
            TimeElapsedColumn(),
        )
        self.progress.start()
        self.task = self.progress.add_task(name, total=total, cost=float("nan"), rate="")

    def update(self, done: int, cost: float) -> None:
        """Show that `done` iterations are made."""
        speed = self.progress.tasks[0].speed
        rate = f"{speed:.0f} it/s" if speed else ""
        self.progress.update(self.task, completed=done, cost=cost, rate=rate)

    def close(self) -> None:
        """Leave the bar as it is."""
        self.progress.stop()
