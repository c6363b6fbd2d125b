"""operax: linear operators, solvers and JAX functions in every array framework."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from operax import basicoperators, optimization, signalprocessing, utils
from operax._core.operator import LinearOperator
from operax._core.partition import combine, partition
from operax._version import __version__
from operax.basicoperators import *
from operax.config import (
    disabled_ndarray_multiplication,
    enabled_ndarray_multiplication,
    get_ndarray_multiplication,
    set_ndarray_multiplication,
)
from operax.interop import aslinearoperator
from operax.jaxoperator import JaxOperator
from operax.optimization.basic import cg, cgls, lsqr
from operax.optimization.leastsquares import (
    normal_equations_inversion,
    preconditioned_inversion,
    regularized_inversion,
)
from operax.optimization.sparsity import fista, irls, ista, omp, spgl1, splitbregman
from operax.utils.report import Report
from operax.utils.seismicevents import (
    hyperbolic2d,
    hyperbolic3d,
    linear2d,
    linear3d,
    makeaxis,
    parabolic2d,
    parabolic3d,
)
from operax.utils.tapers import cosinetaper, hanningtaper, taper, taper2d, taper3d, tapernd
from operax.utils.wavelets import gaussian, klauder, ormsby, ricker

if TYPE_CHECKING:
    from operax.pytensor import PyTensorOperator
    from operax.torch import TorchOperator

__all__ = [
    "JaxOperator",
    "LinearOperator",
    "PyTensorOperator",
    "Report",
    "TorchOperator",
    "__version__",
    "aslinearoperator",
    "basicoperators",
    "cg",
    "cgls",
    "combine",
    "cosinetaper",
    "disabled_ndarray_multiplication",
    "enabled_ndarray_multiplication",
    "fista",
    "gaussian",
    "get_ndarray_multiplication",
    "hanningtaper",
    "hyperbolic2d",
    "hyperbolic3d",
    "irls",
    "ista",
    "klauder",
    "linear2d",
    "linear3d",
    "lsqr",
    "makeaxis",
    "normal_equations_inversion",
    "omp",
    "optimization",
    "ormsby",
    "parabolic2d",
    "parabolic3d",
    "partition",
    "preconditioned_inversion",
    "regularized_inversion",
    "ricker",
    "set_ndarray_multiplication",
    "signalprocessing",
    "spgl1",
    "splitbregman",
    "taper",
    "taper2d",
    "taper3d",
    "tapernd",
    "utils",
    *basicoperators.__all__,
]

# Imported when first asked for, because each imports its framework.
_BRIDGES = {"PyTensorOperator": "operax.pytensoroperator", "TorchOperator": "operax.torchoperator"}
_PACKAGES = ("interop", "pytensor", "testing", "torch")


def __getattr__(name: str) -> Any:
    if name in _BRIDGES:
        return getattr(importlib.import_module(_BRIDGES[name]), name)
    if name in _PACKAGES:
        return importlib.import_module(f"operax.{name}")
    raise AttributeError(f"module 'operax' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_PACKAGES})
