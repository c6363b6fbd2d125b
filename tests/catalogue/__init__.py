"""Every operator configuration that is checked: a new operator is tested in full by adding a row here.

One file a family, each with a list `ROWS`.
"""

import importlib

from catalogue._row import Row

FAMILIES = ("composed", "basic", "signal", "signal2")

CATALOGUE: list[Row] = [row for family in FAMILIES for row in importlib.import_module(f"catalogue.{family}").ROWS]

assert len({row.name for row in CATALOGUE}) == len(CATALOGUE), "two rows of one name"

__all__ = ["CATALOGUE", "Row"]
