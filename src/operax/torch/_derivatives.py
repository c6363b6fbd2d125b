"""Derivatives of torch functions, which are torch functions again: to any order, in both modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

Flat = Callable[..., tuple[torch.Tensor, ...]]
"""A function of tensors that gives a tuple of tensors."""


def is_inexact(tensor: torch.Tensor) -> bool:
    """Whether the tensor holds real or complex numbers, which have derivatives."""
    return tensor.is_floating_point() or tensor.is_complex()


def pull(function: Flat, primals: Sequence[torch.Tensor], active: Sequence[int], cotangents: Any) -> list[torch.Tensor]:
    """Cotangents of the primals `active`, in torch's convention (gradients of the real inner product).

    `torch.func` comes first, because it can be batched; functions that it does not support (they call `.backward`, or
    an autograd Function without `setup_context`) go through the classical tape.
    """
    at = [primals[i] for i in active]
    try:
        vjp: Any = torch.func.vjp
        outputs, back = vjp(lambda *values: function(*_replaced(primals, active, values)), *at)
        given = tuple(c if is_inexact(o) else torch.zeros_like(o) for c, o in zip(cotangents, outputs))
        return list(back(given))
    except (RuntimeError, NotImplementedError):
        return _pull_by_tape(function, primals, active, cotangents)


def _pull_by_tape(function: Flat, primals: Any, active: Sequence[int], cotangents: Any) -> list[torch.Tensor]:
    higher = torch.is_grad_enabled() and any(t.requires_grad for t in [*primals, *cotangents])
    with torch.enable_grad():
        # an alias keeps the path to whatever the primal came from
        at = [p.view_as(p) if p.requires_grad else p.detach().requires_grad_() for p in (primals[i] for i in active)]
        outputs = function(*_replaced(primals, active, at))
        pairs = [(o, c) for o, c in zip(outputs, cotangents) if is_inexact(o) and o.requires_grad]
        if not pairs:
            return [torch.zeros_like(x) for x in at]
        outs, cts = zip(*pairs)
        grads = torch.autograd.grad(outs, at, cts, create_graph=higher, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(at, grads)]


def push(function: Flat, primals: Sequence[torch.Tensor], active: Sequence[int], tangents: Any) -> list[torch.Tensor]:
    """Tangents of the outputs that have derivatives; zeros for the others.

    Where an operation has no forward mode, the derivative of the (linear) reverse mode in its cotangent is taken.
    """
    at = tuple(primals[i] for i in active)
    try:
        found = torch.func.jvp(lambda *v: function(*_replaced(primals, active, v)), at, tuple(tangents))[1]
        return list(found)
    except (RuntimeError, NotImplementedError):
        return _push_by_pull(function, primals, active, tangents)


def _push_by_pull(function: Flat, primals: Any, active: Sequence[int], tangents: Any) -> list[torch.Tensor]:
    higher = torch.is_grad_enabled() and any(t.requires_grad for t in [*primals, *tangents])
    with torch.enable_grad():
        outputs = function(*primals)
        dummies = [torch.zeros_like(o.detach()).requires_grad_(is_inexact(o)) for o in outputs]
        grads = _pull_by_tape(function, primals, active, dummies)
        pairs = [(g, t) for g, t in zip(grads, tangents) if g.requires_grad]
        wanted = [d for d in dummies if d.requires_grad]
        if not pairs or not wanted:
            return [torch.zeros_like(o) for o in outputs]
        gs, ts = zip(*pairs)
        found = iter(torch.autograd.grad(gs, wanted, ts, create_graph=higher, allow_unused=True))
    result = []
    for dummy in dummies:
        value = next(found) if dummy.requires_grad else None
        result.append(torch.zeros_like(dummy) if value is None else value)
    return result


def batched(function: Flat, args: Sequence[torch.Tensor], axes: Sequence[int | None]) -> tuple[torch.Tensor, ...]:
    """The function along a leading axis of some arguments: vectorised where torch can, one by one otherwise."""
    try:
        return torch.func.vmap(function, in_dims=tuple(axes))(*args)
    except (RuntimeError, NotImplementedError, ValueError):
        size = next(a.shape[0] for a, axis in zip(args, axes) if axis is not None)
        rows = [function(*[a if axis is None else a[i] for a, axis in zip(args, axes)]) for i in range(size)]
        return tuple(torch.stack(column) for column in zip(*rows))


def joined(tensors: Sequence[torch.Tensor], dtype: torch.dtype) -> torch.Tensor:
    """Tensors as one real vector: complex numbers as pairs."""
    parts = [torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in tensors]
    return torch.cat([part.reshape(-1).to(dtype) for part in parts])


def parted(vector: torch.Tensor, like: Sequence[tuple[tuple[int, ...], torch.dtype]]) -> list[torch.Tensor]:
    """The tensors of these shapes and dtypes of which the vector was joined."""
    found, start = [], 0
    for shape, dtype in like:
        pair = (2,) if dtype.is_complex else ()
        stop = start + int(torch.Size((*shape, *pair)).numel())
        part = vector[start:stop].reshape((*shape, *pair))
        found.append(torch.view_as_complex(part.to(dtype.to_real()).contiguous()) if pair else part.to(dtype))
        start = stop
    return found


def _replaced(primals: Sequence[Any], active: Sequence[int], values: Sequence[Any]) -> list[Any]:
    result = list(primals)
    for i, value in zip(active, values):
        result[i] = value
    return result
