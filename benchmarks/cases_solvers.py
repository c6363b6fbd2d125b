"""Solvers: a hundred iterations of CGLS on matrices and on a deconvolution; FISTA; gradients; many right-hand sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.harness import Case, SetUp, Work, random

NITER = 100
SIDES = ("jax jit", "jax", "numpy")


def _matrix(n: int) -> np.ndarray:
    # well conditioned enough that no side stops early, badly enough that all have to work
    A = random((n, n), "float64") / np.sqrt(n)
    return A + 1.5 * np.eye(n)


def _dense(lib: Any, n: int) -> tuple[Any, np.ndarray]:
    A = _matrix(n)
    return lib.MatrixMult(A, dtype="float64"), A @ random(n, "float64", seed=1)


def _deconvolution(lib: Any, n: int) -> tuple[Any, np.ndarray]:
    k = np.arange(-7, 8)
    h = np.exp(-(k[:, None] ** 2 + k**2) / 8.0)
    op = lib.signalprocessing.Convolve2D((n, n), h / h.sum(), offset=(7, 7), dtype="float64")
    return op, np.asarray(op @ random((n, n), "float64", seed=1).ravel())


def _ours(problem: Any, n: int, library: str, solver: str = "cgls", **options: Any) -> SetUp:
    """`library` is "numpy", "jax" (called from Python) or "jax jit" (inside a jitted function)."""

    def setup() -> Work:
        import jax
        import jax.numpy as jnp

        import operax

        op, y = problem(operax, n)
        function = getattr(operax, solver)
        if library == "numpy":
            return lambda: function(op, y, niter=NITER, **options)[0].ravel()
        op, y = op.to("jax"), jnp.asarray(y)
        solve: Any = lambda op, y: function(op, y, niter=NITER, **options)[0].ravel()
        solve = jax.jit(solve) if library == "jax jit" else solve
        return lambda: solve(op, y)

    return setup


def _pylops(problem: Any, n: int, solver: str = "cgls", jax_arrays: bool = False, **options: Any) -> SetUp:
    def setup() -> Work:
        import pylops

        op, y = problem(pylops, n)
        if jax_arrays:
            import jax.numpy as jnp

            op, y = pylops.JaxOperator(pylops.MatrixMult(jnp.asarray(_matrix(n)), dtype="float64")), jnp.asarray(y)
        module = pylops.optimization.basic if solver == "cgls" else pylops.optimization.sparsity
        solve = getattr(module, solver)
        if solver == "cgls":
            zero = y * 0
            return lambda: np.asarray(solve(op, y, x0=zero, niter=NITER, **options)[0]).ravel()
        return lambda: np.asarray(solve(op, y, niter=NITER, **options)[0]).ravel()

    return setup


def _scipy(problem: Any, n: int) -> SetUp:
    def setup() -> Work:
        from scipy.sparse.linalg import LinearOperator, lsqr

        import operax

        op, y = problem(operax, n)
        foreign = LinearOperator(op.shape, matvec=op.matvec, rmatvec=op.rmatvec, dtype="float64")
        return lambda: lsqr(foreign, y, iter_lim=NITER, atol=0, btol=0, conlim=0)[0]

    return setup


def _lineax(n: int) -> SetUp:
    def setup() -> Work:
        import jax
        import jax.numpy as jnp
        import lineax

        A, y = jnp.asarray(_matrix(n)), jnp.asarray(_matrix(n) @ random(n, "float64", seed=1))
        solver = lineax.Normal(lineax.CG(rtol=1e-30, atol=1e-30, max_steps=NITER))
        solve = jax.jit(
            lambda A, y: lineax.linear_solve(lineax.MatrixLinearOperator(A), y, solver=solver, throw=False).value
        )
        return lambda: solve(A, y)

    return setup


CASES = []
for _n, _goal in ((50, 0.10), (1000, 1.05)):
    CASES.append(
        Case(
            f"cgls, matrix {_n} x {_n}",
            _n,
            ours={library: _ours(_dense, _n, library, tol=0.0) for library in SIDES},
            peers={
                "pylops": _pylops(_dense, _n, tol=0.0),
                "pylops jax": _pylops(_dense, _n, jax_arrays=True, tol=0.0),
                "scipy lsqr": _scipy(_dense, _n),
                "lineax": _lineax(_n),
            },
            goals={"jax jit/pylops": _goal},
            same=1e-2,
        )
    )
for _n in (100, 512):
    CASES.append(
        Case(
            f"cgls, deconvolution {_n} x {_n}",
            _n * _n,
            ours={library: _ours(_deconvolution, _n, library, tol=0.0) for library in SIDES},
            peers={"pylops": _pylops(_deconvolution, _n, tol=0.0), "scipy lsqr": _scipy(_deconvolution, _n)},
            goals={"jax jit/pylops": 0.6} if _n == 512 else {},
            same=None,  # a hundred iterations of an ill-posed problem: rounding decides the last digits
        )
    )
    CASES.append(
        Case(
            f"fista, deconvolution {_n} x {_n}",
            _n * _n,
            ours={
                library: _ours(_deconvolution, _n, library, "fista", alpha=0.9, eps=1e-3, tol=0.0) for library in SIDES
            },
            peers={"pylops": _pylops(_deconvolution, _n, "fista", alpha=0.9, eps=1e-3, tol=0.0)},
            same=1e-2,
        )
    )


def _gradient(problem: Any, n: int, through: bool, niter: int = NITER) -> SetUp:
    def setup() -> Work:
        import jax
        import jax.numpy as jnp

        import operax

        op, y = problem(operax, n)
        op, y = op.to("jax"), jnp.asarray(y)

        def loss(y: Any, op: Any) -> Any:
            # damped: a gradient needs a solution that is unique
            return jnp.sum(operax.cgls(op, y, niter=niter, tol=0.0, damp=0.1)[0] ** 2)

        run = jax.jit(jax.grad(loss) if through else loss)
        return lambda: run(y, op)

    return setup


for _problem, _name, _n in ((_dense, "matrix 1000 x 1000", 1000), (_deconvolution, "deconvolution 256 x 256", 256)):
    CASES.append(
        Case(
            f"gradient through cgls, {_name}",
            _n if _problem is _dense else _n * _n,
            # the second side is there for its memory, which must be that of the first
            ours={
                "jax": _gradient(_problem, _n, True),
                "jax, 4 times the iterations": _gradient(_problem, _n, True, 4 * NITER),
            },
            peers={"the solve alone": _gradient(_problem, _n, False)},
            goals={"jax/the solve alone": 2.3},
            same=None,
        )
    )


SIDES_AT_ONCE = 64


def _many(n: int, at_once: bool) -> SetUp:
    def setup() -> Work:
        import jax
        import jax.numpy as jnp

        import operax

        op, _ = _dense(operax, n)
        op, columns = op.to("jax"), jnp.asarray(op @ random((n, SIDES_AT_ONCE), "float64", seed=2))
        solve: Any = jax.jit(lambda op, y: operax.cgls(op, y, niter=NITER, tol=0.0)[0])
        if at_once:
            return lambda: solve(op, columns)
        each = [columns[:, i] for i in range(SIDES_AT_ONCE)]
        return lambda: jnp.stack([solve(op, y) for y in each], axis=1)

    return setup


def _many_pylops(n: int) -> SetUp:
    def setup() -> Work:
        import pylops

        op, _ = _dense(pylops, n)
        columns = op.A @ random((n, SIDES_AT_ONCE), "float64", seed=2)
        solve, zero = pylops.optimization.basic.cgls, np.zeros(n)
        return lambda: np.stack([solve(op, y, x0=zero, niter=NITER, tol=0.0)[0] for y in columns.T], axis=1)

    return setup


for _n, _goal in ((50, 0.03), (1000, 0.15)):
    CASES.append(
        Case(
            f"cgls, {SIDES_AT_ONCE} right-hand sides, matrix {_n} x {_n}",
            _n,
            ours={"jax": _many(_n, True)},
            peers={"one after the other": _many(_n, False), "pylops, one after the other": _many_pylops(_n)},
            goals={"pylops, one after the other": _goal},
            same=1e-2,
        )
    )
