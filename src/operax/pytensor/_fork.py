"""Keep a forked child from waiting for ever on threads that exist only in its parent.

A fork copies the memory of JAX's runtime and not its threads. Small computations run in the calling thread and work in
the child; what is given to the thread pool never comes back, and no setting mends that from inside the child. So in a
forked child the first call of every function runs in a thread of its own, and is given up when it makes no progress.
Progress is processor time: a deadlock uses none, while a long computation does. So nothing slow is mistaken for stuck.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["forked", "guard"]

IDLE_SECONDS = float(os.environ.get("OPERAX_FORK_TIMEOUT", "6"))
"""How long a call in a forked child may go without using the processor."""

_forked = False
_passed: set[Any] = set()


def _after_fork() -> None:
    global _forked
    _forked = True
    _passed.clear()


os.register_at_fork(after_in_child=_after_fork)


def forked() -> bool:
    """Whether this process is a fork of one that had loaded the bridge."""
    return _forked


def guard(call: Callable[..., Any], key: Any, name: str, inputs: tuple[Any, ...]) -> Any:
    """``call(*inputs)`` in a forked child: watched the first time for a key and the shapes, plain after that."""
    key = (key, tuple(getattr(x, "shape", ()) for x in inputs))
    if key in _passed:
        return call(*inputs)
    box: list[Any] = []

    def run() -> None:
        try:
            box.append((True, call(*inputs)))
        except BaseException as error:
            box.append((False, error))

    thread = threading.Thread(target=run, daemon=True, name=f"operax-{name}")
    thread.start()
    used, since = time.process_time(), time.monotonic()
    while True:
        thread.join(0.2 if time.monotonic() - since > 0.2 else 0.01)
        if not thread.is_alive():
            break
        now = time.process_time()
        if now - used > 0.02:  # ten times what the waiting itself uses in all
            used, since = now, time.monotonic()
        elif time.monotonic() - since > IDLE_SECONDS:
            raise RuntimeError(
                f"{name} does not answer in this forked process: the framework was already running in the parent, "
                "and its threads do not survive a fork. Start the workers another way: "
                "pm.sample(..., mp_ctx='forkserver') or mp_ctx='spawn'; or use cores=1, or nuts_sampler='nutpie'. "
                f"(Nothing happened for {IDLE_SECONDS:g} s; the environment variable OPERAX_FORK_TIMEOUT changes that.)"
            )
    done, value = box[0]
    if not done:
        raise value
    _passed.add(key)
    return value
