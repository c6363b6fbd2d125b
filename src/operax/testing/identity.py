"""The operator as a value: pickling, equality, the pytree round trip."""

from __future__ import annotations

import copy
import pickle

import jax
import numpy as np

from operax._arrays.namespace import is_array
from operax._core.operator import LinearOperator
from operax.testing._samples import close, sample_data, sample_model


def check_pickle(op: LinearOperator) -> None:
    """A pickled and a deep copy are equal to the operator and act like it."""
    x = sample_model(op)
    try:
        dumped = pickle.dumps(op)
    except (AttributeError, pickle.PicklingError):
        import cloudpickle  # functions written in a session (lambdas) need it, whatever the operator

        dumped = cloudpickle.dumps(op)
    for other in (pickle.loads(dumped), copy.deepcopy(op)):
        close(other @ x, op @ x, op, "forward of a copy")


def check_pytree(op: LinearOperator) -> None:
    """Flattening and unflattening gives an equal operator; the static parts are hashable and equal by value."""
    leaves, treedef = jax.tree_util.tree_flatten(op)
    if not all(is_array(leaf) for leaf in leaves):
        raise AssertionError(f"{op._label()} has leaves that are not arrays: {[type(leaf) for leaf in leaves]}")
    other = jax.tree_util.tree_unflatten(treedef, leaves)
    if other != op or hash(other) != hash(op) or other.dims != op.dims or other.dimsd != op.dimsd:
        raise AssertionError(f"the pytree round trip of {op._label()} changed it")
    if other._dtype != op._dtype or other.clinear != op.clinear or other.explicit != op.explicit:
        raise AssertionError(f"the pytree round trip of {op._label()} lost a property")
    hash(treedef)
    x, y = sample_model(op), sample_data(op)
    close(other @ x, op @ x, op, "forward after the pytree round trip")
    close(other.H @ y, op.H @ y, op, "adjoint after the pytree round trip")
    mapped = jax.tree_util.tree_map(lambda leaf: np.array(leaf), op)
    if mapped != op:
        raise AssertionError(f"{op._label()} is not equal to a copy of itself")
