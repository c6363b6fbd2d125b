"""Pages of the API reference, made from the public names of the package: one a module, one a name."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from public_names import homes, is_operator, summary

TITLES = {
    "operax": "Operators and conversions at the top level",
    "operax.basicoperators": "Basic operators",
    "operax.signalprocessing": "Signal processing",
    "operax.waveeqprocessing": "Wave-equation processing",
    "operax.avo": "Amplitude variation with offset",
    "operax.medical": "Medical imaging",
    "operax.optimization": "Solvers",
    "operax.pytensor": "PyTensor and PyMC",
    "operax.torch": "PyTorch",
    "operax.interop": "SciPy, lineax, PyLops",
    "operax.sharding": "Several devices and hosts",
    "operax.testing": "Checks of operators",
    "operax.utils": "Utilities",
    "operax.cli": "Command line",
}


def write(path: Path, text: str) -> None:
    """Write only what changed, so that an incremental build rereads only that."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def heading(text: str, mark: str = "=") -> str:
    return f"{text}\n{mark * len(text)}\n\n"


OTHERS = "LinearOperator, tuple, Module, Generic, object"


def page_of_name(module: str, name: str, value: Any) -> str:
    full = f"{module}.{name}"
    text = heading(full) + f".. currentmodule:: {module}\n\n"
    if inspect.isclass(value):
        # methods of private bases belong to the class; those of public and foreign ones have their own pages
        text += f".. autoclass:: {name}\n   :members:\n   :inherited-members: {OTHERS}\n   :show-inheritance:\n"
    elif inspect.isroutine(value) or hasattr(value, "__wrapped__"):
        text += f".. autofunction:: {name}\n"
    else:
        text += f".. autodata:: {name}\n   :no-value:\n"
    known_as = dict.fromkeys((full, f"operax.{name}"))  # the gallery indexes by the shortest path
    return text + f"\n.. minigallery:: {' '.join(known_as)}\n"


def table(module: str, names: list[tuple[str, Any]]) -> str:
    text = ".. list-table::\n   :widths: 30 70\n\n"
    for name, value in names:
        text += f"   * - :doc:`{name} <{module}.{name}>`\n     - {summary(value)}\n"
    return text + "\n"


def page_of_module(module: str, names: list[tuple[str, Any]]) -> str:
    text = heading(f"{TITLES.get(module, module)} (``{module}``)" if module in TITLES else f"``{module}``")
    groups = {
        "Operators": [n for n in names if is_operator(n[1])],
        "Classes": [n for n in names if inspect.isclass(n[1]) and not is_operator(n[1])],
        "Functions": [n for n in names if not inspect.isclass(n[1]) and callable(n[1])],
        "Constants": [n for n in names if not callable(n[1])],
    }
    for title, members in groups.items():
        if members:
            text += heading(title, "-") + table(module, members)
    return text + ".. toctree::\n   :hidden:\n\n" + "".join(f"   {module}.{name}\n" for name, _ in names)


def generate(app: Any) -> None:
    folder = Path(app.srcdir) / "api" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {}
    for module, names in homes().items():
        if not names:
            continue
        wanted[f"{module}.rst" if module != "operax" else "operax-top.rst"] = page_of_module(module, names)
        for name, value in names:
            wanted[f"{module}.{name}.rst"] = page_of_name(module, name, value)
    for old in folder.glob("*.rst"):
        if old.name not in wanted:
            old.unlink()
    for file, text in wanted.items():
        write(folder / file, text)
    order = list(TITLES)
    modules = sorted(
        (f for f in wanted if f.removesuffix(".rst") in homes() or f == "operax-top.rst"),
        key=lambda f: (order.index(_module(f)) if _module(f) in order else len(order), f),
    )
    index = "```{toctree}\n:maxdepth: 1\n\n"
    write(folder / "packages.md", index + "".join(f"generated/{f.removesuffix('.rst')}\n" for f in modules) + "```\n")


def _module(file: str) -> str:
    return "operax" if file == "operax-top.rst" else file.removesuffix(".rst")


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
