"""PyTensor's PyTorch mode."""

from __future__ import annotations
