"""An attribute that is set on a finished operator is followed or refused, never ignored. Every row of the catalogue."""

import copy

import numpy as np
import pytest

import operax

SHAPES = {"dims", "dimsd", "clinear", "explicit", "forceflat", "name", "dtype", "shape"}


def _results(op):
    rng = np.random.default_rng(0)

    def random(shape):
        x = rng.normal(size=shape)
        return x + 1j * rng.normal(size=shape) if op.dtype.kind == "c" else x

    return np.ravel(op @ random(op.dims)), np.ravel(op.H @ random(op.dimsd))


def test_set_attributes_are_followed_or_refused(op):
    if not type(op).__module__.startswith("operax."):
        pytest.skip("an operator written by a user: its author decides")
    before = _results(op)
    arguments = set(getattr(type(op), "_arguments", ()))
    for name, value in vars(op).items():
        if name.startswith("_") or name in SHAPES:
            continue
        weights = isinstance(value, np.ndarray) and value.dtype.kind in "fc"
        if not weights and name not in arguments:
            continue
        changed = copy.deepcopy(op)
        try:
            setattr(changed, name, 1.7 * value + 0.3 if weights else value)
        except AttributeError as error:
            assert name in str(error) and "make a new one" in str(error)
            continue
        assert weights, f"{name} was set without a word"
        after = _results(changed)
        assert any(not np.array_equal(a, b) for a, b in zip(before, after)), f"{name} was ignored"
        assert operax.utils.dottest(changed, complexflag=3 if op.dtype.kind == "c" and op.clinear else 0, rtol=1e-4)
