"""The benchmark harness measures what it says, and `operax bench` finds and reports cases."""

import csv
import importlib
import sys
import time
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from operax.cli import bench, main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def harness(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.harness")


def works(value, seconds=0.0):
    def setup():
        def work():
            time.sleep(seconds)
            return value

        return work

    return setup


def missing():
    import no_such_library  # noqa: F401


def broken():
    raise ValueError("cannot build\nsecond line")


def test_the_ratio_is_ours_over_theirs(harness):
    case = harness.Case(
        "sleep", 5, ours=works(np.ones(3), 0.003), peers={"slow": works(np.ones(3), 0.012)}, goals={"slow": 1.0}
    )
    (outcome,) = harness.measure(case, seconds=0.1)
    assert outcome.side == "operax" and outcome.peer == "slow"
    assert outcome.low <= outcome.ratio <= outcome.high < 1
    assert outcome.seconds >= 0.003 and outcome.peer_seconds >= 0.012 and outcome.first >= 0.003
    assert outcome.rounds >= 7 and outcome.reached is True and outcome.difference == 0


def test_goals_and_limits_that_are_missed(harness):
    case = harness.Case("sleep", 5, ours=works(1.0, 0.004), peers={"fast": works(1.0)}, goals={"fast": 1.0})
    assert harness.measure(case, seconds=0.05)[0].reached is False
    (alone,) = harness.measure(harness.Case("sleep", 5, ours=works(1.0, 0.004), limit=0.001), seconds=0.05)
    assert alone.reached is False and alone.ratio is None
    (alone,) = harness.measure(harness.Case("sleep", 5, ours=works(1.0)), seconds=0.05)
    assert alone.reached is None


def test_absent_and_failing_sides_are_reported(harness):
    case = harness.Case("x", 1, ours={"a": works(1.0), "b": broken}, peers={"absent": missing, "bad": broken})
    outcomes = {(o.side, o.peer): o for o in harness.measure(case, seconds=0.02)}
    assert outcomes["a", "absent"].note == "not installed: no_such_library"
    assert outcomes["a", "bad"].note == "fails: ValueError: cannot build"
    assert outcomes["b", ""].reached is False
    assert all(o.ratio is None for o in outcomes.values())


def test_different_results_are_noticed(harness):
    case = harness.Case("x", 1, ours=works(jnp.ones(3)), peers={"other": works(np.array([1.0, 1.0, 1.5]))})
    (outcome,) = harness.measure(case, seconds=0.02)
    np.testing.assert_allclose(outcome.difference, 0.5 / 1.5)
    assert outcome.note.startswith("results differ by 0.33")
    assert harness.difference(np.ones(2), np.ones(3)) == np.inf
    assert harness.difference(np.full(2, np.nan), np.ones(2)) != 0


def test_goals_of_one_side_go_before_goals_of_all(harness):
    case = harness.Case("x", 1, ours=works(1), goals={"numpy/pylops": 0.5, "pylops": 0.1})
    assert case.goal("numpy", "pylops") == 0.5 and case.goal("jax", "pylops") == 0.1 and case.goal("jax", "x") is None


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
def test_peak_memory(harness):
    peak = importlib.import_module("benchmarks.memory").PeakMemory()
    measured = peak.of(lambda: np.ones(5_000_000).sum())
    if measured is None:
        pytest.skip("this kernel does not let the peak be reset")
    assert 35e6 < measured < 60e6


def test_the_same_call_builds_both_libraries(harness):
    from operax import LinearOperator

    class Doubled(LinearOperator):
        def _forward(self, x):
            return 2 * x

        _adjoint = _forward

    cases = list(
        harness.same_api_cases("Doubled", (4, 5), lambda lib, **_: Doubled(dims=(4, 5), dimsd=(4, 5)), jax_peer=False)
    )
    assert [(c.name, c.size, set(c.ours), set(c.peers)) for c in cases] == [
        ("Doubled forward", 20, {"jax", "numpy"}, {"pylops"}),
        ("Doubled adjoint", 20, {"jax", "numpy"}, {"pylops"}),
    ]
    outcomes = harness.measure(cases[0], seconds=0.02)
    assert {o.side for o in outcomes} == {"jax", "numpy"} and all(o.difference < 1e-6 for o in outcomes)


def test_every_case_file_loads(harness):
    cases = bench.load(ROOT)
    files = {file for file, _ in cases}
    assert {"core", "catalogue"} <= files | {"catalogue"}
    names = [(case.name, case.size) for _, case in cases]
    assert len(set(names)) == len(names), "two cases of one name and size"
    known = {side for _, case in cases for side in case.sides()}
    for _, case in cases:
        for goal in case.goals:
            side, _, peer = goal.rpartition("/")
            assert peer in case.peers and side in {"", *known}, f"{case.name}: goal {goal} names no competitor"


def test_the_command_writes_table_and_csv(tmp_path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    harness = importlib.import_module("benchmarks.harness")
    cases = [("core", harness.Case("probe", 10**4, ours=works(1.0), peers={"p": works(1.0), "absent": missing}))]
    monkeypatch.setattr(bench, "load", lambda root: cases)
    assert main(["bench", "--quick", "--seconds", "0.02", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "probe" in out and "not installed: no_such_library" in out and "geometric mean" in out
    (path,) = tmp_path.glob("bench-*.csv")
    rows = list(csv.DictReader(path.open()))
    assert [row["peer"] for row in rows] == ["p", "absent"] and float(rows[0]["ratio"]) > 0


def test_selection(tmp_path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    harness = importlib.import_module("benchmarks.harness")
    cases = [("core", harness.Case(f"probe {n}", n, ours=works(1.0))) for n in (0, 100, 9999, 10**6, 10**7)]
    monkeypatch.setattr(bench, "load", lambda root: cases)

    def listed(*options):
        assert main(["bench", "--list", *options]) == 0
        return [int(line.split()[0]) for line in capsys.readouterr().out.splitlines() if "probe" in line]

    assert listed() == [0, 100, 9999, 10**6]
    assert listed("--quick") == [0, 100, 9999]
    assert listed("--sizes", "1e7") == [10**7]
    assert listed("--sizes", "all") == [0, 100, 9999, 10**6, 10**7]
    assert listed("--only", "PROBE 1", "--sizes", "all") == [100, 10**6, 10**7]
    assert main(["bench", "--only", "nothing of this name"]) == 2
    assert "no case fits" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["bench", "--sizes", "many"])
    assert "'many' is not a list of sizes" in capsys.readouterr().err


def test_without_a_checkout_it_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(bench, "places", lambda: [tmp_path])
    assert main(["bench"]) == 2
    message = capsys.readouterr().err
    assert str(tmp_path) in message and "Clone the repository" in message


def test_check_turns_missed_goals_into_a_status(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    harness = importlib.import_module("benchmarks.harness")
    monkeypatch.setattr(bench, "load", lambda root: [("core", harness.Case("bad", 0, ours=broken))])
    assert main(["bench", "--output", str(tmp_path)]) == 0
    assert main(["bench", "--check", "--output", str(tmp_path)]) == 1
    assert "benchmarks" in sys.modules
