"""Optional frameworks: imported where they are used, with a word on how to get them."""

from __future__ import annotations

import importlib
from types import ModuleType

INSTALL = {
    "torch": "pip install torch",
    "lineax": "pip install lineax",
    "pylops": "pip install pylops",
    "pytensor": "pip install 'operax[pytensor]'",
}
"""What to type for each framework."""


def require(framework: str, purpose: str) -> ModuleType:
    """The module `framework`, or an ImportError that says what it is needed for and how to install it."""
    try:
        return importlib.import_module(framework)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != framework:
            raise  # it is there and broken: its own message says more
        raise ImportError(
            f"{purpose} needs {framework}, which is not installed: {INSTALL[framework]}", name=framework
        ) from error
