"""The public names of operax: what `__all__` of its public packages and modules lists."""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
import pkgutil
from types import ModuleType
from typing import Any


def public_modules() -> list[ModuleType]:
    """`operax` and every module below it that has an `__all__` and no underscore in its path."""
    import operax

    found = [operax]
    for info in pkgutil.walk_packages(operax.__path__, "operax.", onerror=lambda name: None):
        if any(part.startswith("_") for part in info.name.split(".")):
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError as error:
            report(info.name, error)
            continue
        if getattr(module, "__all__", None):
            found.append(module)
    return found


def report(name: str, error: ImportError) -> None:
    """A missing framework leaves its bridge out of the reference; anything else is a fault to show."""
    ours = (error.name or "operax").split(".")[0] == "operax"
    logging.getLogger("sphinx").log(logging.WARNING if ours else logging.INFO, "%s is left out: %s", name, error)


@functools.cache
def homes() -> dict[str, list[tuple[str, Any]]]:
    """Module name to the names documented there; an object exported at several places is at home in the first.

    Submodules of a package come after all packages, so that a name is documented at its shortest path.
    """
    modules = sorted(public_modules(), key=lambda m: (m.__name__.count("."), not hasattr(m, "__path__")))
    seen: set[int] = set()
    found: dict[str, list[tuple[str, Any]]] = {}
    for module in modules:
        mine = []
        for name in sorted(module.__all__, key=str.lower):
            try:
                value = getattr(module, name)
            except ImportError as error:  # names that import their framework when asked for
                report(f"{module.__name__}.{name}", error)
                continue
            if inspect.ismodule(value) or id(value) in seen:
                continue
            if inspect.isclass(value) or callable(value) or name.isupper():
                seen.add(id(value))
                mine.append((name, value))
        found[module.__name__] = mine
    return found


def is_operator(value: Any) -> bool:
    """Whether a public name is an operator class."""
    from operax import LinearOperator

    return inspect.isclass(value) and issubclass(value, LinearOperator)


def summary(value: Any) -> str:
    """First sentence of a docstring, on one line."""
    if not (inspect.isclass(value) or callable(value)):
        return f"a {type(value).__name__}"  # of a constant, getdoc would give the documentation of its type
    text = inspect.getdoc(value) or ""
    return " ".join(text.strip().split("\n\n")[0].split())
