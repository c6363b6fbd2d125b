r"""
Norms, eigenvalues, traces
==========================

What can be learnt of an operator without its matrix: the largest eigenvalue by power iteration, several by Lanczos, the
condition number, the trace from random probes.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.eigs import power_iteration
from operax.utils.estimators import trace_hutchinson, trace_hutchpp

n = 100
h = np.exp(-0.5 * (np.arange(-6, 7) / 1.5) ** 2)
C = operax.signalprocessing.Convolve1D(n, h=h / h.sum(), offset=6)
N = C.H @ C

exact = np.sort(np.linalg.eigvalsh(N.todense()))[::-1]
largest = power_iteration(N, niter=200, tol=1e-8, dtype="float64")[0]
print(f"power iteration {float(np.real(largest)):.6f}, exact {exact[0]:.6f}")
some = np.real(N.eigs(neigs=10, symmetric=True))

# %%
# The trace from random probes: the error falls with their number, faster with a low-rank part taken out first.

probes = np.array([9, 18, 36, 72])
errors = {"trace_hutchinson": [], "trace_hutchpp": []}
for estimator in (trace_hutchinson, trace_hutchpp):
    for k in probes:
        runs = [estimator(N, neval=int(k), rng=np.random.default_rng(seed)) for seed in range(30)]
        errors[estimator.__name__].append(np.sqrt(np.mean((np.array(runs) - exact.sum()) ** 2)) / exact.sum())

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
axes[0].plot(exact, "k", lw=1, label="dense")
axes[0].plot(some, "C3o", ms=4, label="Op.eigs(10)")
axes[0].set(xlabel="number", ylabel="eigenvalue", title="spectrum of a blur, squared")
axes[0].legend()
for name, values in errors.items():
    axes[1].loglog(probes, values, ".-", label=name)
axes[1].set(xlabel="applications of the operator", ylabel="relative error", title="trace")
axes[1].legend(fontsize=8)
plt.show()
