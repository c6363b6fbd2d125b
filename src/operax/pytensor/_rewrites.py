"""Graph rewrites."""

from __future__ import annotations
