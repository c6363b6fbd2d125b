"""Public names only."""

from operax.signalprocessing.bilinear import Bilinear
from operax.signalprocessing.chirpradon2d import ChirpRadon2D
from operax.signalprocessing.chirpradon3d import ChirpRadon3D
from operax.signalprocessing.convolve1d import Convolve1D
from operax.signalprocessing.convolve2d import Convolve2D
from operax.signalprocessing.convolvend import ConvolveND
from operax.signalprocessing.dct import DCT
from operax.signalprocessing.dtcwt import DTCWT
from operax.signalprocessing.dwt import DWT
from operax.signalprocessing.dwt2d import DWT2D
from operax.signalprocessing.dwtnd import DWTND
from operax.signalprocessing.fft import FFT
from operax.signalprocessing.fft2d import FFT2D
from operax.signalprocessing.fftnd import FFTND
from operax.signalprocessing.fourierradon2d import FourierRadon2D
from operax.signalprocessing.fourierradon3d import FourierRadon3D
from operax.signalprocessing.fredholm1 import Fredholm1
from operax.signalprocessing.interp import Interp
from operax.signalprocessing.interpspline import InterpCubicSpline
from operax.signalprocessing.nonstatconvolve1d import NonStationaryConvolve1D, NonStationaryFilters1D
from operax.signalprocessing.nonstatconvolve2d import NonStationaryConvolve2D, NonStationaryFilters2D
from operax.signalprocessing.nonstatconvolve3d import NonStationaryConvolve3D
from operax.signalprocessing.patch2d import Patch2D, patch2d_design
from operax.signalprocessing.patch3d import Patch3D, patch3d_design
from operax.signalprocessing.pwd2d import PWSmoother2D, PWSprayer2D
from operax.signalprocessing.radon2d import Radon2D
from operax.signalprocessing.radon3d import Radon3D
from operax.signalprocessing.seislet import Seislet
from operax.signalprocessing.shift import Shift
from operax.signalprocessing.sliding1d import Sliding1D, sliding1d_design
from operax.signalprocessing.sliding2d import Sliding2D, sliding2d_design
from operax.signalprocessing.sliding3d import Sliding3D, sliding3d_design
from operax.signalprocessing.udct import UDCT

__all__ = [
    "DCT",
    "DTCWT",
    "DWT",
    "DWT2D",
    "DWTND",
    "FFT",
    "FFT2D",
    "FFTND",
    "UDCT",
    "Bilinear",
    "ChirpRadon2D",
    "ChirpRadon3D",
    "Convolve1D",
    "Convolve2D",
    "ConvolveND",
    "FourierRadon2D",
    "FourierRadon3D",
    "Fredholm1",
    "Interp",
    "InterpCubicSpline",
    "NonStationaryConvolve1D",
    "NonStationaryConvolve2D",
    "NonStationaryConvolve3D",
    "NonStationaryFilters1D",
    "NonStationaryFilters2D",
    "PWSmoother2D",
    "PWSprayer2D",
    "Patch2D",
    "Patch3D",
    "Radon2D",
    "Radon3D",
    "Seislet",
    "Shift",
    "Sliding1D",
    "Sliding2D",
    "Sliding3D",
    "patch2d_design",
    "patch3d_design",
    "sliding1d_design",
    "sliding2d_design",
    "sliding3d_design",
]
