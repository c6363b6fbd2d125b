"""An operator's leaves in the library of the data, converted once and remembered.

The memory of a composite is only good while none of its parts has been changed, so it is kept together with the memos
of all parts: setting an attribute gives an operator a fresh memo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

from operax._arrays.dtypes import dtype_of
from operax._arrays.namespace import as_jax, as_library, as_numpy, is_array, is_tracer, library_of
from operax._core.pytree import flatten

if TYPE_CHECKING:
    from operax._core.operator import LinearOperator


def parts_of(op: LinearOperator) -> list[LinearOperator]:
    """All operators below `op` in its tree, itself not included."""
    from operax._core.operator import LinearOperator

    found: list[LinearOperator] = []
    for child in flatten(op)[0]:
        if isinstance(child, LinearOperator):
            found.append(child)
            found.extend(parts_of(child))
    return found


def remember(op: LinearOperator, key: str, value: Any) -> Any:
    """Keep `value` under `key` for as long as neither `op` nor a part of it changes."""
    op._memo[key] = (value, [(part, part._memo) for part in parts_of(op)])
    return value


def recall(op: LinearOperator, key: str) -> Any:
    """What `remember` kept, or None."""
    entry = op._memo.get(key)
    if entry is None:
        return None
    value, parts = entry
    for part, memo in parts:
        if part._memo is not memo:
            del op._memo[key]
            return None
    return value


def jax_leaves(op: LinearOperator) -> tuple[list[Any], Any]:
    """Leaves as JAX arrays (or tracers, where the operator is being transformed), and the tree structure."""
    found = recall(op, "jax_leaves")
    if found is not None and found[2] in (None, enabled_x64()):
        return found[:2]
    leaves, treedef = jax.tree_util.tree_flatten(op)
    moved = [leaf if isinstance(leaf, jax.Array) or not is_array(leaf) else as_jax(leaf) for leaf in leaves]
    if any(is_tracer(leaf) for leaf in moved):
        return moved, treedef
    remember(op, "jax_leaves", (moved, treedef, precision_of(leaves)))
    return moved, treedef


def enabled_x64() -> bool:
    """Whether JAX computes in 64 bit at this point of the program."""
    config: Any = jax.config
    return config.jax_enable_x64


def precision_of(leaves: list[Any]) -> bool | None:
    """The 64-bit switch, where the JAX form of host leaves depends on it, else None."""
    for leaf in leaves:
        if is_array(leaf) and not isinstance(leaf, jax.Array) and dtype_of(leaf).name in _WIDE:
            return enabled_x64()
    return None


_WIDE = frozenset({"float64", "complex128", "int64", "uint64"})


def has_tracers(op: LinearOperator) -> bool:
    """Whether some leaf stands for a value inside a JAX transformation."""
    found = recall(op, "has_tracers")
    if found is not None:
        return found
    return remember(op, "has_tracers", any(is_tracer(leaf) for leaf in jax.tree_util.tree_leaves(op)))


def form_for(op: LinearOperator, library: str) -> LinearOperator:
    """`op` with its leaves in `library`: itself where they are there already."""
    found = recall(op, library)
    if found is not None:
        return found
    leaves, treedef = jax.tree_util.tree_flatten(op)
    if all(not is_array(leaf) or library_of(leaf) == library for leaf in leaves):
        return remember(op, library, op)
    moved = [as_library(leaf, library) if is_array(leaf) else leaf for leaf in leaves]
    return remember(op, library, jax.tree_util.tree_unflatten(treedef, moved))


def move(op: LinearOperator, library: str, device: Any = None) -> LinearOperator:
    """A copy of `op` with every leaf moved to `library` (and `device`)."""
    if library not in ("numpy", "jax", "cupy"):
        raise ValueError(f"cannot move to library={library!r}; known are 'numpy', 'jax' and 'cupy'")

    def one(leaf: Any) -> Any:
        if not is_array(leaf):
            return leaf
        return as_numpy(leaf) if library == "numpy" else as_library(leaf, library, device)

    return jax.tree_util.tree_map(one, op)
