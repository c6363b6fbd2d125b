"""Every public name is in the API reference, with a docstring whose examples run."""

import doctest
import importlib
import inspect
import pkgutil
import sys
from pathlib import Path

import numpy as np
import pytest

import operax

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
from api_pages import page_of_module, page_of_name
from public_names import homes, public_modules

PUBLIC = [
    (module, name, value)
    for module, names in homes().items()
    for name, value in names
    if inspect.isclass(value) or inspect.isroutine(value)
]
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(operax.__path__, "operax.", onerror=lambda name: None)
    if not info.name.startswith(("operax.pytensor.dispatch",)) and "__main__" not in info.name
)


def test_every_public_name_has_a_page():
    documented = {id(value) for names in homes().values() for _, value in names}
    missing = []
    for module in public_modules():
        for name in module.__all__:
            try:
                value = getattr(module, name)
            except ImportError as error:
                assert not (error.name or "operax").startswith("operax"), error
                continue  # a bridge whose framework is not installed here
            if name.startswith("__") or inspect.ismodule(value):
                continue
            if id(value) not in documented:
                missing.append(f"{module.__name__}.{name}")
    assert not missing


def test_pages_name_what_they_document():
    for module, names in homes().items():
        if names:
            page = page_of_module(module, names)
            assert all(f":doc:`{name} <{module}.{name}>`" in page for name, _ in names)
            assert all(f":: {name}\n" in page_of_name(module, name, value) for name, value in names)


@pytest.mark.parametrize(("module", "name", "value"), PUBLIC, ids=[f"{m}.{n}" for m, n, _ in PUBLIC])
def test_docstring(module, name, value):
    text = inspect.getdoc(value)
    assert text, f"{module}.{name} has no docstring"
    first = text.split("\n\n")[0]
    assert first.rstrip().endswith((".", ":", "`")), (
        f"the first paragraph of {module}.{name} is not a sentence: {first!r}"
    )


BRIDGES = ("operax.pytensor", "operax.torch", "operax.interop")


@pytest.mark.parametrize(
    "name", [pytest.param(m, marks=pytest.mark.bridge) if m.startswith(BRIDGES) else m for m in MODULES]
)
def test_examples_of_docstrings(name):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if (error.name or "operax").startswith("operax"):
            raise
        pytest.skip(f"{error.name} is not installed")
    import jax

    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    finder = doctest.DocTestFinder(exclude_empty=True)
    with np.printoptions(), jax.enable_x64(False):  # what a reader sees who types the example
        for test in finder.find(module, name):
            if "import torch" in (test.docstring or ""):
                pytest.importorskip("torch")
            report = []
            runner = doctest.DocTestRunner(optionflags=options)
            runner.run(test, out=report.append)
            assert runner.failures == 0, "".join(report)
