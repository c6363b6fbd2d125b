"""Calls in torch's automatic differentiation: eagerly as an autograd Function, compiled as a custom operator."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, cast

import torch

from operax.torch._call import Call


def apply(call: Call, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Run a call so that torch can differentiate and batch it."""
    result: tuple[torch.Tensor, ...] = Apply.apply(call, *tensors)
    return result


class Apply(torch.autograd.Function):
    """A `Call`; its derivatives are calls applied the same way, so they can be differentiated again."""

    @staticmethod
    def forward(call: Call, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return call.run(tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, ...]) -> None:
        call, *tensors = inputs
        ctx.call = call
        ctx.smooth = tuple(o.is_floating_point() or o.is_complex() for o in output)
        if not all(ctx.smooth):
            ctx.mark_non_differentiable(*[o for o, smooth in zip(output, ctx.smooth) if not smooth])
        ctx.first = (tuple(tensors[0].shape), tensors[0].dtype) if tensors else None
        ctx.without_first = call.linear and tuple(ctx.needs_input_grad[2:]) == (False,) * (len(tensors) - 1)
        # a map that is linear in its first input needs no value of it in its derivative
        ctx.save_for_backward(*(tensors[1:] if ctx.without_first else tensors))
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[Any, ...]:
        needed = ctx.needs_input_grad[1:]
        active = tuple(i for i, need in enumerate(needed) if need)
        found = cotangents(ctx.call, ctx.saved_tensors, grads, active, ctx.first, ctx.without_first)
        return (None, *[found.get(i) for i in range(len(needed))])

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Any) -> tuple[Any, ...]:
        call, tensors = ctx.call, ctx.saved_tensors
        active = tuple(i for i, t in enumerate(tangents) if t is not None)
        if call.linear and active == (0,):
            return apply(call, tangents[0], *tensors[1:])
        found = apply(call.push(active), *tensors, *[tangents[i] for i in active])
        return tuple(t if smooth else None for t, smooth in zip(found, ctx.smooth))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], call: Call, *tensors: torch.Tensor) -> tuple[Any, Any]:
        axes = in_dims[1:]
        moved = [t if axis is None else t.movedim(axis, 0) for t, axis in zip(tensors, axes)]
        outputs = apply(call.mapped(tuple(axis is not None for axis in axes)), *moved)
        return outputs, (0,) * len(outputs)


# torch asks for the signature on each call, and working it out takes longer than all else that it does
cast(Any, Apply.forward).__signature__ = inspect.signature(Apply.forward)


def cotangents(
    call: Call,
    saved: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    active: tuple[int, ...],
    first: Any,
    without_first: bool,
) -> dict[int, torch.Tensor]:
    """The cotangents of the tensors `active`, by position."""
    if without_first:
        return {0: apply(call.pull_linear(*first), grads[0], *saved)[0]}
    return dict(zip(active, apply(call.pull(active, len(grads)), *saved, *grads)))


# ---- the same as an operator that torch.compile keeps whole


@torch.library.custom_op("operax::call", mutates_args=())
def run_call(handle: int, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The call of that number on `tensors`."""
    return list(Call.at(handle).run(tensors))


@run_call.register_fake
def _(handle: int, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    found = Call.at(handle).shapes(tensors)
    device = tensors[0].device if tensors else torch.device("cpu")
    return [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in found]


def _setup(ctx: Any, inputs: tuple[Any, ...], output: list[torch.Tensor]) -> None:
    handle, tensors = inputs
    ctx.handle, ctx.count = handle, len(tensors)
    ctx.first = (tuple(map(int, tensors[0].shape)), tensors[0].dtype) if tensors else None
    needed = tuple(t.requires_grad for t in tensors)
    ctx.active = tuple(i for i, need in enumerate(needed) if need)
    ctx.without_first = Call.at(handle).linear and not any(needed[1:])
    ctx.save_for_backward(*(tensors[1:] if ctx.without_first else tensors))


def _backward(ctx: Any, grads: list[torch.Tensor]) -> tuple[None, list[torch.Tensor | None]]:
    call = Call.at(ctx.handle)
    if ctx.without_first:
        pull, given = call.pull_linear(*ctx.first), [grads[0], *ctx.saved_tensors]
        active: tuple[int, ...] = (0,)
    else:
        active = ctx.active
        pull, given = call.pull(active, len(grads)), [*ctx.saved_tensors, *grads]
    found = dict(zip(active, run_call(pull.handle, given)))
    return None, [found.get(i) for i in range(ctx.count)]


run_call.register_autograd(_backward, setup_context=_setup)
