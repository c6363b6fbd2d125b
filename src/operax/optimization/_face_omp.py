"""Orthogonal matching pursuit: the class and the function."""

# mypy: disable-error-code="override"
# each solver has arguments of its own in the methods that all have

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operax._arrays.namespace import Array, as_numpy
from operax.optimization._face import CAPACITY, MachineSolver, Task, run_shown
from operax.optimization._regularized import check_engine
from operax.optimization._result import Result
from operax.optimization._space import namespace_of
from operax.optimization._sparse_tasks import omp_task


class OMP(MachineSolver):
    r"""Orthogonal matching pursuit.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`.
    callbacks : list of Callbacks, optional
        Hooks around set-up, steps and run.

    See Also
    --------
    operax.optimization.sparsity.omp : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_sparsity import OMP
    >>> x, niter, cost = OMP(operax.Identity(3)).solve(np.array([0.0, 5.0, 1.0]), niter_outer=1)
    >>> x
    array([0., 5., 0.])
    """

    columns: tuple[str, ...] = ("x[0]", "r2norm")

    def _task(self, y: Array, niter: int | None = None, **options: Any) -> Task:
        options = {
            "niter_inner": 40, "sigma": 1e-4, "normalizecols": False, "Opbasis": None, "optimal_coeff": False, **options
        }  # fmt: skip
        return omp_task(self.Op, y, CAPACITY if niter is None else niter, **options)

    def setup(
        self,
        y: Array,
        niter_outer: int = 10,
        niter_inner: int = 40,
        sigma: Any = 1e-4,
        normalizecols: bool = False,
        Opbasis: Any = None,
        optimal_coeff: bool = False,
        preallocate: bool = False,
        show: bool = False,
        **more: Any,
    ) -> Array:
        """Take data and options; gives the starting model."""
        self.sigma, self.niter_inner = sigma, niter_inner
        task = self._task(
            y, niter_outer, niter_inner=niter_inner, sigma=sigma, normalizecols=normalizecols, Opbasis=Opbasis,
            optimal_coeff=optimal_coeff, **more,
        )  # fmt: skip
        return self._start(task, y, niter_outer, show)

    @property
    def cols(self) -> list[int]:
        """The columns chosen so far."""
        return [int(i) for i in np.flatnonzero(as_numpy(self.carry.state.mask).ravel())]

    def _chosen(self) -> Array:
        x = self.carry.state.x
        return namespace_of(x).reshape(x, (-1,))[np.asarray(self.cols, dtype=int)]

    def step(self, x: Any, cols: Any = None, engine: str = "scipy", show: bool = False, **kwargs_solver: Any) -> Any:
        """One iteration; gives the coefficients of the chosen columns, and these columns."""
        check_engine(engine)
        if kwargs_solver:
            raise TypeError(f"OMP fits to rounding, its inner solver has no options {', '.join(kwargs_solver)}")
        super().step(None, show=show)
        return self._chosen(), self.cols

    def _one_step(self, x: Array, show: bool) -> Array:
        return self.step(x, show=show)[0]

    def run(
        self,
        x: Any,
        cols: Any = None,
        engine: str = "scipy",
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
        niter: int | None = None,
    ) -> Array:
        """Iterate as often as `setup` was told (or `niter` times); gives the model."""
        check_engine(engine)
        return super().run(x, niter, show=show, itershow=itershow, progress=progress)

    def finalize(self, x: Any = None, cols: Any = None, show: bool = False, **kwargs: Any) -> None:
        """Take the time, compute what the result needs, print the end of the table with `show`."""
        super().finalize(show=show)

    def _call_back(self, x: Array) -> Any:
        return self.callback(x, self.cols)

    def solve(
        self,
        y: Array,
        niter_outer: int = 10,
        niter_inner: int = 40,
        sigma: Any = 1e-4,
        normalizecols: bool = False,
        Opbasis: Any = None,
        optimal_coeff: bool = False,
        engine: str = "scipy",
        preallocate: bool = False,
        show: bool = False,
        itershow: tuple[int, int, int] = (10, 10, 10),
        progress: bool = False,
    ) -> Result:
        """Set-up, run and finish; gives ``(x, niter_outer, cost)``."""
        check_engine(engine)
        x = self.setup(y, niter_outer, niter_inner, sigma, normalizecols, Opbasis, optimal_coeff, show=show)
        self.run(x, niter=niter_outer, show=show, itershow=itershow, progress=progress)
        self.finalize(show=show)
        return self.result_

    def _header(self) -> str:
        return f"sigma = {self.sigma:.2e}\tniter_outer = {self.niter}\tniter_inner = {self.niter_inner}"


