"""`TorchOperator`: an operator on tensors, with one sample or one batch axis and a choice of devices."""

from __future__ import annotations

import math
from typing import Any

import torch

from operax._core.operator import LinearOperator
from operax.torch._function import TorchFunction


class TorchOperator:
    r"""An operator that takes and gives PyTorch tensors.

    Parameters
    ----------
    Op : LinearOperator
        Operator from `dims` to `dimsd`; anything that `operax.aslinearoperator` takes is accepted.
    batch : bool, optional
        Whether inputs have a leading batch axis (default False).
    flatten : bool, optional
        With `batch`, whether a sample is a flat vector (default True) or has shape `dims`. Without `batch` both are
        accepted, and the result is given in the style of the input.
    device : str or torch.device, optional
        Where the operator is applied: "cpu" (default), "gpu" or "cuda" (the same), "cuda:1", ...
    devicetorch : str or torch.device, optional
        Where results are placed (default "cpu").

    Attributes
    ----------
    shape, dims, dimsd
        As of the operator.
    H, T : TorchOperator
        Adjoint and transpose.

    Raises
    ------
    ValueError
        For inputs of other shapes.

    See Also
    --------
    operax.torch.as_torch_function : any number of batch axes, tensors in place of the operator's arrays.
    operax.torch.OperatorModule : the operator's arrays as parameters of a network.

    Notes
    -----
    The gradient of ``apply`` is the adjoint of the operator and the other way round, so derivatives exist to any
    order. ``torch.func`` transforms and ``torch.compile`` work too. The dtype of a result follows from the operator's
    and the tensor's as for arrays.

    Examples
    --------
    >>> import numpy as np, torch, operax
    >>> Top = operax.TorchOperator(operax.MatrixMult(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])), batch=True)
    >>> x = torch.ones(4, 2, dtype=torch.float64, requires_grad=True)
    >>> Top.apply(x).shape
    torch.Size([4, 3])
    >>> Top.apply(x).sum().backward()
    >>> x.grad[0]
    tensor([ 9., 12.], dtype=torch.float64)
    """

    def __init__(
        self, Op: Any, batch: bool = False, flatten: bool = True, device: Any = "cpu", devicetorch: Any = "cpu"
    ) -> None:
        if not isinstance(Op, LinearOperator):
            from operax.interop import aslinearoperator

            Op = aslinearoperator(Op)
        self.Op, self.batch, self.flatten = Op, bool(batch), bool(flatten)
        self.device, self.devicetorch = _device("device", device), _device("devicetorch", devicetorch)
        self.dims, self.dimsd, self.shape, self.dtype, self.name = Op.dims, Op.dimsd, Op.shape, Op.dtype, Op.name
        self._function = TorchFunction(Op)

    def apply(self, x: torch.Tensor) -> torch.Tensor:
        """Forward on a tensor of shape ``(N,)`` or `dims`; with `batch`, ``(k, N)`` or ``(k, *dims)``."""
        self._check(x, self.dims)
        return self._function(x.to(self.device)).to(self.devicetorch)

    def adjoint(self, x: torch.Tensor) -> torch.Tensor:
        """Adjoint on a tensor of shape ``(M,)`` or `dimsd`; with `batch`, ``(k, M)`` or ``(k, *dimsd)``."""
        self._check(x, self.dimsd)
        return self._function.adjoint(x.to(self.device)).to(self.devicetorch)

    forward = matvec = __call__ = apply
    rmatvec = adjoint

    def __matmul__(self, x: torch.Tensor) -> torch.Tensor:
        return self.apply(x)

    __mul__ = __matmul__

    @property
    def H(self) -> TorchOperator:
        """The adjoint."""
        return TorchOperator(self.Op.H, self.batch, self.flatten, self.device, self.devicetorch)

    @property
    def T(self) -> TorchOperator:
        """The transpose."""
        return TorchOperator(self.Op.T, self.batch, self.flatten, self.device, self.devicetorch)

    def __add__(self, other: Any = None) -> Any:
        raise TypeError(
            f"operators are scaled and added before they are wrapped, operax.TorchOperator(2 * A + B); {self!r} only "
            "applies"
        )

    __radd__ = __sub__ = __rsub__ = __rmul__ = __neg__ = __add__

    def _check(self, x: Any, dims: tuple[int, ...]) -> None:
        if not isinstance(x, torch.Tensor):
            cure = "torch.as_tensor(x)"
            if isinstance(x, TorchOperator | LinearOperator):
                cure = "combine operators first and wrap the result, operax.TorchOperator(A @ B)"
            raise TypeError(f"{self!r} takes a torch.Tensor, got {type(x).__name__}: {cure}")
        shape, flat = tuple(x.shape), (math.prod(dims),)
        accepted = [flat, dims] if not self.batch else [flat if self.flatten else dims]
        if shape[int(self.batch) :] not in accepted or (self.batch and not shape):
            lead = "k, " if self.batch else ""
            texts = dict.fromkeys(
                f"({lead}{', '.join(map(str, a))}{'' if lead or len(a) > 1 else ','})" for a in accepted
            )
            raise ValueError(
                f"{self!r} with batch={self.batch} and flatten={self.flatten} takes tensors of shape "
                f"{' or '.join(texts)}, got {shape}; batch=True takes one leading batch axis, and "
                "operax.torch.as_torch_function(Op) any number"
            )

    def __repr__(self) -> str:
        return f"<{self.shape[0]}x{self.shape[1]} TorchOperator with dtype={self.dtype}>"


def _device(name: str, value: Any) -> torch.device:
    try:
        return torch.device("cuda" if value == "gpu" else value)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"{name}={value!r} is not a device; give e.g. 'cpu', 'gpu' or 'cuda:1': {error}") from None
