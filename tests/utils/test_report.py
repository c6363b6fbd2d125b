"""The report names versions without importing packages; the scalability test counts and times."""

import subprocess
import sys

import numpy as np
import pytest

import operax
from operax.utils import Report, scalability_test


def test_report_lists_platform_and_packages():
    text = repr(Report())
    for part in ("operax", operax.__version__, "numpy", np.__version__, "CPUs", "Date"):
        assert part in text
    assert max(map(len, repr(Report(text_width=40)).splitlines())) <= 40


def test_report_adds_packages_and_says_what_is_missing():
    report = Report([pytest, "no-such-package"], sort=True)
    assert report.packages["pytest"] == pytest.__version__
    assert report.packages["no-such-package"] == "not installed"
    assert list(report.packages) == sorted(report.packages, key=str.lower)
    assert "<td>" in report._repr_html_()


def test_report_imports_nothing():
    code = "import sys; from operax.utils import Report; Report(); print('torch' in sys.modules, 'pymc' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False"]


class Doubled(operax.LinearOperator):
    def __init__(self):
        super().__init__(dims=5, dimsd=5)
        self.calls = []

    def _forward(self, x):
        self.calls.append("forward")
        return 2 * x

    def _adjoint(self, y):
        self.calls.append("adjoint")
        return 2 * y


@pytest.mark.parametrize("forward", [True, False])
def test_scalability_applies_the_operator_as_often_as_told(forward):
    op = Doubled()
    times, speedup = scalability_test(op, np.ones(5), workers=[1, 3], forward=forward, ntimes=4)
    assert op.calls == ["forward" if forward else "adjoint"] * (1 + 4 + 12)
    assert len(times) == len(speedup) == 2 and min(times) > 0
    np.testing.assert_allclose(speedup, [times[0] / t for t in times])


def test_scalability_wants_positive_numbers():
    with pytest.raises(ValueError, match=r"workers=\[0\] and ntimes=1"):
        scalability_test(Doubled(), np.ones(5), workers=[0])
