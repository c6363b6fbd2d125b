r"""
Real part, imaginary part, conjugate
====================================

These maps are linear over the real numbers only. Their adjoints are those of the real inner product, so that solvers
and gradients keep working.
"""

import matplotlib.pyplot as plt
import numpy as np

import operax

n = 100
t = np.arange(n) * 0.02
x = np.exp(2j * np.pi * t) * np.exp(-t)

real, imag, conj = (kind(n, dtype="complex128") for kind in (operax.Real, operax.Imag, operax.Conj))
print("linear over the complex numbers:", real.clinear, imag.clinear, conj.clinear)

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
axes[0].plot(t, np.real(real @ x), label="Real")
axes[0].plot(t, np.real(imag @ x), label="Imag")
axes[0].set(xlabel="time (s)", ylabel="amplitude", title="parts of a decaying spiral")
axes[0].legend()
for name, values in (("x", x), ("Conj", conj @ x)):
    axes[1].plot(values.real, values.imag, label=name)
axes[1].set(xlabel="real part", ylabel="imaginary part", title="in the complex plane", aspect="equal")
axes[1].legend()
plt.show()

# %%
# The same parts of any operator's results come from `toreal` and `toimag`, for instance of a Fourier transform.

F = operax.signalprocessing.FFT(n, nfft=n)
print((F.toreal() @ np.cos(2 * np.pi * 5 * np.arange(n) / n)).dtype)
