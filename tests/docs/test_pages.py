"""Every Python block of the documentation, the README and CONTRIBUTING runs, from top to bottom of its page."""

import re
from pathlib import Path

import jax
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
MADE_AT_BUILD = ("gallery/index", "generated/")
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def python_of(page):
    """All blocks marked ``python`` as one program, on the lines where they stand; ``py`` marks what is only shown."""
    text = page.read_text()
    lines = [""] * (text.count("\n") + 2)
    for found in FENCE.finditer(text):
        start = text.count("\n", 0, found.start(1))
        for i, line in enumerate(found.group(1).splitlines()):
            lines[start + i] = line
    return "\n".join(lines)


def pages():
    made = {"_build", "generated", "gallery"}
    found = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    return sorted(page for page in found if not made & set(page.relative_to(ROOT).parts))


PROGRAMS = [page for page in pages() if python_of(page).strip()]


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_runs(page, capsys):
    program = python_of(page)
    for framework in ("torch", "pymc", "pytensor"):
        if f"import {framework}" in program or f"operax.{framework}" in program:
            pytest.importorskip(framework)
    kept = jax.config.jax_enable_x64
    try:
        jax.config.update("jax_enable_x64", False)  # what a reader has who pastes the page
        exec(compile(program, str(page), "exec"), {"__name__": "__main__"})
    finally:
        jax.config.update("jax_enable_x64", kept)


def test_pages_are_found():
    assert {"README.md", "CONTRIBUTING.md", "start.md"} <= {page.name for page in PROGRAMS}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    broken = []
    for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target) or target.startswith("#") or any(part in target for part in MADE_AT_BUILD):
            continue
        path = page.parent / target.split("#")[0]
        if not any(path.with_name(path.name + suffix).exists() for suffix in ("", ".md", ".rst")):
            broken.append(target)
    assert not broken
