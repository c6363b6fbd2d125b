"""Basic operators: public names only."""

from operax.basicoperators.block import Block
from operax.basicoperators.blockdiag import BlockDiag
from operax.basicoperators.diagonal import Diagonal
from operax.basicoperators.firstderivative import FirstDerivative
from operax.basicoperators.flip import Flip
from operax.basicoperators.functionoperator import FunctionOperator
from operax.basicoperators.gradient import Gradient
from operax.basicoperators.hstack import HStack
from operax.basicoperators.identity import Identity
from operax.basicoperators.kronecker import Kronecker
from operax.basicoperators.laplacian import Laplacian
from operax.basicoperators.matrixmult import MatrixMult
from operax.basicoperators.pad import Pad
from operax.basicoperators.restriction import Restriction
from operax.basicoperators.roll import Roll
from operax.basicoperators.secondderivative import SecondDerivative
from operax.basicoperators.sum import Sum
from operax.basicoperators.transpose import Transpose
from operax.basicoperators.vstack import VStack
from operax.basicoperators.zero import Zero

__all__ = [
    "Block",
    "BlockDiag",
    "Diagonal",
    "FirstDerivative",
    "Flip",
    "FunctionOperator",
    "Gradient",
    "HStack",
    "Identity",
    "Kronecker",
    "Laplacian",
    "MatrixMult",
    "Pad",
    "Restriction",
    "Roll",
    "SecondDerivative",
    "Sum",
    "Transpose",
    "VStack",
    "Zero",
]
