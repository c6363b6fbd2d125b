"""An operator as a layer of a network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from operax._arrays.namespace import as_numpy
from operax.torch._function import TorchFunction, as_torch_function


class OperatorModule(torch.nn.Module):
    r"""An operator as a ``torch.nn.Module`` whose parameters are arrays of the operator.

    Parameters
    ----------
    Op : LinearOperator
        Operator from `dims` to `dimsd`.
    parameters : sequence of str or bool, optional
        Names of the arrays to train; by default (or with True) all arrays of real or complex numbers, with False none.
        Dots and brackets of nested
        names become underscores: ``"ops[0].A"`` is the parameter ``ops_0_A``.

    Raises
    ------
    ValueError
        If a name is not an array of the operator.

    Notes
    -----
    The parameters are copies: training changes neither the operator nor the arrays it was built with. They keep the
    precision of the operator's arrays; ``module.float()`` and ``module.double()`` change it as for any module.

    Examples
    --------
    >>> import numpy as np, torch, operax
    >>> layer = operax.torch.OperatorModule(operax.Diagonal(np.array([1.0, 2.0], "float32")))
    >>> [(name, p.shape) for name, p in layer.named_parameters()]
    [('diag', torch.Size([2]))]
    >>> layer(torch.ones(3, 2)).sum().backward()
    >>> layer.diag.grad
    tensor([3., 3.])
    """

    def __init__(self, Op: Any, parameters: Sequence[str] | bool | None = None) -> None:
        super().__init__()
        self.function = as_torch_function(Op)
        if not isinstance(self.function, TorchFunction):
            raise TypeError(f"OperatorModule takes a linear operator, got {type(Op).__name__}")
        known = self.function.parameters()
        if isinstance(parameters, str):
            raise TypeError(f"parameters={parameters!r} must be a sequence of names, such as [{parameters!r}]")
        if parameters is None or isinstance(parameters, bool):
            names = [] if parameters is False else list(known)
        else:
            names = list(parameters)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError(
                f"parameters has {', '.join(map(repr, unknown))}, but the arrays of {self.function.Op!r} are "
                f"{', '.join(map(repr, known)) or 'none'}"
            )
        self.names = {name: re.sub(r"\W+", "_", name).strip("_") for name in names}
        for name, key in self.names.items():
            self.register_parameter(key, torch.nn.Parameter(torch.tensor(np.array(as_numpy(known[name])))))

    def _given(self) -> dict[str, torch.Tensor]:
        return {name: getattr(self, key) for name, key in self.names.items()}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Forward on `x` of shape ``(*batch, *dims)`` or ``(*batch, N)``."""
        return self.function(x, **self._given())

    def adjoint(self, y: torch.Tensor) -> torch.Tensor:
        """Adjoint on `y` of shape ``(*batch, *dimsd)`` or ``(*batch, M)``."""
        return self.function.adjoint(y, **self._given())

    def extra_repr(self) -> str:
        """What stands between the brackets of the module's representation."""
        return repr(self.function.Op)
