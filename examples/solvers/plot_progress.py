r"""
Watching a solve
================

Tables, progress bars, callbacks that look and stop, and results that plot themselves; on compiled solves too.
"""

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import operax
from operax.optimization.basic import cgls
from operax.optimization.callback import MetricsCallback
from operax.optimization.cls_basic import CGLS

rng = np.random.default_rng(0)
n = 200
A = operax.MatrixMult(rng.normal(size=(n, n)) / np.sqrt(n) + 2 * np.eye(n))
truth = rng.normal(size=n)
data = A @ truth

# %%
# The familiar table.

result = cgls(A, data, niter=25, tol=1e-8, show=True)

# %%
# A callback sees the model after every iteration; one that returns True stops the solver. On JAX the loop then runs in
# compiled pieces.

norms = []
cgls(A.to("jax"), jnp.asarray(data), niter=60, tol=1e-8, callback=lambda x: norms.append(float(jnp.linalg.norm(x))))

# %%
# Classes take callback objects: this one measures the error of the model.

metrics = MetricsCallback(truth, which=["snr"])
CGLS(A, callbacks=[metrics]).solve(data, niter=25, tol=1e-8)

fig, axes = plt.subplots(1, 3, figsize=(11, 2.8), layout="constrained")
result.plot(ax=axes[0], color="k")
axes[0].set(ylabel="norm of the residual", title="result.plot()")
axes[1].plot(norms, "C0.-")
axes[1].set(xlabel="iteration", ylabel="norm of the model", title="seen by a callback")
axes[2].plot(metrics.metrics["snr"], "C3.-")
axes[2].set(xlabel="iteration", ylabel="SNR of the model (dB)", title="MetricsCallback")
plt.show()
print(result.reason)
