"""The examples of the README run as they stand there."""

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "README.md").read_text()
SECTIONS = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
EXAMPLES = {
    title: blocks for title, text in SECTIONS.items() if (blocks := re.findall(r"```python\n(.*?)```", text, re.S))
}
NEEDS = {"In PyMC": "pymc", "In PyTorch": "torch"}


@pytest.mark.bridge
@pytest.mark.parametrize("title", EXAMPLES)
def test_example(title, capsys):
    if title in NEEDS:
        pytest.importorskip(NEEDS[title])
    names = {"__name__": "readme"}  # later blocks of a section go on from the first
    for block in EXAMPLES[title]:
        exec(compile(block, f"README.md: {title}", "exec"), names)
        assert capsys.readouterr().out.strip()


def test_there_are_examples():
    assert (
        len(EXAMPLES) == 3
        and sum(map(len, EXAMPLES.values())) == TEXT.count("```python")
        and set(NEEDS) < set(EXAMPLES)
    )
