"""What a solver gives back: a tuple as the field expects it, which also says why it stopped."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from operax._arrays.namespace import is_tracer
from operax.optimization._status import CONVERGED, REASONS


class Result(tuple):
    """The outcome of a solver: unpacks as its documented tuple, every entry also by name.

    Parameters
    ----------
    names : tuple of str
        Names of the entries of the tuple; the first is the solution.
    values : tuple
        The entries.
    extra : dict
        What else there is to know: at least `iterations`, `status` and `cost`.

    Attributes
    ----------
    status : int
        Code of the reason to stop (an array of codes inside ``jax.jit`` or for several systems).
    reason : str
        The same as a sentence (a list of sentences for several systems).
    converged : bool
        Whether the tolerance was met.
    iterations : int
        Number of iterations made.
    cost : array
        What the solver watched, at each iteration.

    Notes
    -----
    A result is a pytree and may be returned from ``jax.jit`` and ``jax.vmap``.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.basic import cg
    >>> result = cg(operax.MatrixMult(np.diag([1.0, 2.0])), np.array([1.0, 2.0]))
    >>> x, iterations, cost = result
    >>> x
    array([1., 1.])
    >>> result.reason
    'converged: the tolerance is met'
    """

    names: tuple[str, ...]
    extra: dict[str, Any]

    def __new__(cls, names: tuple[str, ...], values: tuple[Any, ...], extra: dict[str, Any]) -> Result:
        self = super().__new__(cls, values)
        self.names, self.extra = names, extra
        return self

    def __getattr__(self, name: str) -> Any:
        if name in ("names", "extra"):
            raise AttributeError(name)
        if name in self.names:
            return self[self.names.index(name)]
        if name in self.extra:
            return self.extra[name]
        known = ", ".join(dict.fromkeys((*self.names, *self.extra)))
        raise AttributeError(f"this result has no {name!r}; it has {known}, reason, converged")

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.names, tuple(self), self.extra

    @property
    def converged(self) -> Any:
        """Whether the tolerance was met."""
        return self.extra["status"] == CONVERGED

    @property
    def reason(self) -> Any:
        """Why the solver stopped, in words."""
        status = self.extra["status"]
        if is_tracer(status):
            raise TypeError("the reason is known after the compiled function has run; inside it use result.status")
        codes = np.asarray(status)
        return REASONS[int(codes)] if codes.ndim == 0 else [REASONS[int(code)] for code in codes.ravel()]

    def __repr__(self) -> str:
        status = self.extra["status"]
        why = "being traced" if is_tracer(status) else self.reason
        return f"Result({', '.join(self.names)}; iterations={self.extra['iterations']}, {why})"

    def plot(self, ax: Any = None, **kwargs: Any) -> Any:
        """Draw the cost against the iterations on a matplotlib axis, and return the axis."""
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1] if ax is None else ax
        cost = np.asarray(self.extra["cost"])
        draw = ax.semilogy if np.all(cost[np.isfinite(cost)] > 0) else ax.plot
        draw(cost, **kwargs)
        ax.set(xlabel="iteration", ylabel="cost", title=self.reason if isinstance(self.reason, str) else "")
        return ax


def _flatten(result: Result) -> tuple[Any, Any]:
    keys = tuple(result.extra)
    return (tuple(result), tuple(result.extra[k] for k in keys)), (result.names, keys)


def _unflatten(static: Any, children: Any) -> Result:
    names, keys = static
    values, extra = children
    return Result(names, tuple(values), dict(zip(keys, extra)))


jax.tree_util.register_pytree_node(Result, _flatten, _unflatten)
