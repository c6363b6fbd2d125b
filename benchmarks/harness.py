"""The benchmark harness: cases, and how they are timed.

A case file `benchmarks/cases_*.py` has a list `CASES`. A case names what is compared; both sides are given as a set-up
function, which builds everything and returns the function that is timed::

    def ours():
        Op, x = operax.FirstDerivative((1000, 1000)), jnp.ones((1000, 1000))
        return lambda: Op @ x

    CASES = [Case("FirstDerivative", 10**6, ours={"jax": ours}, peers={"pylops": theirs}, goals={"pylops": 0.1})]

`same_api_cases` writes such cases for operators that operax and PyLops build by the same call.

All sides of a case are built in one process and timed in turn, round after round, each round in another order, so that
what else the machine does falls on all of them alike. A figure is the median of the ratios of the rounds, with their
quartiles. First call (compilation) and peak memory are taken apart, before. Every call is waited for
(`block_until_ready`) on both sides, and `operax bench` has JAX compute in the calling thread, for us and for peers:
handing each call to another thread only to wait for it would be part of every figure.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.memory import PeakMemory

SIZES = (10**4, 10**5, 10**6, 10**7)
"""The ladder of problem sizes, in elements of the model."""

Work = Callable[[], Any]
SetUp = Callable[[], Work]


@dataclass(frozen=True)
class Case:
    """One comparison.

    Parameters
    ----------
    name
        What is computed, e.g. ``"FirstDerivative axis=0 adjoint"``.
    size
        Number of elements of the model; 0 where that means nothing. `--sizes` chooses by it.
    ours
        Set-up functions of our sides by name ("numpy", "jax"), or a single one.
    peers
        Set-up functions of the competitors by name. One that raises ImportError is reported as missing.
    goals
        For a competitor, or "OURS/COMPETITOR" for one of our sides: the largest ratio of our time to theirs that
        counts as reached.
    limit
        Largest time of ours, in seconds, that counts as reached.
    same
        Largest relative difference of the results of the two sides; None where they are not comparable.
    """

    name: str
    size: int
    ours: SetUp | Mapping[str, SetUp]
    peers: Mapping[str, SetUp] = field(default_factory=dict)
    goals: Mapping[str, float] = field(default_factory=dict)
    limit: float | None = None
    same: float | None = 1e-3

    def sides(self) -> dict[str, SetUp]:
        """Set-up functions of our sides by name."""
        return {"operax": self.ours} if callable(self.ours) else dict(self.ours)

    def goal(self, side: str, peer: str) -> float | None:
        """The ratio to reach for one of our sides against a competitor."""
        return self.goals.get(f"{side}/{peer}", self.goals.get(peer))


@dataclass
class Runner:
    """One side of a case, built and called once."""

    name: str
    work: Work
    wait: Callable[[Any], Any]
    result: Any
    first: float
    peak: float | None
    repeat: int = 1
    short: bool = False

    def sample(self) -> float:
        """Seconds a call, over `repeat` calls.

        Short calls run before without being timed: after a pause, or another side's turn, a processor takes up to half
        a millisecond to come back to its speed with wide vectors, whatever filled the pause.
        """
        work, wait = self.work, self.wait
        if self.short:
            for _ in range(self.repeat):
                wait(work())
        start = time.perf_counter()
        for _ in range(self.repeat):
            wait(work())
        return (time.perf_counter() - start) / self.repeat


@dataclass
class Outcome:
    """What was measured of one of our sides against one competitor (`peer` is empty where there is none).

    `ratio` is the median of the rounds with quartiles `low` and `high`; `best` is the ratio of the shortest times of
    the two sides, which other load on the machine disturbs least.
    """

    case: str
    size: int
    side: str
    peer: str = ""
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    best: float | None = None
    seconds: float | None = None
    peer_seconds: float | None = None
    first: float | None = None
    peer_first: float | None = None
    peak: float | None = None
    peer_peak: float | None = None
    rounds: int = 0
    difference: float | None = None
    goal: float | None = None
    limit: float | None = None
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether goal and limit are reached (False where ours fails); None where there is none."""
        if not self.peer and self.note.startswith("fails"):
            return False
        tests = []
        if self.goal is not None and self.ratio is not None:
            tests.append(self.ratio <= self.goal)
        if self.limit is not None and self.seconds is not None:
            tests.append(self.seconds <= self.limit)
        return all(tests) if tests else None


def measure(case: Case, seconds: float = 2.0, least: int = 7, most: int = 200, memory: bool = True) -> list[Outcome]:
    """Time all sides of a case against each other for about `seconds`, in `least` to `most` rounds."""
    ours, missing = _runners(case.sides(), memory)
    theirs, missing_peers = _runners(case.peers, memory)
    outcomes = [Outcome(case.name, case.size, side, note=note) for side, note in missing.items()]
    if not ours:
        return outcomes
    runners = [*ours.values(), *theirs.values()]
    times = _rounds(runners, seconds, least, most)
    for side, mine in ours.items():
        own = times[id(mine)]
        common = {
            "case": case.name,
            "size": case.size,
            "side": side,
            "seconds": statistics.median(own),
            "first": mine.first,
            "peak": mine.peak,
            "rounds": len(own),
            "limit": case.limit,
        }
        for name, peer in theirs.items():
            other = times[id(peer)]
            ratios = [a / b for a, b in zip(own, other)]
            low, middle, high = statistics.quantiles(ratios, n=4)
            outcome = Outcome(
                **common,
                peer=name,
                ratio=middle,
                low=low,
                high=high,
                best=min(own) / min(other),
                peer_seconds=statistics.median(other),
                peer_first=peer.first,
                peer_peak=peer.peak,
                goal=case.goal(side, name),
            )
            if case.same is not None:
                outcome.difference = difference(mine.result, peer.result)
                if not outcome.difference <= case.same:
                    outcome.note = f"results differ by {outcome.difference:.2g}"
            outcomes.append(outcome)
        outcomes += [Outcome(**common, peer=name, note=note) for name, note in missing_peers.items()]
        if not case.peers:
            outcomes.append(Outcome(**common))
    return outcomes


