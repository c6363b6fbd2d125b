"""Peak memory of a call, from the operating system, the same for every library."""

from __future__ import annotations

import contextlib
import ctypes
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class PeakMemory:
    """Measures by how many bytes the process grows, at its highest, during a call; None where Linux does not tell."""

    def of(self, work: Callable[[], Any]) -> float | None:
        """Bytes on top of what was in use before the call, results included."""
        gc.collect()
        try:
            _trim()
            _RESET.write_text("5")  # sets the high-water mark to the present use
            before = _read("VmRSS")
            result = work()
            peak = _read("VmHWM") - before
        except (OSError, KeyError):
            return None
        del result
        return max(float(peak), 0.0)


def _read(key: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)


def _trim() -> None:
    """Give freed pages back, so that memory used again counts again."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
