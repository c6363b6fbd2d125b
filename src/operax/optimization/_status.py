"""Why a solver stopped."""

from __future__ import annotations

RUNNING = 0
CONVERGED = 1
MAXITER = 2
BREAKDOWN = 3
NONFINITE = 4
CALLBACK = 5
INDEFINITE = 6
INCREASING = 7
LIMIT = 8
ROUNDING = 9

REASONS = {
    RUNNING: "still running: fewer steps were made than asked for",
    CONVERGED: "converged: the tolerance is met",
    MAXITER: "stopped at the maximum number of iterations before the tolerance was met",
    BREAKDOWN: "broke down: a search direction vanished (a singular operator, or an indefinite preconditioner)",
    NONFINITE: "stopped at NaN or infinity: check the data, the starting guess, and the step size if there is one",
    CALLBACK: "stopped by a callback",
    INDEFINITE: (
        "stopped at a direction of the other curvature: the operator is not definite, or the limit of rounding is "
        "reached; for an indefinite symmetric operator use minres, for a least-squares problem cgls or lsqr"
    ),
    INCREASING: "stopped because the residual increased: the step size alpha is too large",
    LIMIT: "stopped at the limit of the condition number (conlim)",
    ROUNDING: "stopped at the limit of rounding: the residual no longer decreases in this precision",
}
"""The sentence for each code."""

FAILURES = (BREAKDOWN, NONFINITE, INDEFINITE, INCREASING)
"""Codes after which the result should not be used unseen."""