def difference(a: Any, b: Any) -> float:
    """Largest difference relative to the largest value; infinite where shapes differ."""
    a, b = np.asarray(a).ravel(), np.asarray(b).ravel()
    if a.shape != b.shape:
        return float("inf")
    scale = float(np.max(np.abs(b), initial=0.0)) or 1.0
    return float(np.max(np.abs(a - b), initial=0.0)) / scale


def _runners(setups: Mapping[str, SetUp], memory: bool) -> tuple[dict[str, Runner], dict[str, str]]:
    """Every side built and called once; and what is to be said of those that cannot be."""
    import jax

    runners: dict[str, Runner] = {}
    missing: dict[str, str] = {}
    for name, setup in setups.items():
        try:
            jax.clear_caches()  # a first call is one, whatever ran before
            work = setup()
            meter = PeakMemory() if memory else None
            start = time.perf_counter()
            result = jax.block_until_ready(work())
            first = time.perf_counter() - start
            wait = _waits(result)
            # peak of a later call: the first one also loads and compiles
            peak = None if meter is None else meter.of(lambda work=work, wait=wait: wait(work()))
            runners[name] = Runner(name, work, wait, result, first, peak)
        except ImportError as error:
            missing[name] = f"not installed: {error.name or error}"
        except Exception as error:  # a competitor that fails is a result, not the end of the run
            missing[name] = f"fails: {type(error).__name__}: {str(error).splitlines()[0][:80] if str(error) else ''}"
    return runners, missing


def _waits(result: Any) -> Callable[[Any], Any]:
    """The cheapest call that waits for results of this kind."""
    import jax

    if isinstance(result, np.ndarray | np.generic | int | float) or result is None:
        return lambda value: value
    if isinstance(result, jax.Array):
        return lambda value: value.block_until_ready()
    return jax.block_until_ready


def _rounds(runners: list[Runner], seconds: float, least: int, most: int) -> dict[int, list[float]]:
    for runner in runners:
        runner.sample()  # caches were cleared while the others were built
        once = runner.sample()
        if once < 1e-2:
            once = min(once, runner.sample(), runner.sample())
            runner.short = True
            runner.repeat = max(1, min(1000, int(1e-3 / max(once, 1e-9))))
    times: dict[int, list[float]] = {id(runner): [] for runner in runners}
    start = time.perf_counter()
    enabled = gc.isenabled()
    gc.disable()
    try:
        for number in range(most):
            if number >= least and time.perf_counter() - start > seconds:
                break
            turn = number % len(runners)
            for runner in runners[turn:] + runners[:turn]:
                times[id(runner)].append(runner.sample())
    finally:
        if enabled:
            gc.enable()
    return times


def same_api_cases(
    name: str,
    dims: tuple[int, ...],
    build: Callable[..., Any],
    *,
    dtype: str = "float32",
    goals: Mapping[str, float] | None = None,
    numba: bool = False,
    jax_peer: bool = True,
    same: float | None = 1e-3,
) -> Iterable[Case]:
    """Forward and adjoint of an operator that operax and PyLops build by the same call.

    Parameters
    ----------
    name
        Name of the operator and its options.
    dims
        Shape of the model.
    build
        ``build(library, **options)`` makes the operator, `library` being the module operax or pylops; it takes
        ``engine="numba"`` where `numba` is True.
    dtype
        Precision of operator and data.
    goals, same
        As in `Case`; our sides are "jax" and "numpy", the competitors "pylops", "pylops numba" and "pylops jax".
    numba
        Whether PyLops has a numba engine for it.
    jax_peer
        Whether PyLops' JaxOperator is a competitor.
    """
    size = int(np.prod(dims))

    def work(op: Any, direction: str, library: str) -> Work:
        if direction == "adjoint":
            shape = op.dimsd
            op = op.H
        else:
            shape = op.dims
        x = random(shape, dtype)
        if library == "jax":
            import jax.numpy as jnp

            x = jnp.asarray(x)
        return lambda: op @ x

    def ours(direction: str, library: str) -> SetUp:
        def setup() -> Work:
            import operax

            return work(build(operax).to(library), direction, library)

        return setup

    def pylops(direction: str, **options: Any) -> SetUp:
        def setup() -> Work:
            import pylops

            return work(build(pylops, **options), direction, "numpy")

        return setup

    def pylops_jax(direction: str) -> SetUp:
        def setup() -> Work:
            import jax.numpy as jnp
            import pylops

            op = pylops.JaxOperator(build(pylops))
            x = jnp.asarray(random(op.dims if direction == "forward" else op.dimsd, dtype).ravel())
            return (lambda: op._matvec(x)) if direction == "forward" else (lambda: op._rmatvec(x))

        return setup

    for direction in ("forward", "adjoint"):
        peers = {"pylops": pylops(direction)}
        if numba:
            peers["pylops numba"] = pylops(direction, engine="numba")
        if jax_peer:
            peers["pylops jax"] = pylops_jax(direction)
        yield Case(
            f"{name} {direction}",
            size,
            ours={library: ours(direction, library) for library in ("jax", "numpy")},
            peers=peers,
            goals=goals or {},
            same=same,
        )


def random(shape: Any, dtype: str, seed: int = 0) -> np.ndarray:
    """Reproducible normal data of any dtype."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)
