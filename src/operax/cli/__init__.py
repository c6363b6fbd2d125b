"""Public names only."""

from operax.cli.main import main

__all__ = ["main"]
