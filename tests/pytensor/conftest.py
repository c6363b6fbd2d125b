"""The bridge is tested as users meet it: JAX's 64-bit switch off, as it is by default.

In JAX mode the switch is on: PyTensor sets it when its JAX mode is loaded, as its own part of the program needs it.
"""

import jax
import pytest


@pytest.fixture(autouse=True)
def switch(request):
    before = jax.config.jax_enable_x64
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    jax.config.update("jax_enable_x64", parameters.get("mode") == "JAX")
    yield
    jax.config.update("jax_enable_x64", before)
