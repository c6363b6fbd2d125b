"""Public names only."""

from operax.signalprocessing.convolve1d import Convolve1D
from operax.signalprocessing.convolve2d import Convolve2D
from operax.signalprocessing.convolvend import ConvolveND
from operax.signalprocessing.fft import FFT
from operax.signalprocessing.fft2d import FFT2D
from operax.signalprocessing.fftnd import FFTND

__all__ = ["FFT", "FFT2D", "FFTND", "Convolve1D", "Convolve2D", "ConvolveND"]
