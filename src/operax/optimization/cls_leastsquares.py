"""Regularised and preconditioned least squares as classes."""

# mypy: disable-error-code="override"
# each solver has arguments of its own in the methods that all have

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, is_array
from operax.optimization import _leastsquares
from operax.optimization._prepare import check_operator
from operax.optimization._regularized import as_list, check_terms
from operax.optimization.basesolver import Solver
from operax.optimization.leastsquares import (
    normal_equations_inversion,
    preconditioned_inversion,
    regularized_inversion,
)

__all__ = ["NormalEquationsInversion", "PreconditionedInversion", "RegularizedInversion", "RegularizedOperator"]


def RegularizedOperator(Op: Any, Regs: Any, epsRs: Any = (1,)) -> Any:
    r"""The operator above its scaled regularization terms.

    Parameters
    ----------
    Op : LinearOperator
        Operator.
    Regs : list of LinearOperator
        Regularization operators :math:`R_i`.
    epsRs : list of float, optional
        Their weights :math:`\epsilon_i`.

    Returns
    -------
    LinearOperator
        :math:`[A; \epsilon_1 R_1; \dots; \epsilon_n R_n]`, with flat data.

    Examples
    --------
    >>> import operax
    >>> from operax.optimization.cls_leastsquares import RegularizedOperator
    >>> RegularizedOperator(operax.Identity(3), [operax.Identity(3)], epsRs=[2.0]).shape
    (6, 3)
    """
    Op = check_operator(Op)
    regs = check_terms(Regs, Op, "Regs")
    return _leastsquares.regularized_operator(Op, regs, as_list(epsRs, len(regs), "epsRs"))


class _Inversion(Solver):
    """Set-up takes the problem, the run solves it in one go: the linear solver inside has its own steps."""

    def _take(self, y: Array, **problem: Any) -> None:
        if not is_array(y):
            raise TypeError(f"the data y must be an array, got {type(y).__name__}")
        self.y, self.problem = y, problem

    def step(self, *args: Any, **kwargs: Any) -> Any:
        """There are no steps: the solver inside `run` makes them."""
        raise TypeError(
            f"{type(self).__name__} runs a linear solver as a whole; call run, or step through "
            "operax.optimization.cls_basic.CGLS with RegularizedOperator"
        )

    def _report(self, result: Any) -> Any:
        self.result_ = result
        self.iiter = result.iterations
        return result


class NormalEquationsInversion(_Inversion):
    """Regularised normal equations.

    Parameters
    ----------
    Op : LinearOperator
        Operator.
    callbacks : list of Callbacks, optional
        Hooks around set-up and run.

    See Also
    --------
    operax.optimization.leastsquares.normal_equations_inversion : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_leastsquares import NormalEquationsInversion
    >>> x, istop = NormalEquationsInversion(operax.Identity(2)).solve(np.ones(2), None, epsI=1.0)
    >>> x
    array([0.5, 0.5])
    """

    def memory_usage(self, nopRegs: Any = None, show: bool = False, unit: str = "B") -> float:
        """Memory for the vectors of the solver; `nopRegs` are the numbers of rows of the regularization terms."""
        return self._with_terms(nopRegs, show, unit)

    def setup(
        self,
        y: Array,
        Regs: Any,
        Weight: Any = None,
        dataregs: Any = None,
        epsI: Any = 0,
        epsRs: Any = None,
        NRegs: Any = None,
        epsNRs: Any = None,
        show: bool = False,
    ) -> None:
        """Take the problem."""
        self._take(y, Regs=Regs, Weight=Weight, dataregs=dataregs, epsI=epsI, epsRs=epsRs, NRegs=NRegs, epsNRs=epsNRs)

    def run(self, x: Any, engine: str = "scipy", show: bool = False, **kwargs_solver: Any) -> Any:
        """Solve from the starting guess `x` (or None)."""
        return self._report(
            normal_equations_inversion(self.Op, self.y, x0=x, engine=engine, show=show, **self.problem, **kwargs_solver)
        )

    def solve(
        self,
        y: Array,
        Regs: Any,
        x0: Any = None,
        Weight: Any = None,
        dataregs: Any = None,
        epsI: Any = 0,
        epsRs: Any = None,
        NRegs: Any = None,
        epsNRs: Any = None,
        engine: str = "scipy",
        show: bool = False,
        **kwargs_solver: Any,
    ) -> Any:
        """Set-up and run; gives ``(x, istop)``."""
        self.setup(y, Regs, Weight, dataregs, epsI, epsRs, NRegs, epsNRs, show=show)
        return self.run(x0, engine=engine, show=show, **kwargs_solver)


