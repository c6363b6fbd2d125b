"""What each bridge adds to the bare call: ours is the call through the bridge, the peer the same without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Case, SetUp, Work, random


def _operator(size: int) -> Any:
    import operax

    return operax.FirstDerivative(size, dtype="float32")


def _jax(size: int, wrap: Callable[[Any], Any] = lambda op: op.to("jax")) -> SetUp:
    def setup() -> Work:
        import jax.numpy as jnp

        op, x = wrap(_operator(size)), jnp.asarray(random(size, "float32"))
        return lambda: op @ x

    return setup


def _numpy(size: int, wrap: Callable[[Any], Any] = lambda op: op) -> SetUp:
    def setup() -> Work:
        op, x = wrap(_operator(size)), random(size, "float32")
        return lambda: op @ x

    return setup


def _jax_operator(op: Any) -> Any:
    import operax

    return operax.JaxOperator(op)


def _jitted(size: int, make: Callable[[], Any]) -> SetUp:
    """A compiled call of a function of an array."""

    def setup() -> Work:
        import jax
        import jax.numpy as jnp

        x = jnp.asarray(random(size, "float32"))
        compiled = jax.jit(make())
        return lambda: compiled(x)

    return setup


# ---- torch


def _torch(size: int, make: Callable[[], Any], gradient: bool = False) -> SetUp:
    def setup() -> Work:
        import torch

        function, x = make(), torch.from_numpy(random(size, "float32")).requires_grad_(gradient)

        def forward() -> Any:
            return function(x).detach().numpy()

        def both() -> Any:
            (grad,) = torch.autograd.grad(function(x).sum(), x)
            return grad.numpy()

        return both if gradient else forward

    return setup


def _torch_operator(size: int) -> Callable[[], Any]:
    def make() -> Any:
        import operax

        return operax.TorchOperator(_operator(size)).apply

    return make


def _pylops_torch_operator(size: int) -> Callable[[], Any]:
    def make() -> Any:
        import pylops

        return pylops.TorchOperator(pylops.FirstDerivative(size, dtype="float32")).apply

    return make


def _in_torch() -> Any:
    """The same derivative written in torch."""
    import torch

    def derivative(x: Any) -> Any:
        return torch.nn.functional.pad((x[2:] - x[:-2]) / 2, (1, 1))

    return derivative


def _torch_function_in_jax() -> Any:
    import operax.torch

    return operax.torch.as_jax_function(_in_torch())


# ---- foreign code


def _foreign(size: int) -> Any:
    import operax

    def forward(x: Any) -> Any:
        return np.pad((x[2:] - x[:-2]) / 2, 1)

    def adjoint(y: Any) -> Any:
        inner = y[1:-1] / 2
        return np.pad(inner, (2, 0)) - np.pad(inner, (0, 2))

    return operax.aslinearoperator(forward, adjoint, dims=size, dimsd=size, dtype="float32")


def _bare_foreign(size: int) -> SetUp:
    def setup() -> Work:
        x = random(size, "float32")
        return lambda: np.pad((x[2:] - x[:-2]) / 2, 1)

    return setup


def _numpy_foreign(size: int) -> SetUp:
    def setup() -> Work:
        op, x = _foreign(size), random(size, "float32")
        return lambda: op @ x

    return setup


def _lineax(size: int) -> Any:
    return _operator(size).to_lineax().mv


def _in_jax() -> Any:
    import jax.numpy as jnp

    return lambda x: jnp.pad((x[2:] - x[:-2]) / 2, 1)


CASES: list[Case] = []

for _n in (1000, 10**6):
    CASES += [
        Case("JaxOperator over the operator", _n, _jax(_n, _jax_operator), {"bare": _jax(_n)}),
        Case(
            "TorchOperator over the operator, PyLops' and torch itself",
            _n,
            _torch(_n, _torch_operator(_n)),
            {
                "bare": _jax(_n),
                "pylops": _torch(_n, _pylops_torch_operator(_n)),
                "torch": _torch(_n, _in_torch),
            },
        ),
        Case(
            "TorchOperator gradient",
            _n,
            _torch(_n, _torch_operator(_n), gradient=True),
            {
                "pylops": _torch(_n, _pylops_torch_operator(_n), gradient=True),
                "torch": _torch(_n, _in_torch, gradient=True),
            },
        ),
        Case(
            "as_jax_function over torch itself",
            _n,
            _jitted(_n, _torch_function_in_jax),
            {"bare": _torch(_n, _in_torch), "jax": _jitted(_n, _in_jax)},
        ),
        Case(
            "NumPy functions as an operator",
            _n,
            {
                "numpy": _numpy_foreign(_n),
                "jax": _jitted(_n, lambda n=_n: _foreign(n).__matmul__),  # type: ignore[misc]
            },
            {"bare": _bare_foreign(_n)},
        ),
        Case("to_scipy over the operator", _n, _numpy(_n, lambda op: op.to_scipy()), {"bare": _numpy(_n)}),
        Case("to_pylops over the operator", _n, _numpy(_n, lambda op: op.to_pylops()), {"bare": _numpy(_n)}),
        Case(
            "to_lineax over plain JAX",
            _n,
            _jitted(_n, lambda n=_n: _lineax(n)),  # type: ignore[misc]
            {"jax": _jitted(_n, _in_jax)},
        ),
    ]
