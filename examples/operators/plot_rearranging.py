r"""
Selecting and rearranging
=========================

Operators that move values without changing them: `Restriction`, `Pad`, `Flip`, `Roll`, `Transpose`, `Symmetrize`; and
`Sum`, which adds them up. Their adjoints put values back, and zeros where there were none.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax

dims = (6, 8)
x = np.arange(1.0, 49).reshape(dims)

operators = {
    "Restriction": operax.Restriction(dims, iava=[0, 2, 5], axis=0),
    "Pad": operax.Pad(dims, pad=((1, 2), (2, 1))),
    "Flip": operax.Flip(dims, axis=1),
    "Roll": operax.Roll(dims, axis=1, shift=3),
    "Transpose": operax.Transpose(dims, axes=(1, 0)),
    "Symmetrize": operax.Symmetrize(dims, axis=1),
    "Sum": operax.Sum(dims, axis=0),
}

fig, axes = plt.subplots(3, len(operators) + 1, figsize=(13, 5), layout="constrained")
for ax in axes.flat:
    ax.axis("off")
axes[0, 0].set_title("model x")
axes[0, 0].axis("on")
axes[0, 0].imshow(x, cmap="viridis", vmin=0, vmax=48)
axes[0, 0].set(xlabel="axis 1", ylabel="axis 0")
for row, text in ((1, "Op @ x"), (2, "Op.H @ (Op @ x)")):
    axes[row, 0].text(0.5, 0.5, text, ha="center", va="center", transform=axes[row, 0].transAxes)
for column, (name, Op) in enumerate(operators.items(), start=1):
    y = Op @ x
    axes[0, column].text(0.5, 0.4, f"{name}\n{Op.dims} to {Op.dimsd}", ha="center", transform=axes[0, column].transAxes)
    for row, image in ((1, y), (2, Op.H @ y)):
        axes[row, column].axis("on")
        axes[row, column].imshow(np.atleast_2d(image), cmap="viridis", vmin=0, vmax=48 if name != "Sum" else 168)
        axes[row, column].set(xticks=[], yticks=[])
plt.show()

# %%
# `Restriction.H @ Restriction` is a mask: the trace of it counts the kept samples.

R = operators["Restriction"]
print(int(np.sum((R.H @ R) @ np.ones(dims))), "of", x.size, "values are kept")
