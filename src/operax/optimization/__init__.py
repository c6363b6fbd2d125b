"""Public names only."""

from operax.optimization import (
    basesolver,
    basic,
    callback,
    cls_basic,
    cls_leastsquares,
    cls_sparsity,
    eigs,
    estimators,
    krylov,
    leastsquares,
    proximal,
    refinement,
    sparsity,
)

__all__ = [
    "basesolver",
    "basic",
    "callback",
    "cls_basic",
    "cls_leastsquares",
    "cls_sparsity",
    "eigs",
    "estimators",
    "krylov",
    "leastsquares",
    "proximal",
    "refinement",
    "sparsity",
]