class RegularizedInversion(_Inversion):
    """Regularised least squares.

    Parameters
    ----------
    Op : LinearOperator
        Operator.
    callbacks : list of Callbacks, optional
        Hooks around set-up and run.

    See Also
    --------
    operax.optimization.leastsquares.regularized_inversion : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_leastsquares import RegularizedInversion
    >>> I = operax.Identity(2)
    >>> np.round(RegularizedInversion(I).solve(np.ones(2), [I], epsRs=[1.0])[0], 6)
    array([0.5, 0.5])
    """

    def memory_usage(self, nopRegs: Any = None, show: bool = False, unit: str = "B") -> float:
        """Memory for the vectors of the solver; `nopRegs` are the numbers of rows of the regularization terms."""
        return self._with_terms(nopRegs, show, unit)

    def setup(
        self,
        y: Array,
        Regs: Any,
        Weight: Any = None,
        dataregs: Any = None,
        epsRs: Any = None,
        show: bool = False,
    ) -> None:
        """Take the problem."""
        self._take(y, Regs=Regs, Weight=Weight, dataregs=dataregs, epsRs=epsRs)

    def run(self, x: Any, engine: str = "scipy", show: bool = False, **kwargs_solver: Any) -> Any:
        """Solve from the starting guess `x` (or None)."""
        return self._report(
            regularized_inversion(self.Op, self.y, x0=x, engine=engine, show=show, **self.problem, **kwargs_solver)
        )

    def solve(
        self,
        y: Array,
        Regs: Any,
        x0: Any = None,
        Weight: Any = None,
        dataregs: Any = None,
        epsRs: Any = None,
        engine: str = "scipy",
        show: bool = False,
        **kwargs_solver: Any,
    ) -> Any:
        """Set-up and run; gives ``(x, istop, itn, r1norm, r2norm)``."""
        self.setup(y, Regs, Weight, dataregs, epsRs, show=show)
        return self.run(x0, engine=engine, show=show, **kwargs_solver)


class PreconditionedInversion(_Inversion):
    """Preconditioned least squares.

    Parameters
    ----------
    Op : LinearOperator
        Operator.
    callbacks : list of Callbacks, optional
        Hooks around set-up and run.

    See Also
    --------
    operax.optimization.leastsquares.preconditioned_inversion : The same as a function, with all options explained.

    Examples
    --------
    >>> import numpy as np, operax
    >>> from operax.optimization.cls_leastsquares import PreconditionedInversion
    >>> I = operax.Identity(2)
    >>> np.round(PreconditionedInversion(I).solve(np.ones(2), I)[0], 6)
    array([1., 1.])
    """

    def setup(self, y: Array, P: Any, show: bool = False) -> None:
        """Take the problem."""
        self._take(y, P=P)

    def run(self, x: Any, engine: str = "scipy", show: bool = False, **kwargs_solver: Any) -> Any:
        """Solve from the starting guess `x` (or None)."""
        return self._report(
            preconditioned_inversion(self.Op, self.y, x0=x, engine=engine, show=show, **self.problem, **kwargs_solver)
        )

    def solve(
        self, y: Array, P: Any, x0: Any = None, engine: str = "scipy", show: bool = False, **kwargs_solver: Any
    ) -> Any:
        """Set-up and run; gives ``(x, istop, itn, r1norm, r2norm)``."""
        self.setup(y, P, show=show)
        return self.run(x0, engine=engine, show=show, **kwargs_solver)
