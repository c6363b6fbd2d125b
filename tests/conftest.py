"""What holds for every test: 64-bit JAX on several virtual CPU devices, no display."""

import functools
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("MPLBACKEND", "Agg")

import jax
import pytest

jax.config.update("jax_enable_x64", True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="one dtype a catalogue row")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `configuration` runs for every row and dtype of the catalogue."""
    if "configuration" not in metafunc.fixturenames:
        return
    from catalogue import CATALOGUE

    fast = metafunc.config.getoption("--fast")
    pairs = [(row, dtype) for row in CATALOGUE for dtype in (row.dtypes[:1] if fast else row.dtypes)]
    metafunc.parametrize("configuration", pairs, ids=[f"{row.name}-{dtype}" for row, dtype in pairs])


@pytest.fixture
def op(configuration):
    """The operator of a catalogue row, built once a process so that compiled forms are shared between tests."""
    return _built(*configuration)


@pytest.fixture
def matrix(configuration):
    """Its dense matrix made without operax, or None."""
    row, dtype = configuration
    return None if row.matrix is None else row.matrix(dtype)


@functools.cache
def _built(row, dtype):
    return row.build(dtype)
