r"""
Shifts by fractions of a sample
===============================

`Shift` delays by any time, exactly for band-limited signals. The shift is a parameter of the operator, so a delay can
be estimated by its gradient.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.signalprocessing import Shift

n, dt = 128, 0.004
t = np.arange(n) * dt
wavelet, _, centre = operax.utils.ricker(np.arange(26) * dt, f0=20)
signal = np.zeros(n, "float32")
signal[30 : 30 + wavelet.size] = wavelet

true_delay = 0.0714
observed = jnp.asarray(Shift(n, true_delay, sampling=dt, real=True, dtype="float32") @ signal)


# %%
# The operator is made inside the function, of the value that is differentiated.


@jax.jit
@jax.value_and_grad
def misfit(delay):
    shifted = Shift(n, delay, sampling=dt, real=True, dtype="float32") @ jnp.asarray(signal)
    return jnp.sum((shifted - observed) ** 2)


path = [jnp.float32(0.06)]
for _ in range(30):
    _, slope = misfit(path[-1])
    path.append(path[-1] - 2e-6 * slope)
print(f"estimated {float(path[-1]):.4f} s, true {true_delay} s")

fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
axes[0].plot(t, signal, "k", lw=1, label="signal")
axes[0].plot(t, observed, "C0", label=f"delayed by {true_delay} s")
axes[0].set(xlabel="time (s)", ylabel="amplitude", title="Shift")
axes[0].legend(fontsize=8)
axes[1].plot(1000 * np.array(path), "C1.-")
axes[1].axhline(1000 * true_delay, color="k", ls=":", label="true")
axes[1].set(xlabel="gradient step", ylabel="delay (ms)", title="estimated by its gradient")
axes[1].legend(fontsize=8)
plt.show()
