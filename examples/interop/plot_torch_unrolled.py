r"""
An unrolled network in PyTorch
==============================

Two steps of a gradient method for :math:`\mathbf{y} = \mathbf{A} \mathbf{x}`, with a learned denoiser between them:
the operator is a layer, and what is trained are the steps, the denoiser, and, in the second network, the operator's
own filter, whose delay is not known.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

import operax

torch.manual_seed(0)
torch.set_num_threads(1)  # the arrays are small
rng = np.random.default_rng(0)
n, half = 64, 6

# %%
# Boxes of random place and size, blurred and late. The delay is not known to the networks.

lag = np.arange(-half, half + 1)


def gauss(width, delay=0.0):
    weights = np.exp(-0.5 * ((lag - delay) / width) ** 2)
    return (weights / weights.sum()).astype("float32")


def sample(count):
    edges = np.sort(rng.integers(5, n - 5, (count, 2)), 1)
    position = np.arange(n)
    x = ((position >= edges[:, :1]) & (position <= edges[:, 1:])).astype("float32")
    y = operax.signalprocessing.Convolve1D(n, gauss(1.5, 3.0), offset=half).batched(x)
    return torch.tensor(x), torch.tensor(y + 0.02 * rng.standard_normal(y.shape).astype("float32"))


class Unrolled(torch.nn.Module):
    """Gradient steps with a small network after each."""

    def __init__(self, train_filter, steps=2):
        super().__init__()
        blur = operax.signalprocessing.Convolve1D(n, gauss(1.0), offset=half)
        self.operator = operax.torch.OperatorModule(blur, parameters=None if train_filter else ())
        self.step = torch.nn.Parameter(torch.full((steps,), 1.0))
        self.denoisers = torch.nn.ModuleList(
            torch.nn.Sequential(
                torch.nn.Conv1d(1, 8, 5, padding=2), torch.nn.Tanh(), torch.nn.Conv1d(8, 1, 5, padding=2)
            )
            for _ in range(steps)
        )

    def forward(self, y):
        x = self.operator.adjoint(y)
        for step, denoiser in zip(self.step, self.denoisers):
            x = x - step * self.operator.adjoint(self.operator(x) - y)
            x = x + denoiser(x[:, None])[:, 0]
        return x


# %%
# Training is torch's own; the gradients of the operator's layers come from its adjoint.

test_x, test_y = sample(64)
losses, networks = {}, {}
for name, train_filter in {"filter fixed": False, "filter trained": True}.items():
    network = networks[name] = Unrolled(train_filter)
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    losses[name] = []
    for _ in range(200):
        x, y = sample(32)
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(network(y), x)
        loss.backward()
        optimizer.step()
        losses[name].append(float(loss.detach()))
    with torch.no_grad():
        print(f"{name}: test error {torch.nn.functional.mse_loss(network(test_y), test_x):.4f}")

# %%
fig, axes = plt.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
for name, values in losses.items():
    axes[0].semilogy(values, label=name)
axes[0].set(xlabel="iteration", ylabel="training error", title="Training")
axes[0].legend()
axes[1].plot(test_x[0], "k", label="true")
axes[1].plot(test_y[0], ":", label="data")
for name, network in networks.items():
    axes[1].plot(network(test_y)[0].detach(), label=name)
axes[1].set(xlabel="position", ylabel="value", title="A test sample")
axes[1].legend()
(trained,) = networks["filter trained"].operator.parameters()
axes[2].plot(lag, gauss(1.5, 3.0), "k", label="true")
axes[2].plot(lag, gauss(1.0), ":", label="assumed")
axes[2].plot(lag, trained.detach().reshape(-1), label="trained")
axes[2].set(xlabel="lag", ylabel="weight", title="The operator's filter")
axes[2].legend()
