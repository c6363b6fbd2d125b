r"""Derivatives of fixed points :math:`x = T(x, \theta)`:
:math:`(I - \partial_x T) \, dx = \partial_\theta T \, d\theta`.

The system is square and not symmetric; its transpose is what reverse mode needs. Complex models are taken as pairs of
real ones: thresholds are differentiable over the reals only. BiCGStab (H. van der Vorst, 1992) solves it.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from operax.optimization._bicgstab import BiCGStabMachine
from operax.optimization._loop import run_traced
from operax.optimization._lsqr import LSQRMachine
from operax.optimization._machine import Machine, Problem
from operax.optimization._space import Map


def as_real(x: Any) -> Any:
    """A complex array of shape ``(*batch, *dims)`` as a real one with an axis of two at the end."""
    return jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1) if jnp.iscomplexobj(x) else x


def as_complex(v: Any, like: Any) -> Any:
    """The reverse of `as_real` where `like` is complex."""
    return jax.lax.complex(v[..., 0], v[..., 1]).astype(like.dtype) if jnp.iscomplexobj(like) else v


def fixed_point_tangent(machine: Machine, p: Problem, x: Any, g: Any, saddle: bool = False) -> Any:
    """Solve for the change of the root of ``machine.residual`` in `x`.

    On saddle points, whose systems are nearly skew, BiCGStab breaks down: LSQR solves them.
    """

    def matvec(v: Any) -> Any:
        _, change = jax.jvp(lambda x: machine.residual(p, x), (x,), (as_complex(v, x),))
        return -as_real(change)

    def solve(apply: Any, b: Any) -> Any:
        inner = BiCGStabMachine(max(50, 2 * machine.niter), machine.batch)
        eps = float(jnp.finfo(b.dtype).eps)
        if saddle:
            transpose = jax.linear_transpose(apply, b)
            normal = LSQRMachine(max(200, 4 * machine.niter), machine.batch, variances=False)
            tolerances = {"atol": 10 * eps, "btol": 10 * eps, "conlim": 0.0}
            problem = Problem(Map(apply, lambda v: transpose(v)[0]), b, extra=tolerances)
            return run_traced(normal, problem).report["x"].astype(b.dtype)
        return run_traced(inner, Problem(Map(apply), b, tol=10 * eps)).report["x"].astype(b.dtype)

    v = jax.lax.custom_linear_solve(matvec, as_real(g.astype(x.dtype)), solve, lambda apply, ct: solve(apply, ct))
    return as_complex(v, x)
