"""Do something once a module has been imported, without importing it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["when_imported"]


class _Finder(MetaPathFinder):
    def __init__(self, name: str, action: Callable[[], None]) -> None:
        self.name, self.action = name, action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)  # the search below is to find the module's real loader
        try:
            spec = importlib.util.find_spec(fullname)
        except BaseException:
            sys.meta_path.insert(0, self)
            raise
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.action)
        return spec


class _Loader(Loader):
    def __init__(self, real: Any, action: Callable[[], None]) -> None:
        self.real, self.action = real, action

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.real
        if module.__spec__ is not None:
            module.__spec__.loader = self.real
        self.real.exec_module(module)
        self.action()


def when_imported(name: str, action: Callable[[], None]) -> None:
    """Run ``action()`` now if the module has been imported, else right after it is.

    PyTensor's tables of what each backend does with an Op live in modules that import the backend. Registering there
    must not load numba, torch or PyTensor's JAX dispatch (which sets JAX's 64-bit switch) for those who never use them.
    """
    module = sys.modules.get(name)
    initializing = getattr(getattr(module, "__spec__", None), "_initializing", False)
    if module is not None and not initializing:
        action()
    else:
        sys.meta_path.insert(0, _Finder(name, action))
