"""What a bug report needs to know of the machine and the installed versions."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from datetime import datetime
from types import ModuleType
from typing import Any

CORE = ("operax", "numpy", "scipy", "jax", "jaxlib", "array-api-compat", "PyWavelets", "rich")
"""Packages that operax needs."""

OPTIONAL = ("pytensor", "pymc", "torch", "cupy", "numba", "matplotlib", "pylops", "lineax", "IPython")
"""Packages that operax can use."""


class Report:
    """Table of the platform and of installed versions, to be printed or shown in a notebook.

    Parameters
    ----------
    add_pckg : module, str or sequence of them, optional
        Further packages to list.
    ncol : int, optional
        Number of columns of the table in a notebook.
    text_width : int, optional
        Width of the text form, in characters.
    sort : bool, optional
        List the packages by name.

    Notes
    -----
    Versions are read from the packages' metadata, nothing is imported.

    Examples
    --------
    >>> import operax
    >>> print(operax.utils.Report())  # doctest: +SKIP
    """

    def __init__(self, add_pckg: Any = None, ncol: int = 3, text_width: int = 80, sort: bool = False) -> None:
        if ncol < 1 or text_width < 20:
            raise ValueError(f"ncol={ncol} must be at least 1 and text_width={text_width} at least 20")
        added = [] if add_pckg is None else list(add_pckg) if isinstance(add_pckg, list | tuple | set) else [add_pckg]
        names = [p.__name__ if isinstance(p, ModuleType) else str(p) for p in added]
        self.ncol, self.text_width = ncol, text_width
        self.date = datetime.now().astimezone().strftime("%a %b %d %H:%M:%S %Y %Z")
        self.platform = {
            "OS": f"{platform.system()} {platform.release()}",
            "Machine": platform.machine(),
            "CPUs": str(os.cpu_count()),
            "Python": sys.version.replace("\n", " "),
        }
        found = {name: version_of(name) for name in (*names, *CORE, *OPTIONAL)}
        # what was asked for or is needed is listed also where it is missing
        shown = {n: v or "not installed" for n, v in found.items() if v or n in names or n in CORE}
        self.packages = dict(sorted(shown.items(), key=lambda item: item[0].lower())) if sort else shown

    def __repr__(self) -> str:
        rule = "-" * self.text_width
        rows = [f"{name:>20} : {value}" for name, value in (*self.platform.items(), *self.packages.items())]
        width = self.text_width
        lines = [part for row in rows for part in (row[i : i + width] for i in range(0, len(row), width))]
        return "\n".join([rule, f"  Date: {self.date}", rule, *lines, rule])

    def _repr_html_(self) -> str:
        from html import escape

        cells = [
            f"<th>{escape(k)}</th><td>{escape(v)}</td>" for k, v in (*self.platform.items(), *self.packages.items())
        ]
        rows = ["".join(cells[i : i + self.ncol]) for i in range(0, len(cells), self.ncol)]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><caption>{escape(self.date)}</caption>{body}</table>"


def version_of(name: str) -> str | None:
    """Version of an installed distribution or module, without importing it; None where there is none."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        # a module's name is not always that of the distribution it comes in (cupy: cupy-cuda12x)
        for distribution in importlib.metadata.packages_distributions().get(name, ()):
            return importlib.metadata.version(distribution)
    module = sys.modules.get(name)
    return getattr(module, "__version__", None)
