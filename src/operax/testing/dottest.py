"""The dot test: forward and adjoint agree as inner products."""

from __future__ import annotations

from operax._core.operator import LinearOperator
from operax.testing._samples import inner, model_dtype, sample_data, sample_model, tolerance


def check_dottest(op: LinearOperator) -> None:
    """``<A x, y> = <x, A.H y>``; the real parts only, for maps that are linear over the reals alone."""
    complex_linear = op.clinear and not (model_dtype(op).kind != "c" and sample_data(op).dtype.kind == "c")
    for seed in range(3):
        x, y = sample_model(op, seed), sample_data(op, seed + 10)
        left, right = inner(op @ x, y), inner(x, op.H @ y)
        size = max(abs(left), abs(right), float(abs(x).sum()) * 1e-2, 1e-30)
        error = abs(left - right) if complex_linear else abs(left.real - right.real)
        if not error <= tolerance(op) * size:
            raise AssertionError(f"dot test of {op._label()}: <Ax, y> = {left:.8g}, <x, A.H y> = {right:.8g}")
