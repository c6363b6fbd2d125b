"""The weights of an operator apart from its indices: what `jax.grad` and optimisers take."""

from __future__ import annotations

from typing import Any

import jax

from operax._arrays.dtypes import dtype_of
from operax._arrays.namespace import Array, is_array
from operax._core.operator import LinearOperator


def partition(op: LinearOperator) -> tuple[dict[str, Array], LinearOperator]:
    """Take the weights of an operator out of it.

    `jax.grad` differentiates in everything it is given and refuses integers; operators such as `Restriction` hold
    indices beside weights. This parts the two, so that weights go to `jax.grad` or to an optimiser and the rest stays.

    Parameters
    ----------
    op : LinearOperator
        Any operator, also one made of others.

    Returns
    -------
    weights : dict of str to array
        Floating and complex arrays by their place in the operator, such as ``"diag"`` or ``"ops[1].h"``.
    rest : LinearOperator
        The operator without them; it can be applied again after `combine`.

    Raises
    ------
    TypeError
        If `op` is not an operator.

    See Also
    --------
    combine : The inverse.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, operax
    >>> Op = operax.Restriction(4, [0, 2]) @ operax.Diagonal(jnp.arange(1.0, 5.0))
    >>> weights, rest = operax.partition(Op)
    >>> sorted(weights)
    ['ops[1].diag']
    >>> energy = lambda weights, x: jnp.sum((operax.combine(weights, rest) @ x) ** 2)
    >>> jax.grad(energy)(weights, jnp.ones(4))["ops[1].diag"].tolist()
    [2.0, 0.0, 6.0, 0.0]
    """
    if not isinstance(op, LinearOperator):
        raise TypeError(f"partition takes an operator, got {type(op).__name__}; see operax.aslinearoperator")
    keyed, tree = jax.tree_util.tree_flatten_with_path(op)
    weights = {_place(path): leaf for path, leaf in keyed if _is_weight(leaf)}
    return weights, jax.tree_util.tree_unflatten(tree, [None if _is_weight(leaf) else leaf for _, leaf in keyed])


def combine(weights: dict[str, Array], rest: LinearOperator) -> LinearOperator:
    """Put weights into an operator from which `partition` has taken them.

    Parameters
    ----------
    weights : dict of str to array
        Arrays by their place in the operator.
    rest : LinearOperator
        The operator without weights.

    Returns
    -------
    LinearOperator
        The whole operator.

    Raises
    ------
    ValueError
        If weights are missing, or belong to no place of `rest`.

    See Also
    --------
    partition : The inverse, with an example.
    """
    keyed, tree = jax.tree_util.tree_flatten_with_path(rest, is_leaf=lambda leaf: leaf is None)
    empty = [_place(path) for path, leaf in keyed if leaf is None]
    if set(empty) != set(weights):
        missing, foreign = sorted(set(empty) - set(weights)), sorted(set(weights) - set(empty))
        raise ValueError(
            f"weights do not fit the operator: missing {missing}, without a place {foreign}; "
            "pass the dictionary of operax.partition with its keys unchanged"
        )
    return jax.tree_util.tree_unflatten(tree, [weights[_place(path)] if leaf is None else leaf for path, leaf in keyed])


def _place(path: Any) -> str:
    return jax.tree_util.keystr(path).removeprefix(".")


def _is_weight(leaf: Any) -> bool:
    return is_array(leaf) and dtype_of(leaf).kind in "fcV"
