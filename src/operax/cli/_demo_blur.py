"""Second part of the demo: find the unknown width of the blur with `jax.grad` through operator and solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from operax.basicoperators import Gradient, VStack
from operax.cli._demo_image import NOISE, WIDTH, cut
from operax.cli._demo_operators import blur, sampling
from operax.optimization.basic import cgls

START = (1.0, 0.05)
"""Where the search starts: width of the blur in pixels, weight of the smoothness."""


def find_width(advance: Any, fast: bool) -> dict[str, Any]:
    r"""Find the width that predicts pixels which the solver has not seen.

    For a width and a weight, half of the pixels give the image :math:`x = argmin |S B x - y|^2 + eps^2 |grad x|^2`;
    the loss is how well :math:`B x` predicts an eighth of the pixels that were held out. Its gradient in width and
    weight goes through the solver (by the implicit function theorem) and into the filter of the operator.
    """
    import jax
    import jax.numpy as jnp
    from scipy.optimize import minimize

    truth = cut("small" if fast else "middle")
    samplings = sampling(truth.size, 0.5, seed=1)
    seen, held_out = (op.to("jax") for op in samplings)
    noise = NOISE * np.random.default_rng(2).standard_normal(truth.size)
    data = (blur(truth.shape, WIDTH) @ truth).ravel() + noise
    y, y_held_out = (jnp.asarray(op @ data) for op in samplings)
    D = Gradient(truth.shape).to("jax")
    zeros = jnp.zeros(D.shape[0])

    def loss(parameters: Any) -> Any:
        width, weight = jnp.exp(parameters)
        B = blur(truth.shape, width)
        x = cgls(VStack([seen @ B, weight * D]), jnp.concatenate([y, zeros]), niter=300, tol=1e-6)[0]
        return jnp.mean((held_out @ B @ x - y_held_out) ** 2) / NOISE**2

    value_and_gradient = jax.jit(jax.value_and_grad(loss))
    path: list[tuple[float, float]] = []
    calls = 0

    def evaluate(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal calls
        calls += 1
        value, gradient = value_and_gradient(parameters)
        advance(f"blur width: gradient {calls}")
        return float(value), np.asarray(gradient)

    def remember(parameters: np.ndarray) -> None:
        path.append(tuple(np.exp(parameters)))

    remember(np.log(START))
    minimize(
        evaluate,
        np.log(START),
        jac=True,
        method="L-BFGS-B",
        bounds=[(np.log(0.5), np.log(4.0)), (np.log(1e-3), 0.0)],
        callback=remember,
        options={"maxiter": 8 if fast else 12, "maxfun": 12 if fast else 20, "ftol": 1e-5},
    )
    return {"path": path, "true": WIDTH, "found": path[-1][0], "weight": path[-1][1], "gradients": calls}
