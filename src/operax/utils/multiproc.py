"""How an operator's speed grows with the number of workers that share its applications."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from operax._arrays.namespace import Array


def scalability_test(
    Op: Any, x: Array, workers: Sequence[int] | None = None, forward: bool = True, ntimes: int = 1
) -> tuple[list[float], list[float]]:
    """Time an operator while a growing number of threads applies it.

    Array libraries leave Python's lock inside their loops, so threads run at the same time.

    Parameters
    ----------
    Op : LinearOperator
        Operator to time.
    x : array of shape (N,) or dims; (M,) or dimsd for the adjoint
        What it is applied to.
    workers : sequence of int, optional
        Numbers of threads to try (default 1, 2, 4).
    forward : bool, optional
        Time the forward; else the adjoint.
    ntimes : int, optional
        Applications a worker. Take ten or more for stable figures.

    Returns
    -------
    compute_times : list of float
        Seconds an application, for each number of workers.
    speedup : list of float
        Ratio of the first of these times to each.

    Raises
    ------
    ValueError
        If a number of workers or `ntimes` is not positive.

    Examples
    --------
    >>> import numpy as np, operax
    >>> times, speedup = operax.utils.scalability_test(operax.Identity(10), np.ones(10), workers=[1, 2])
    >>> speedup[0]
    1.0
    """
    workers = [1, 2, 4] if workers is None else list(workers)
    if ntimes < 1 or not workers or min(workers) < 1:
        raise ValueError(f"workers={workers} and ntimes={ntimes} must be positive")
    apply = Op.matvec if forward else Op.rmatvec

    def job(_: int) -> None:
        y = apply(x)
        if hasattr(y, "block_until_ready"):
            y.block_until_ready()

    job(0)  # compilation and allocation are not what is asked for
    times = []
    for n in workers:
        with ThreadPoolExecutor(n) as pool:
            start = time.perf_counter()
            list(pool.map(job, range(n * ntimes)))
            times.append((time.perf_counter() - start) / (n * ntimes))
    return times, [times[0] / t for t in times]
