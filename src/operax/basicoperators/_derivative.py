"""What first and second derivatives share: a stencil along an axis, scaled by the sampling step."""

from __future__ import annotations

from typing import Any

from operax._arrays.namespace import Array, is_array
from operax._arrays.stencil import Stencil, Taps, apply_stencil, stencil_of
from operax._core.operator import LinearOperator
from operax.basicoperators._checks import axis_of, choice, meeting, sizes_of, step_of

KINDS = ("forward", "centered", "backward")

_ONE_SIDED: Taps = ((0, -1.0), (1, 1.0))
_ONE_SIDED_BACK: Taps = ((-1, -1.0), (0, 1.0))
_CENTERED: Taps = ((-1, -0.5), (1, 0.5))
_FIVE: Taps = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))


def first_stencil(n: int, kind: str, edge: bool, order: int) -> Stencil:
    """The first difference on `n` samples of unit distance."""
    if kind == "forward":
        return stencil_of(n, _ONE_SIDED, 0, 1)
    if kind == "backward":
        return stencil_of(n, _ONE_SIDED_BACK, 1, 0)
    ends: dict[int, Taps] = {0: _ONE_SIDED, -1: _ONE_SIDED_BACK}
    if order == 3:
        return stencil_of(n, _CENTERED, 1, 1, ends if edge else None)
    return stencil_of(n, _FIVE, 2, 2, {1: _CENTERED, -2: _CENTERED, **ends} if edge else None)


def second_stencil(n: int, kind: str, edge: bool) -> Stencil:
    """The second difference on `n` samples of unit distance."""
    forward: Taps = ((0, 1.0), (1, -2.0), (2, 1.0))
    backward: Taps = ((-2, 1.0), (-1, -2.0), (0, 1.0))
    if kind == "forward":
        return stencil_of(n, forward, 0, 2)
    if kind == "backward":
        return stencil_of(n, backward, 2, 0)
    return stencil_of(n, ((-1, 1.0), (0, -2.0), (1, 1.0)), 1, 1, {0: forward, -1: backward} if edge else None)


class AxisStencil(LinearOperator):
    """A stencil along one axis, divided by a power of the sampling step.

    The step is folded into the weights where it is a number; an array without axes stays a leaf, so that results can
    be differentiated in it.
    """

    _reads_neighbours = True

    def _set_stencil(self, dims: Any, axis: Any, sampling: Any, power: int, dtype: Any, name: str | None) -> int:
        sizes = sizes_of(dims)
        super().__init__(dtype=dtype, dims=sizes, dimsd=sizes, name=name)
        self.axis = axis_of(axis, len(sizes))
        self.sampling = step_of(sampling)
        self.power = power
        # asked here and not of the value: what stands for it inside a transformation may be of any kind
        self.step_is_parameter = is_array(self.sampling)
        return sizes[self.axis]

    def _scaled_stencil(self, stencil: Stencil) -> None:
        self.stencil = stencil if self.step_is_parameter else stencil.scaled(1.0 / self.sampling**self.power)

    def _forward(self, x: Array) -> Array:
        return self._stepped(apply_stencil(x, self.stencil, self.axis - len(self.dims)))

    def _adjoint(self, y: Array) -> Array:
        return self._stepped(apply_stencil(y, self.stencil.T, self.axis - len(self.dims)))

    def _stepped(self, y: Array) -> Array:
        return y / meeting(self.sampling, y) ** self.power if self.step_is_parameter else y


def check_kind(kind: str, order: int = 3) -> None:
    """Whether `kind` and `order` name a stencil."""
    choice(kind, KINDS, "kind")
    choice(order, (3, 5), "order")
