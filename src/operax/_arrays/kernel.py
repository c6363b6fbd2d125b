"""A kernel: one function behind one name, with a faster version where a library has one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from operax._arrays.namespace import library_of


class Kernel:
    """A function of arrays with a generic version and versions for single libraries.

    The generic version is written against the array API standard alone and runs everywhere (tests run it on
    `array-api-strict`). The library of the first argument chooses.

    Examples
    --------
    >>> import numpy as np
    >>> from operax._arrays.kernel import Kernel
    >>> @Kernel
    ... def double(x):
    ...     return x + x
    >>> @double.on("numpy")
    ... def _(x):
    ...     return 2 * x
    >>> double(np.ones(2))
    array([2., 2.])
    """

    def __init__(self, generic: Callable[..., Any]) -> None:
        functools.update_wrapper(self, generic)
        self.generic = generic
        self.versions: dict[str, Callable[..., Any]] = {}

    def on(self, *libraries: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a version for the named libraries."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            for library in libraries:
                self.versions[library] = function
            return function

        return register

    def __call__(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        return self.versions.get(library_of(x), self.generic)(x, *args, **kwargs)
