r"""
Matrices and diagonals
======================

`MatrixMult` makes an operator of a matrix, dense or sparse, and applies it along one axis of an array; `Diagonal`
multiplies by weights.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import operax

rng = np.random.default_rng(0)
A = rng.normal(size=(30, 20))
Op = operax.MatrixMult(A)
truth = np.sin(np.arange(20) / 3)
data = Op @ truth

# %%
# `Op / y` solves in the least-squares sense. The matrix is known, so `explicit` is True and a dense solver is used.

print(Op.explicit, np.abs(Op / data - truth).max())

# %%
# A sparse matrix stays sparse, and `otherdims` says which axes ride along.

tridiagonal = sp.diags([np.ones(19), -2 * np.ones(20), np.ones(19)], [-1, 0, 1]).tocsr()
along = operax.MatrixMult(tridiagonal, otherdims=(8,))
section = np.outer(truth, np.linspace(1, -1, 8))

# %%
# A diagonal along one axis: weights that fade out the edges.

taper = operax.Diagonal(np.hanning(20), dims=(20, 8), axis=0)

fig, axes = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
panels = (
    ("matrix of Op", A, "column", "row"),
    ("model, 8 columns", section, "column", "sample"),
    ("tridiagonal, along axis 0", along @ section, "column", "sample"),
    ("Diagonal, along axis 0", taper @ section, "column", "sample"),
)
for ax, (title, image, xlabel, ylabel) in zip(axes, panels):
    limit = np.abs(image).max()
    shown = ax.imshow(image, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    fig.colorbar(shown, ax=ax, shrink=0.8)
plt.show()
