"""The table of names on the page "Migrating from PyLops": PyLops' public names, looked up in our own modules.

`pylops_names.csv` lists the public classes and functions of PyLops 2.8; whether and where operax has each of them is
found out at build time.
"""

from __future__ import annotations

import csv
import importlib
import inspect
from collections import defaultdict
from pathlib import Path
from typing import Any

from public_names import homes


def resolve(path: str) -> Any:
    """The object at a dotted path below operax, or None."""
    parts = path.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            value = getattr(value, part, None)
        return value
    return None


def generate(app: Any) -> None:
    pages = {id(value): f"{module}.{name}" for module, names in homes().items() for name, value in names}
    groups: dict[str, list[str]] = defaultdict(list)
    found = total = 0
    with (Path(__file__).parent / "pylops_names.csv").open(newline="") as file:
        for line in csv.DictReader(file):
            ours = "operax" + line["path"].removeprefix("pylops")
            value = resolve(ours)
            if inspect.ismodule(value):
                value = getattr(value, line["path"].rsplit(".", 1)[-1], None)
            total += 1
            found += value is not None
            home = pages.get(id(value))
            where = "not here" if value is None else f"{{doc}}`{ours} </api/generated/{home}>`" if home else f"`{ours}`"
            groups[line["subpackage"]].append(f"| `{line['path']}` | {where} |\n")
    text = f"---\norphan: true\n---\n\n# PyLops' names in operax\n\n{found} of {total} public names of PyLops 2.8 "
    text += "are found under the same path.\n\n"
    for group, lines in groups.items():
        text += f"## {group}\n\n| PyLops | operax |\n|---|---|\n" + "".join(lines) + "\n"
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    path = folder / "pylops_names.md"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
