r"""
Stacking operators
==================

Systems of several operators: on top of each other, side by side, along the diagonal, in blocks, and as a Kronecker
product. The pictures are their matrices, which are never formed otherwise.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax

n = 12
D = operax.FirstDerivative(n, kind="forward", dtype="float64")
S = operax.Smoothing1D(nsmooth=5, dims=n, dtype="float64")
W = operax.Diagonal(np.linspace(0.2, 1, n))

systems = {
    "D": D,
    "VStack([D, S])": operax.VStack([D, S]),
    "HStack([D, S])": operax.HStack([D, S]),
    "BlockDiag([D, S, W])": operax.BlockDiag([D, S, W]),
    "Block([[D, S], [W, 2 D.H]])": operax.Block([[D, S], [W, 2 * D.H]]),
    "Kronecker(S3, W)": operax.Kronecker(operax.Smoothing1D(nsmooth=3, dims=3, dtype="float64"), W),
}

fig, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
for ax, (name, Op) in zip(axes.flat, systems.items()):
    shown = ax.imshow(Op.todense(), cmap="RdBu_r", vmin=-1, vmax=1)
    ax.set(title=f"{name}\n{Op.shape[0]} x {Op.shape[1]}", xlabel="column", ylabel="row")
fig.colorbar(shown, ax=axes, shrink=0.6, label="matrix entry")
plt.show()

# %%
# Stacks are how regularised problems are written: the lower block asks for a smooth model. Any solver takes them.

R = operax.Restriction(n, iava=[0, 4, 8, 11], dtype="float64")
data = np.array([0.0, 1.0, -0.5, 0.3])
regularised = operax.VStack([R, 0.1 * operax.SecondDerivative(n, dtype="float64")])
model = regularised / np.concatenate([data, np.zeros(n)])

fig, ax = plt.subplots(figsize=(5, 2.6), layout="constrained")
ax.plot(model, "k.-", label="model")
ax.plot([0, 4, 8, 11], data, "C3o", label="data")
ax.set(xlabel="sample", ylabel="amplitude", title="[R; 0.1 D2] m = [d; 0]")
ax.legend()
plt.show()
