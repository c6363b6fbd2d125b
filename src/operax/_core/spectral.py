"""The part of `LinearOperator` that treats it as a matrix: solves, eigenvalues, condition number, trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax._arrays.namespace import Array
from operax._core.algebra import is_scalar


class Spectral:
    """Methods that solve with an operator or describe its spectrum."""

    def div(self: Any, y: Array, niter: int = 100, densesolver: str = "scipy") -> Array:
        """The least-squares solution of ``Op x = y``; the same as ``Op / y``.

        Parameters
        ----------
        y : array
            Data of shape `dimsd` or ``(M,)``; for an explicit operator also columns ``(M, k)``.
        niter : int, optional
            Iterations of LSQR where the operator is not explicit.
        densesolver : {"scipy", "numpy"}, optional
            Whose dense solver runs for an explicit operator on NumPy data; other libraries use their own.

        Returns
        -------
        array
            Model of shape `dims`, or flat where `y` is flat.

        Examples
        --------
        >>> import numpy as np, operax
        >>> (operax.Diagonal(np.array([1.0, 2.0])) / np.array([3.0, 4.0])).round(6).tolist()
        [3.0, 2.0]
        """
        from operax._core.solve import divide

        return divide(self, y, niter, densesolver)

    def __truediv__(self: Any, y: Any, niter: int = 100, densesolver: str = "scipy") -> Any:
        """Solve for an array `y`; scale by the inverse of a number."""
        return self._scaled(1 / y) if is_scalar(y) else self.div(y, niter, densesolver)

    def eigs(
        self: Any,
        neigs: int | None = None,
        symmetric: bool = False,
        niter: int | None = None,
        uselobpcg: bool = False,
        **kwargs_eig: Any,
    ) -> np.ndarray:
        """The eigenvalues of largest magnitude, or the singular values where the operator is not square.

        Explicit operators, and calls for all values, are decomposed whole; else SciPy iterates on the operator.

        Parameters
        ----------
        neigs : int, optional
            How many. Default None: all of them.
        symmetric : bool, optional
            Whether the operator is Hermitian: faster, and real eigenvalues.
        niter : int, optional
            Iterations at most.
        uselobpcg : bool, optional
            LOBPCG instead of ARPACK; for Hermitian and for rectangular operators.
        **kwargs_eig
            Options of `scipy.sparse.linalg.eigs`, `eigsh` or `lobpcg`, such as ``which="SM"`` for the smallest.

        Returns
        -------
        numpy.ndarray
            Eigenvalues, largest first.

        Raises
        ------
        ValueError
            If `neigs` is less than 1, or LOBPCG is asked for an operator that is not Hermitian.

        Examples
        --------
        >>> import numpy as np, operax
        >>> operax.Diagonal(np.arange(1.0, 6.0)).eigs(neigs=2, symmetric=True).round(6).tolist()
        [5.0, 4.0]
        """
        from operax._core.spectrum import eigs

        return eigs(self, neigs, symmetric, niter, uselobpcg, **kwargs_eig)

    def cond(self: Any, uselobpcg: bool = False, **kwargs_eig: Any) -> float:
        """The condition number: the largest singular value over the smallest.

        Parameters
        ----------
        uselobpcg : bool, optional
            LOBPCG instead of ARPACK.
        **kwargs_eig
            As in `eigs`.

        Returns
        -------
        float
            Condition number; infinity for a singular operator.

        Examples
        --------
        >>> import numpy as np, operax
        >>> operax.Diagonal(np.array([1.0, 2.0, 4.0])).cond()
        4.0
        """
        from operax._core.spectrum import cond

        return cond(self, uselobpcg, **kwargs_eig)

    def trace(
        self: Any, neval: int | None = None, method: str | None = None, backend: str = "numpy", **kwargs_trace: Any
    ) -> float:
        """The sum of the diagonal, exact or estimated.

        Parameters
        ----------
        neval : int, optional
            Applications of the operator that an estimate may cost.
        method : {"explicit", "hutchinson", "hutch++", "na-hutch++"}, optional
            Exact, or one of the estimators of `operax.utils.estimators`. Default None: exact for explicit and for
            small operators unless `neval` is given, else ``"hutch++"``.
        backend : {"numpy", "jax", "cupy"}, optional
            Library in which the operator is applied.
        **kwargs_trace
            Options of the estimator, such as `batch_size`.

        Returns
        -------
        float
            Trace.

        Raises
        ------
        ValueError
            If the operator is not square.
        NotImplementedError
            If `method` is unknown.

        Examples
        --------
        >>> import numpy as np, operax
        >>> float(operax.Diagonal(np.arange(4.0)).trace())
        6.0
        """
        from operax._core.spectrum import trace

        return trace(self, neval, method, backend, **kwargs_trace)
