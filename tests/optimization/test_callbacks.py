"""Solver classes step by step, callbacks, tables and progress bars, on NumPy and on compiled solves."""

import jax
import numpy as np
import pytest
from numpy.testing import assert_allclose

import operax
from operax import MatrixMult
from operax.optimization.basesolver import Solver
from operax.optimization.basic import cg, cgls, lsqr
from operax.optimization.callback import (
    Callbacks,
    CostNanInfCallback,
    CostToDataCallback,
    CostToInitialCallback,
    MetricsCallback,
)
from operax.optimization.cls_basic import CG, CGLS, LSQR
from operax.optimization.cls_sparsity import FISTA, IRLS, ISTA, OMP, SPGL1, SplitBregman
from operax.optimization.sparsity import fista, ista, omp, spgl1, splitbregman
from optimization._problems import LIBRARIES, tall

both = pytest.mark.parametrize("library", LIBRARIES)
A, y = tall()
S = A.T @ A
D = operax.FirstDerivative(6, kind="forward")


@both
@pytest.mark.parametrize("kind", [CG, CGLS, LSQR])
def test_steps_runs_and_solve_agree(library, kind):
    to = LIBRARIES[library]
    Op, data = (MatrixMult(to(S)), to(y[:6])) if kind is CG else (MatrixMult(to(A)), to(y))
    whole = kind(Op).solve(data, niter=4)
    solver = kind(Op)
    x = solver.setup(data, niter=4)
    assert not np.any(np.asarray(x))
    for _ in range(2):
        x = solver.step(x)
    assert solver.iiter == 2
    x = solver.run(x, niter=2)
    solver.finalize()
    assert_allclose(x, whole.x, rtol=1e-12)
    assert_allclose(solver.cost, whole.cost, rtol=1e-12)
    assert len(solver.cost) == 5
    assert solver.telapsed >= 0
    # without a number of iterations, the history grows as needed
    solver = kind(Op)
    x = solver.setup(data)
    x = solver.run(x, niter=4)
    assert_allclose(x, whole.x, rtol=1e-12)


@both
@pytest.mark.parametrize("kind", [ISTA, FISTA])
def test_proximal_classes(library, kind):
    to = LIBRARIES[library]
    Op, data = MatrixMult(to(A)), to(y)
    function = {ISTA: ista, FISTA: fista}[kind]
    expected = function(Op, data, niter=3, alpha=0.02)
    solver = kind(Op)
    x = z = solver.setup(data, niter=3, alpha=0.02)
    for _ in range(3):
        if kind is FISTA:
            x, z, update = solver.step(x, z)
        else:
            x, update = solver.step(x)
    assert_allclose(x, expected.x, rtol=1e-12)
    assert float(update) > 0
    assert_allclose(kind(Op).solve(data, niter=3, alpha=0.02).x, expected.x, rtol=1e-12)


@both
def test_other_classes_give_what_the_functions_give(library):
    to = LIBRARIES[library]
    Op, data = MatrixMult(to(A)), to(y)
    x, cols = [], []
    solver = OMP(Op)
    x = solver.setup(data, niter_outer=2)
    for _ in range(2):
        x, cols = solver.step(x, cols)
    expected = np.asarray(omp(Op, data, niter_outer=2).x)
    assert cols == list(np.flatnonzero(expected))
    assert_allclose(x, expected[cols])
    assert_allclose(OMP(Op).solve(data, niter_outer=2).x, expected)
    assert_allclose(
        SplitBregman(Op).solve(data, [D], niter_outer=2).x, splitbregman(Op, data, [D], niter_outer=2).x, rtol=1e-10
    )
    assert SPGL1(Op).solve(data, tau=0.5, iter_lim=50)[2]["stat"] == spgl1(Op, data, tau=0.5, iter_lim=50)[2]["stat"]
    assert IRLS(Op).solve(data, nouter=2, epsI=0.1).iterations == 2


@both
def test_a_callback_sees_every_model_and_may_stop(library):
    to = LIBRARIES[library]
    Op, data = MatrixMult(to(A)), to(y)
    models = []
    result = cgls(Op, data, niter=5, tol=0, callback=models.append)
    assert len(models) == 5
    assert_allclose(models[-1], result.x)
    assert_allclose(models[0], cgls(Op, data, niter=1).x)
    stopped = cgls(Op, data, niter=5, tol=0, callback=lambda x: np.linalg.norm(np.asarray(x)) > 0)
    assert stopped.iterations == 1
    assert stopped.reason == "stopped by a callback"
    chosen = []
    omp(Op, data, niter_outer=3, callback=lambda x, cols: chosen.append((len(x), len(cols))))
    assert chosen == [(1, 1), (2, 2), (3, 3)]


