"""Basic operators: public names only."""

from operax.basicoperators import _rules  # noqa: F401  registers how operators simplify
from operax.basicoperators.block import Block
from operax.basicoperators.blockdiag import BlockDiag
from operax.basicoperators.causalintegration import CausalIntegration
from operax.basicoperators.conj import Conj
from operax.basicoperators.diagonal import Diagonal
from operax.basicoperators.directionalderivative import FirstDirectionalDerivative, SecondDirectionalDerivative
from operax.basicoperators.firstderivative import FirstDerivative
from operax.basicoperators.flip import Flip
from operax.basicoperators.functionoperator import FunctionOperator
from operax.basicoperators.gradient import Gradient
from operax.basicoperators.hstack import HStack
from operax.basicoperators.identity import Identity
from operax.basicoperators.imag import Imag
from operax.basicoperators.kronecker import Kronecker
from operax.basicoperators.laplacian import Laplacian
from operax.basicoperators.linearregression import LinearRegression
from operax.basicoperators.matrixmult import MatrixMult
from operax.basicoperators.memoizeoperator import MemoizeOperator
from operax.basicoperators.pad import Pad
from operax.basicoperators.real import Real
from operax.basicoperators.regression import Regression
from operax.basicoperators.restriction import Restriction
from operax.basicoperators.roll import Roll
from operax.basicoperators.secondderivative import SecondDerivative
from operax.basicoperators.smoothing1d import Smoothing1D
from operax.basicoperators.smoothing2d import Smoothing2D
from operax.basicoperators.smoothingnd import SmoothingND
from operax.basicoperators.spread import Spread
from operax.basicoperators.sum import Sum
from operax.basicoperators.symmetrize import Symmetrize
from operax.basicoperators.tocupy import ToCupy
from operax.basicoperators.transpose import Transpose
from operax.basicoperators.vstack import VStack
from operax.basicoperators.zero import Zero

__all__ = [
    "Block",
    "BlockDiag",
    "CausalIntegration",
    "Conj",
    "Diagonal",
    "FirstDerivative",
    "FirstDirectionalDerivative",
    "Flip",
    "FunctionOperator",
    "Gradient",
    "HStack",
    "Identity",
    "Imag",
    "Kronecker",
    "Laplacian",
    "LinearRegression",
    "MatrixMult",
    "MemoizeOperator",
    "Pad",
    "Real",
    "Regression",
    "Restriction",
    "Roll",
    "SecondDerivative",
    "SecondDirectionalDerivative",
    "Smoothing1D",
    "Smoothing2D",
    "SmoothingND",
    "Spread",
    "Sum",
    "Symmetrize",
    "ToCupy",
    "Transpose",
    "VStack",
    "Zero",
]
