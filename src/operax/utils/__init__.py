"""Public names only."""

from operax.utils.dottest import dottest
from operax.utils.metrics import mae, mse, psnr, snr
from operax.utils.multiproc import scalability_test
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

__all__ = [
    "Report",
    "cosinetaper",
    "dottest",
    "gaussian",
    "hanningtaper",
    "hyperbolic2d",
    "hyperbolic3d",
    "klauder",
    "linear2d",
    "linear3d",
    "mae",
    "makeaxis",
    "mse",
    "ormsby",
    "parabolic2d",
    "parabolic3d",
    "psnr",
    "ricker",
    "scalability_test",
    "snr",
    "taper",
    "taper2d",
    "taper3d",
    "tapernd",
]
