r"""
Regression
==========

Fit a line or a polynomial, with least squares and with weights that outliers cannot move.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.sparsity import irls

rng = np.random.default_rng(3)
t = np.linspace(-1, 1, 60)
line = 0.5 + 1.5 * t
data = line + 0.1 * rng.normal(size=t.size)
data[[5, 11, 50]] += [3.0, 2.5, -3.0]

L = operax.LinearRegression(t)
least_squares = L / data
robust = irls(L, data, nouter=20, kind="data", epsR=1e-2)[0]

cubic = 1 - t + 2 * t**3
P = operax.Regression(t, order=3)
coefficients = P / (cubic + 0.1 * rng.normal(size=t.size))
print("coefficients of 1, t, t^2, t^3:", np.round(coefficients, 2))

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
axes[0].plot(t, data, "k.", ms=4, label="data, three outliers")
axes[0].plot(t, line, "k--", lw=1, label="truth")
axes[0].plot(t, L @ least_squares, "C3", label="least squares")
axes[0].plot(t, L @ robust, "C0", label="irls")
axes[0].set(xlabel="time (s)", ylabel="amplitude", title="LinearRegression")
axes[1].plot(t, cubic, "k--", lw=1, label="truth")
axes[1].plot(t, P @ coefficients, "C0", label="fit of order 3")
axes[1].set(xlabel="time (s)", ylabel="amplitude", title="Regression")
for ax in axes:
    ax.legend(fontsize=8)
plt.show()
