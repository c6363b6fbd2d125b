"""Public names only."""
