r"""
Operators from functions, and their own description
===================================================

Two functions are an operator. Composites describe themselves, as text and as a tree in a notebook.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.utils import dottest

n = 64


def heat(x):
    """Fifty steps of an explicit diffusion, with nothing outside."""
    for _ in range(50):
        padded = np.pad(x, 1)
        x = x + 0.25 * (padded[2:] - 2 * x + padded[:-2])
    return x


# %%
# The diffusion is symmetric, so forward and adjoint are the same function; `dottest` confirms it.

H = operax.FunctionOperator(heat, heat, n, n, dtype="float64")
print(dottest(H, n, n))

x = np.zeros(n)
x[20], x[40:45] = 5.0, 1.0

fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.plot(x, "k", lw=1, label="start")
ax.plot(H @ x, "C0", label="after 50 steps")
ax.set(xlabel="position (samples)", ylabel="temperature (K)", title="FunctionOperator")
ax.legend()
plt.show()

# %%
# A composite in a notebook shows shapes, dtype and the tree of its parts.

Op = operax.VStack([operax.Restriction(n, iava=np.arange(0, n, 4)) @ H, 0.1 * operax.SecondDerivative(n)])
Op  # noqa: B018
