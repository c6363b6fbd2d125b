r"""
Square systems, symmetric and not: minres, gmres, bicgstab, lsmr
================================================================

`cg` needs a positive definite operator. For an indefinite one take `minres`; for one that is not symmetric, `gmres`
or `bicgstab`; `lsmr` takes anything, at the squared condition number. An iteration of `gmres` is one cycle of up to
`restart` products.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.krylov import bicgstab, gmres, lsmr, minres

# %%
# A Helmholtz operator is symmetric and indefinite; with a wind it is not symmetric any more.

n = 80
rng = np.random.default_rng(0)
D2 = operax.SecondDerivative(n, edge=False)
helmholtz = operax.MatrixMult((D2.todense() + D2.todense().T) / 2) + 0.15 * operax.Identity(n)
wind = helmholtz + 0.05 * operax.FirstDerivative(n)
source = np.zeros(n)
source[25] = 1.0

still = {
    "minres": minres(helmholtz, source, niter=200, tol=1e-8),
    "lsmr": lsmr(helmholtz, source, niter=200, tol=1e-8),
}
windy = {
    "gmres": gmres(wind, source, niter=80, restart=80, tol=1e-8),
    "bicgstab": bicgstab(wind, source, niter=200, tol=1e-8),
    "lsmr": lsmr(wind, source, niter=200, tol=1e-8),
}

fig, axes = plt.subplots(2, 2, figsize=(10, 5), layout="constrained", sharex="col")
for row, (title, results) in zip(axes, (("symmetric, indefinite", still), ("not symmetric", windy))):
    for (name, result), style in zip(results.items(), ("-", "--", ":")):
        row[0].plot(result[0], style, lw=1.5, label=name)
        row[1].semilogy(np.maximum(result.cost, 1e-16), style, label=f"{name}: {result.reason.split(':')[0]}")
    row[0].set(ylabel="field", title=f"{title}: solution")
    row[1].set(ylabel="what the solver watches", title="convergence")
    for ax in row:
        ax.legend(fontsize=8)
axes[1, 0].set_xlabel("position (samples)")
axes[1, 1].set_xlabel("iteration")
plt.show()