def omp(
    Op: Any,
    y: Array,
    niter_outer: int = 10,
    niter_inner: int = 40,
    sigma: Any = 1e-4,
    rtol: Any = 0.0,
    rtol1: Any = 0.0,
    normalizecols: bool = False,
    Opbasis: Any = None,
    optimal_coeff: bool = False,
    engine: str = "scipy",
    show: bool = False,
    itershow: tuple[int, int, int] = (10, 10, 10),
    callback: Callable[..., Any] | None = None,
    preallocate: bool = False,
    *,
    progress: bool = False,
) -> Result:
    r"""Orthogonal matching pursuit: a model of few values, found greedily.

    Parameters
    ----------
    Op : LinearOperator
        Operator of shape :math:`M \times N`, real or complex.
    y : array
        Data of shape `dimsd` or ``(M,)``; with one more axis at the end for several right-hand sides.
    niter_outer : int, optional
        Greatest number of values.
    niter_inner : int, optional
        Iterations of the least-squares fit of all chosen values; 0 for matching pursuit.
    sigma : float, optional
        Stop when the residual norm is at most `sigma` (in the units of the data).
    rtol, rtol1 : float, optional
        Stop when the residual norm falls below `rtol` times the first one, or below `rtol1` times the norm of `y`.
    normalizecols : bool, optional
        Compare correlations with normalised columns: costs one (batched) application for each column.
    Opbasis : LinearOperator, optional
        Operator whose columns are normalised instead, e.g. the last of a chain.
    optimal_coeff : bool, optional
        In matching pursuit, fit the new value to the residual instead of taking the correlation.
    engine : {"scipy", "pylops"}, optional
        Accepted for scripts that choose; the same solver fits in every array library.
    show : bool, optional
        Print a table; `itershow` are the numbers of first and last rows and the distance between rows in the middle.
    callback : callable, optional
        ``callback(x, cols)`` with the chosen values and columns is called after every iteration.
    preallocate : bool, optional
        Accepted for compatibility and without effect.
    progress : bool, optional
        Show a progress bar.

    Returns
    -------
    x : array
        The model, of shape `dims`.
    niter_outer : int
        Number of iterations.
    cost : array
        Residual norms, the first before the first iteration.

    The returned `Result` unpacks as this tuple and has also `reason`, `converged`, `status` and `plot()`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or an argument is of the wrong kind.

    References
    ----------
    Y. C. Pati, R. Rezaiifar and P. S. Krishnaprasad, Orthogonal matching pursuit, Asilomar 1993.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.sparsity import omp
    >>> omp(operax.Identity(3), np.array([0.0, 5.0, 1.0]), niter_outer=1)[0]
    array([0., 5., 0.])
    """
    check_engine(engine)
    options = dict(
        niter_outer=niter_outer, niter_inner=niter_inner, sigma=sigma, normalizecols=normalizecols, Opbasis=Opbasis,
        optimal_coeff=optimal_coeff, rtol=rtol, rtol1=rtol1,
    )  # fmt: skip
    if show or progress or callback is not None:
        return run_shown(OMP(Op), y, options, show, itershow, progress, callback)
    return omp_task(Op, y, **options).solve()
