r"""
5. Compressed sensing of a real ECG
===================================

Instead of its 512 samples, record 160 random sums of a heartbeat, as a simple wearable can. It is sparse in wavelets,
so the sums suffice. How large the coefficients of each scale are is learnt from the first half of the recording; the
second half is recovered.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import pywt

import operax
from operax.optimization.sparsity import fista
from operax.signalprocessing import DWT

ecg = pywt.data.ecg().astype("float32")
ecg = (ecg - ecg.mean()) / ecg.std()
train, test = ecg[:512], ecg[512:]
n = 512
t = np.arange(n) / 360.0
W = DWT(n, wavelet="sym6", level=5, dtype="float32")

# %%
# The measurement: random signs. The model is `W.H` times the coefficients.

rng = np.random.default_rng(0)
signs = rng.choice(np.array([-1, 1], "float32"), size=(256, n)) / np.sqrt(n).astype("float32")
sums = operax.MatrixMult(signs[:160])
data = jnp.asarray(sums @ test)

equal = W.H @ fista(sums @ W.H, data, niter=300, eps=0.01)[0]

# %%
# Coarse coefficients are large and should be penalised less. Their mean size in the first half, a scale, enters as a
# diagonal: a small entry makes a coefficient expensive.

edges = np.cumsum([0, n // 32] + [n // 2 ** (5 - k) for k in range(5)])
scale = np.concatenate([np.full(edges[k + 1] - edges[k], k) for k in range(6)])
first = np.abs(W @ train)
size = np.array([first[scale == k].mean() for k in range(6)])
print("mean size of the coefficients, coarse to fine:", np.round(size, 2))
D = operax.Diagonal((size / size.max())[scale].astype("float32"))
synthesis = (W.H @ D).to("jax")

# %%
# How many sums are needed? Rows that are not measured are set to zero, so that one compiled program solves for all
# numbers of sums at once, under `vmap`.


@jax.jit
@jax.vmap
def recover(count):
    measured = jnp.arange(256) < count
    A = operax.Diagonal(measured.astype("float32")) @ operax.MatrixMult(jnp.asarray(signs))
    return synthesis @ fista(A @ synthesis, A @ jnp.asarray(test), niter=300, eps=0.002, alpha=0.4)[0]


counts = jnp.array([40, 80, 120, 160, 200, 256])
models = np.asarray(recover(counts))
weighted = models[3]


def error(x):
    return float(np.sqrt(np.mean((np.asarray(x) - test) ** 2)))


fig, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained", width_ratios=(3, 1))
axes[0].plot(t, test, "0.7", lw=3, label="recorded")
axes[0].plot(t, equal, "C0", lw=0.8, label=f"equal weights, rms error {error(equal):.2f}")
axes[0].plot(t, weighted, "C3", lw=1, label=f"weights of the first half, rms error {error(weighted):.2f}")
axes[0].set(xlabel="time (s)", ylabel="amplitude (standard deviations)", title="the second half, from 160 sums")
axes[0].legend(fontsize=8)
axes[1].plot(counts, [error(model) for model in models], "C3.-")
axes[1].set(xlabel="number of sums (of 512)", ylabel="rms error (standard deviations)", ylim=(0, None))
plt.show()