@both
def test_criteria_of_callbacks(library):
    to = LIBRARIES[library]
    Op, data = MatrixMult(to(S)), to(y[:6])
    full = cg(Op, data, niter=20, tol=0).cost
    first = int(np.argmax(full <= 0.2 * full[0]))
    for criterion in (CostToInitialCallback(0.2), CostToDataCallback(0.2)):
        assert CG(Op, callbacks=[criterion]).solve(data, niter=20, tol=0).iterations == first
    assert CG(Op, callbacks=[CostNanInfCallback()]).solve(data, niter=3, tol=0).iterations == 3
    truth = np.linalg.solve(S, y[:6])
    watch = MetricsCallback(truth, which=("mae", "mse", "snr", "psnr"))
    CG(Op, callbacks=[watch]).solve(data, niter=5, tol=0)
    assert all(len(values) == 5 for values in watch.metrics.values())
    assert watch.metrics["mse"][-1] < watch.metrics["mse"][0]
    assert watch.metrics["snr"][-1] > watch.metrics["snr"][0]
    with pytest.raises(ValueError, match="ssim"):
        MetricsCallback(truth, which=("ssim",))


def test_hooks_run_in_order():
    seen = []

    class Recorder(Callbacks):
        def on_setup_begin(self, solver, x0):
            seen.append(("setup begins", x0 is None))

        def on_setup_end(self, solver, x):
            seen.append(("setup ends", x.shape))

        def on_step_begin(self, solver, x):
            seen.append(("step begins", solver.iiter))

        def on_step_end(self, solver, x):
            seen.append(("step ends", solver.iiter))

        def on_run_begin(self, solver, x):
            seen.append("run begins")

        def on_run_end(self, solver, x):
            seen.append("run ends")

    CGLS(MatrixMult(A), callbacks=[Recorder()]).solve(y, niter=2, tol=0)
    assert seen == [
        ("setup begins", True), ("setup ends", (6,)), "run begins", ("step begins", 0), ("step ends", 1),
        ("step begins", 1), ("step ends", 2), "run ends",
    ]  # fmt: skip


@both
@pytest.mark.parametrize("solver", [cg, cgls, lsqr, ista, fista])
def test_tables(library, solver, capsys):
    to = LIBRARIES[library]
    Op, data = (MatrixMult(to(S)), to(y[:6])) if solver is cg else (MatrixMult(to(A)), to(y))
    options = (
        {"alpha": 0.01, "tol": 0}
        if solver in (ista, fista)
        else {"atol": 0, "btol": 0}
        if solver is lsqr
        else {"tol": 0}
    )
    quiet = solver(Op, data, niter=25, **options)
    assert capsys.readouterr().out == ""
    loud = solver(Op, data, niter=25, show=True, itershow=(2, 1, 10), **options)
    text = capsys.readouterr().out
    assert_allclose(loud.x, quiet.x, rtol=1e-9, atol=1e-12)
    assert "Itn" in text
    rows = [int(line.split()[0]) for line in text.splitlines() if line.strip() and line.split()[0].isdigit()]
    assert rows[:2] == [1, 2]
    assert rows[-1] == loud.iterations
    assert f"Iterations = {loud.iterations}" in text


@both
def test_progress_bar(library):
    to = LIBRARIES[library]
    options = {"niter": 200, "tol": 0, "alpha": 0.01}
    quiet = fista(MatrixMult(to(A)), to(y), **options)
    loud = fista(MatrixMult(to(A)), to(y), progress=True, **options)
    assert_allclose(loud.x, quiet.x, rtol=1e-10)
    assert loud.iterations == quiet.iterations


def test_own_solver_class():
    class Landweber(Solver):
        def setup(self, y, step=0.01):
            self.y, self.length = y, step
            return np.zeros(self.Op.shape[1])

        def step(self, x):
            self.iiter += 1
            return x + self.length * (self.Op.H @ (self.y - self.Op @ x))

        def run(self, x, niter=1000):
            for _ in range(niter):
                x = self.step(x)
            return x

    calls = []

    class Count(Callbacks):
        def on_step_end(self, solver, x):
            calls.append(solver.iiter)

    solver = Landweber(MatrixMult(A), callbacks=[Count()])
    x = solver.solve(y)
    assert len(calls) == 1000
    assert_allclose(x, np.linalg.lstsq(A, y, rcond=None)[0], atol=0.05)


def test_memory_usage(capsys):
    usage = CGLS(MatrixMult(A)).memory_usage(show=True)
    assert "memory" in capsys.readouterr().out
    # model, residual, direction at least
    assert usage >= 8 * (6 + 9 + 6)
    assert_allclose(CGLS(MatrixMult(A)).memory_usage(unit="KB"), usage / 1024)
    with pytest.raises(ValueError, match="unit='bits'"):
        CGLS(MatrixMult(A)).memory_usage(unit="bits")
    for kind in (CG, LSQR, ISTA, FISTA, IRLS, OMP, SPGL1, SplitBregman):
        assert kind(MatrixMult(S)).memory_usage() > 0


def test_classes_are_refused_inside_jit():
    with pytest.raises(TypeError, match="function"):
        jax.jit(lambda v: CGLS(MatrixMult(A)).solve(v)[0])(y)
