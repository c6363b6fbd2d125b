"""Tensors and JAX arrays: one memory, two libraries."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np
import torch

SMALL = 1 << 16
"""Bytes below which data are copied: handing over a pointer costs 15 to 25 us, such a copy 1 to 5."""

_PLATFORMS = {"cpu": "cpu", "cuda": "gpu"}


def to_jax(tensor: torch.Tensor) -> jax.Array:
    """A tensor as a JAX array on the same memory, by dlpack.

    Parameters
    ----------
    tensor : torch.Tensor
        Dense tensor on the CPU or on a CUDA device that JAX sees too. Gradients are not followed. Tensors whose memory
        is not contiguous, not aligned to 64 bytes, or lazily conjugated are copied.

    Returns
    -------
    jax.Array
        With the dtype of the tensor; 64-bit dtypes are kept while JAX's 64-bit mode is on.

    Raises
    ------
    ValueError
        If JAX has no such device.
    TypeError
        If the tensor is sparse or quantised.

    Notes
    -----
    JAX holds arrays for immutable: do not write into the tensor while the array is in use.

    Examples
    --------
    >>> import torch, operax.torch
    >>> tensor = torch.arange(4.0)
    >>> array = operax.torch.to_jax(tensor)
    >>> array.unsafe_buffer_pointer() == tensor.data_ptr()
    True
    """
    return jax.dlpack.from_dlpack(_dense(tensor).contiguous())


def to_torch(array: jax.Array) -> torch.Tensor:
    """A JAX array as a tensor on the same memory, by dlpack.

    Parameters
    ----------
    array : jax.Array
        Array on one device that torch sees too.

    Returns
    -------
    torch.Tensor

    Notes
    -----
    JAX holds arrays for immutable: clone the tensor before you write into it, unless nothing else holds the array.

    Examples
    --------
    >>> import jax.numpy as jnp, operax.torch
    >>> operax.torch.to_torch(jnp.arange(3.0))
    tensor([0., 1., 2.])
    """
    return torch.utils.dlpack.from_dlpack(array.block_until_ready())


def argument(tensor: torch.Tensor) -> Any:
    """A tensor in the form in which a compiled JAX function takes it soonest."""
    if tensor.is_cpu and tensor.nbytes <= SMALL and tensor.dtype is not torch.bfloat16 and _host_is_default():
        return _dense(tensor).numpy()
    return to_jax(tensor)


def result(array: jax.Array) -> torch.Tensor:
    """A computed array as a tensor, when its value is there."""
    if _host_is_default() and array.nbytes <= SMALL and array.dtype != jax.numpy.bfloat16:
        return torch.from_numpy(np.array(array))
    return torch.utils.dlpack.from_dlpack(array.block_until_ready())


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise TypeError(f"JAX takes dense tensors, got layout {tensor.layout}; convert it with tensor.to_dense()")
    if not tensor.is_cpu:
        device_of(tensor.device)
    tensor = tensor.detach()
    if tensor.is_conj():
        tensor = tensor.resolve_conj()
    return tensor.resolve_neg() if tensor.is_neg() else tensor


@functools.cache
def _host_is_default() -> bool:
    return jax.default_backend() == "cpu"


@functools.cache
def device_of(device: torch.device) -> jax.Device:
    """JAX's name for a torch device, or an error that says what to do where it has none."""
    platform = _PLATFORMS.get(device.type, device.type)
    try:
        return jax.devices(platform)[device.index or 0]
    except (RuntimeError, IndexError):
        raise ValueError(
            f"the tensor is on {device}, but JAX has no such device: install JAX for it (e.g. jax[cuda12]), or move "
            "the tensor, e.g. TorchOperator(Op, device='cpu', devicetorch='cuda')"
        ) from None


def numpy_dtype(dtype: torch.dtype) -> np.dtype:
    """A torch dtype as NumPy's (bfloat16 as JAX's)."""
    return np.dtype(jax.numpy.dtype(str(dtype).removeprefix("torch.")))


def torch_dtype(dtype: Any) -> torch.dtype:
    """A dtype of NumPy or JAX as torch's."""
    found = getattr(torch, np.dtype(dtype).name, None)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"torch has no dtype {dtype}; convert the result inside the JAX function")
    return found
