r"""
5. Compressed sensing of a real ECG
===================================

A heartbeat is sparse in wavelets, so a quarter of its samples, taken at random, go a long way. How large the
coefficients of each scale are is learnt from the first half of the recording; the second half is recovered.
"""

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

rng = np.random.default_rng(0)
kept = np.sort(rng.permutation(n)[: n // 4])
R = operax.Restriction(n, iava=kept, dtype="float32")
W = DWT(n, wavelet="sym6", level=5, dtype="float32")
Op = R @ W.H

solution = W.H @ fista(Op, jnp.asarray(R @ test), niter=300, eps=0.05)[0]

# %%
# Coarse coefficients are large and should be penalised less. Their mean size in the first half, a scale, enters as a
# diagonal: a small entry makes a coefficient expensive.

edges = np.cumsum([0, n // 32] + [n // 2 ** (5 - k) for k in range(5)])
scale = np.concatenate([np.full(edges[k + 1] - edges[k], k) for k in range(6)])
first = np.abs(W @ train)
size = np.array([first[scale == k].mean() for k in range(6)])
D = operax.Diagonal((size / size.max())[scale].astype("float32"))
weighted = W.H @ (D @ fista(Op @ D, jnp.asarray(R @ test), niter=300, eps=0.01)[0])
print("mean size of the coefficients, coarse to fine:", np.round(size, 2))

# %%
# A line between the samples, for comparison, and more data: the error against the share of samples.

line = np.interp(np.arange(n), kept, test[kept])


def error(x):
    return float(np.sqrt(np.mean((np.asarray(x) - test) ** 2)))


def recover(share):
    places = np.sort(rng.permutation(n)[: int(share * n)])
    R = operax.Restriction(n, iava=places, dtype="float32")
    sparse = W.H @ (D @ fista(R @ W.H @ D, jnp.asarray(R @ test), niter=300, eps=0.01)[0])
    return error(np.interp(np.arange(n), places, test[places])), error(sparse)


shares = np.array([0.15, 0.25, 0.35, 0.5])
errors = np.array([recover(share) for share in shares])

fig, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained", width_ratios=(3, 1))
axes[0].plot(t, test, "0.7", lw=3, label="recorded")
axes[0].plot(t[kept], test[kept], "k.", ms=3, label="samples kept (a quarter)")
axes[0].plot(t, line, "C2", lw=0.8, label=f"lines between them, rms error {error(line):.2f}")
axes[0].plot(t, solution, "C0", lw=0.8, label=f"equal weights, rms error {error(solution):.2f}")
axes[0].plot(t, weighted, "C3", lw=1, label=f"weights of the first half, rms error {error(weighted):.2f}")
axes[0].set(xlabel="time (s)", ylabel="amplitude (standard deviations)", title="the second half of the recording")
axes[0].legend(fontsize=7)
axes[1].plot(100 * shares, errors[:, 0], "C2.-", label="lines")
axes[1].plot(100 * shares, errors[:, 1], "C3.-", label="weighted wavelets")
axes[1].set(xlabel="samples kept (%)", ylabel="rms error (standard deviations)", ylim=(0, None))
axes[1].legend(fontsize=8)
plt.show()
