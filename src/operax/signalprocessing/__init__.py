"""Public names only."""

from operax.signalprocessing.convolve1d import Convolve1D
from operax.signalprocessing.convolve2d import Convolve2D
from operax.signalprocessing.convolvend import ConvolveND
from operax.signalprocessing.dct import DCT
from operax.signalprocessing.dwt import DWT
from operax.signalprocessing.dwt2d import DWT2D
from operax.signalprocessing.dwtnd import DWTND
from operax.signalprocessing.fft import FFT
from operax.signalprocessing.fft2d import FFT2D
from operax.signalprocessing.fftnd import FFTND
from operax.signalprocessing.shift import Shift

__all__ = ["DCT", "DWT", "DWT2D", "DWTND", "FFT", "FFT2D", "FFTND", "Convolve1D", "Convolve2D", "ConvolveND", "Shift"]
