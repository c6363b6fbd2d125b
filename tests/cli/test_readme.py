"""The examples of the README run as they stand there."""

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "README.md").read_text()
EXAMPLES = dict(re.findall(r"## ([^\n]*)\n\n```python\n(.*?)```", TEXT, re.DOTALL))
NEEDS = {"In PyMC": "pymc", "In PyTorch": "torch"}


@pytest.mark.bridge
@pytest.mark.parametrize("title", EXAMPLES)
def test_example(title, capsys):
    if title in NEEDS:
        pytest.importorskip(NEEDS[title])
    exec(compile(EXAMPLES[title], f"README.md: {title}", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out.strip()


def test_there_are_examples():
    assert len(EXAMPLES) == 3 and set(NEEDS) < set(EXAMPLES)
