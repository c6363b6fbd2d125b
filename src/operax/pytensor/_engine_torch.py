"""PyTorch behind the bridge."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch

from operax.pytensor._dims import evaluate_dim
from operax.pytensor._engine import Arrays, Struct
from operax.pytensor._engine_torch_fake import trace_fake
from operax.pytensor._outputs import UnsupportedOutput

__all__ = ["TorchEngine"]

_NOTHING = contextlib.nullcontext()
_SUPPORTED = frozenset(
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
)


def _name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


class TorchEngine:
    """Runs, differentiates and batches functions with PyTorch."""

    name = "TorchOp"

    def __init__(self) -> None:
        self._inside = threading.local()

    def __reduce__(self) -> str:
        return "ENGINE"  # one object: pickle stores its name

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (torch.Tensor, np.ndarray, np.generic))

    def is_tracer(self, value: Any) -> bool:
        return False

    def asarray(self, value: Any) -> Any:
        tensor = value if isinstance(value, torch.Tensor) else torch.as_tensor(value)
        if _name(tensor.dtype) not in _SUPPORTED:
            raise UnsupportedOutput(
                f"an output has dtype {tensor.dtype}, which PyTensor cannot hold: convert it, for instance .float()"
            )
        return tensor

    def cast(self, value: Any, dtype: Any) -> Any:
        dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype
        if value.is_complex() and not dtype.is_complex:
            value = value.real
        return value.to(dtype)

    def conj(self, value: Any) -> Any:
        return value.conj() if value.is_complex() else value

    def canonical(self, dtype: str) -> str:
        return dtype

    def shape_dtype(self, value: Any) -> Struct:
        return tuple(d if isinstance(d, int) else str(d) for d in value.shape), _name(value.dtype)

    def share_trace(self, function: Callable[..., Arrays]) -> Callable[..., Arrays]:
        return function  # torch runs Python on every call

    @contextlib.contextmanager
    def _transforming(self) -> Iterator[None]:
        depth = getattr(self._inside, "depth", 0)
        self._inside.depth = depth + 1
        try:
            yield
        finally:
            self._inside.depth = depth

    def vjp(
        self, function: Callable[..., tuple[Arrays, Arrays]], primals: Arrays, cotangents: Arrays
    ) -> tuple[Arrays, Arrays]:
        if getattr(self._inside, "depth", 0):
            outputs, pull, extra = torch.func.vjp(function, *primals, has_aux=True)  # type: ignore[misc]
            return extra, pull(tuple(self.cast(c, o.dtype) for c, o in zip(cotangents, outputs)))
        # outside of torch.func's transformations its own tape does the same: torch.func.vjp costs 140 microseconds more
        again = any(x.requires_grad for x in (*primals, *cotangents))
        with torch.enable_grad():
            moving = [p.view_as(p) if p.requires_grad else p.detach().requires_grad_() for p in primals]
            outputs, extra = function(*moving)
            pairs = [(o, self.cast(c, o.dtype)) for o, c in zip(outputs, cotangents) if o.requires_grad]
            grads: Sequence[Any] = [None] * len(moving)
            if pairs:
                grads = torch.autograd.grad(
                    [o for o, _ in pairs], moving, [c for _, c in pairs], create_graph=again, allow_unused=True
                )
        if not again:
            extra = tuple(e.detach() for e in extra)
        return extra, tuple(torch.zeros_like(p) if g is None else g for p, g in zip(primals, grads))

    def jvp(self, function: Callable[..., Arrays], primals: Arrays, tangents: Arrays) -> Arrays:
        with self._transforming():
            given = tuple(self.cast(t, p.dtype) for t, p in zip(tangents, primals))
            return torch.func.jvp(function, primals, given)[1]

    def vectorize(
        self, function: Callable[..., Arrays], in_ndim: Sequence[int], out_ndim: Sequence[int], args: Arrays
    ) -> Arrays:
        leads = [x.shape[: x.ndim - n] for x, n in zip(args, in_ndim)]
        batch = tuple(torch.broadcast_shapes(*leads))
        size = math.prod(batch)
        flat = [
            x.expand(*batch, *x.shape[len(lead) :]).reshape(-1 if size else 0, *x.shape[len(lead) :]) if lead else x
            for x, lead in zip(args, leads)
        ]
        if not batch:
            return function(*args)
        if size == 0:  # torch.vmap refuses: one item gives the shapes
            flat = [x.new_ones((1, *x.shape[1:])) if lead else x for x, lead in zip(flat, leads)]
        with self._transforming():
            mapped = torch.vmap(function, in_dims=tuple(0 if lead else None for lead in leads))(*flat)
        return tuple(
            r[:0].reshape(*batch, *r.shape[1:]) if size == 0 else r.reshape(*batch, *r.shape[1:]) for r in mapped
        )

    def compile(self, function: Callable[..., Arrays], bound: Arrays) -> Callable[..., Sequence[Any]]:
        fixed = tuple(map(_tensor, bound))

        def call(*inputs: Any) -> Sequence[Any]:
            with torch.no_grad():
                return function(*fixed, *map(_tensor, inputs))

        return call

    packs = False  # a tensor becomes an array in a fraction of a microsecond

    def concatenate(self, arrays: Arrays) -> Any:
        return torch.cat([a.reshape(-1) for a in arrays])

    def to_numpy(self, value: Any) -> np.ndarray:
        # a copy: the result may be a view of an input, or of a module's weights
        return np.array(value.detach().cpu().resolve_conj().resolve_neg().numpy())

    def trace(self, function: Callable[..., Arrays], structs: Sequence[Struct]) -> list[Struct]:
        names = sorted({d for shape, _ in structs for d in shape if isinstance(d, str)})
        result = trace_fake(function, structs, dict(zip(names, (7, 11, 13, 17, 19, 23, 29, 31))))
        if names:  # torch fixes a size where Python code looks at it: other sizes tell
            other: dict[Any, int] = dict(zip(names, (37, 41, 43, 47, 53, 59, 61, 67)))
            again = trace_fake(
                function, [(tuple(d if isinstance(d, int) else other[d] for d in s), t) for s, t in structs], {}
            )
            for (shape, _), (found, _) in zip(result, again):
                predicted = tuple(
                    d if isinstance(d, int) else evaluate_dim(d, other, {"max": max, "min": min}) for d in shape
                )
                if predicted != tuple(found):
                    raise ValueError(
                        f"the output's size depends on more than the input's sizes: {shape} became {found}"
                    )
        return result

    def check_reverse(self, function: Callable[..., Arrays], structs: Sequence[Any]) -> None:
        pass  # every torch function that runs has a tape

    def precision(self, wide: bool) -> AbstractContextManager[Any]:
        return _NOTHING


def _tensor(value: Any) -> torch.Tensor:
    """A tensor on the memory of a NumPy array, where torch can use it: writeable, with positive strides."""
    if isinstance(value, torch.Tensor):
        return value
    value = np.asarray(value)
    if not value.flags.writeable or any(s < 0 for s in value.strides):
        value = value.copy()
    return torch.from_numpy(value)


ENGINE = TorchEngine()
