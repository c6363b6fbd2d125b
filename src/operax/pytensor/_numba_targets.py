"""Where code that Numba compiled finds the functions it calls: attributes of this module, set when they are needed."""
