"""Floor 1: which array library a value belongs to, and the few kernels that differ between libraries.

Nothing here knows what an operator is.
"""
