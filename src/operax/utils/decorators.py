"""Decorators for operators and solvers written for flat vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from operax._arrays.namespace import is_array, namespace_of
from operax._core.context import ndarray_multiplication


def disable_ndarray_multiplication(func: Callable[..., Any]) -> Callable[..., Any]:
    """Run a function with ``Op @ x`` restricted to vectors and matrices.

    Parameters
    ----------
    func : callable
        Any function.

    Returns
    -------
    callable
        The function; the switch is reset when it returns or raises.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.utils.decorators import disable_ndarray_multiplication
    >>> @disable_ndarray_multiplication
    ... def forward(Op, x):
    ...     return Op @ x.ravel()
    >>> forward(operax.Identity((2, 2)), np.ones((2, 2))).shape
    (4,)
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with ndarray_multiplication(False):
            return func(*args, **kwargs)

    return wrapper


def add_ndarray_support_to_solver(func: Callable[..., Any]) -> Callable[..., Any]:
    """Let a solver of flat vectors take data of shape `dimsd` and give models of shape `dims`.

    Parameters
    ----------
    func : callable
        ``func(A, b, *args, x0=None, **kwargs)``; its result is a tuple whose first entry is the model.

    Returns
    -------
    callable
        The solver; flat data give flat models as before.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.utils.decorators import add_ndarray_support_to_solver
    >>> @add_ndarray_support_to_solver
    ... def landweber(A, b, niter=3):
    ...     x = 0 * (A.H @ b)
    ...     for _ in range(niter):
    ...         x = x + A.H @ (b - A @ x)
    ...     return x, niter
    >>> landweber(operax.Identity((2, 2)), np.ones((2, 2)))[0].shape
    (2, 2)
    """

    @functools.wraps(func)
    def wrapper(A: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        def flat(x: Any) -> Any:
            return namespace_of(x).reshape(x, (-1,)) if is_array(x) else x

        if "x0" in kwargs:
            kwargs["x0"] = flat(kwargs["x0"])
        result = func(A, flat(b), *args, **kwargs)
        if tuple(b.shape) != tuple(A.dimsd) or len(b.shape) == len(A.dims) == 1:
            return result
        x = result[0]
        return (namespace_of(x).reshape(x, A.dims), *result[1:])

    return wrapper


def reshaped(
    func: Callable[..., Any] | None = None,
    forward: bool | None = None,
    swapaxis: bool = False,
    axis: int = -1,
) -> Callable[..., Any]:
    """Let a method of flat vectors, such as ``_matvec``, be written for arrays.

    Parameters
    ----------
    func : callable, optional
        The method, where the decorator is used without arguments.
    forward : bool, optional
        Whether the input has shape `dims` (True) or `dimsd` (False); by default False for methods with ``rmat`` in
        their name, `div` and `__truediv__`.
    swapaxis : bool, optional
        Exchange ``self.axis`` with `axis` before and after.
    axis : int, optional
        The axis that the method works on, with `swapaxis`.

    Returns
    -------
    callable
        A method from flat vectors to flat vectors.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.utils.decorators import reshaped
    >>> class RowSum(operax.LinearOperator):
    ...     def __init__(self, dims):
    ...         super().__init__(dtype="float64", dims=dims, dimsd=dims[:1])
    ...     @reshaped
    ...     def _matvec(self, x):
    ...         return x.sum(axis=1)
    ...     @reshaped
    ...     def _rmatvec(self, y):
    ...         return y[:, None].repeat(self.dims[1], axis=1)
    >>> RowSum((2, 3)) @ np.ones((2, 3))
    array([3., 3.])
    """

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        name = f.__name__
        to_data = forward if forward is not None else not ("rmat" in name or name in ("div", "__truediv__"))

        @functools.wraps(f)
        def wrapper(self: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            xp = namespace_of(x)
            x = xp.reshape(x, self.dims if to_data else self.dimsd)
            if swapaxis:
                x = _swapped(xp, x, self.axis, axis)
            y = f(self, x, *args, **kwargs)
            xp = namespace_of(y)
            if swapaxis:
                y = _swapped(xp, y, self.axis, axis)
            return xp.reshape(y, (-1,))

        return wrapper

    return decorate if func is None else decorate(func)


def _swapped(xp: Any, x: Any, a: int, b: int) -> Any:
    axes = list(range(x.ndim))
    axes[a], axes[b] = axes[b], axes[a]
    return xp.permute_dims(x, tuple(axes))


def count(
    func: Callable[..., Any] | None = None, forward: bool | None = None, matmat: bool = False
) -> Callable[..., Any]:
    """Count the calls of a method in the operator's counters.

    For methods that apply an operator without going through ``Op @ x``, which counts by itself.

    Parameters
    ----------
    func : callable, optional
        The method, where the decorator is used without arguments.
    forward : bool, optional
        Whether to count forwards (True) or adjoints (False); by default False for methods with ``rmat`` in their name.
    matmat : bool, optional
        Whether to count applications to several vectors at once.

    Returns
    -------
    callable
        The counted method.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.utils.decorators import count
    >>> class Twice(operax.LinearOperator):
    ...     @count(forward=True)
    ...     def raw(self, x):
    ...         return 2 * x
    >>> Op = Twice(dims=2, dimsd=2)
    >>> _ = Op.raw(np.ones(2))
    >>> Op.matvec_count
    1
    """

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        ahead = forward if forward is not None else "rmat" not in f.__name__
        place = 2 * bool(matmat) + (not ahead)  # the order matvec, rmatvec, matmat, rmatmat of the core

        @functools.wraps(f)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
            self._counts[place] += 1
            return f(self, *args, **kwargs)

        return wrapper

    return decorate if func is None else decorate(func)
