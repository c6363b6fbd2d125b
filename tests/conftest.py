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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All concerns of one configuration run one after the other in one process: they share what JAX has compiled."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        if callspec is not None and "configuration" in callspec.params:
            row, dtype = callspec.params["configuration"]
            item.add_marker(pytest.mark.xdist_group(f"{row.name}-{dtype}"))
    rank: dict[str, int] = {}
    for item in items:
        group = item.get_closest_marker("xdist_group")
        if group is not None:
            rank.setdefault(group.args[0], len(rank))
    items.sort(key=lambda item: rank[group.args[0]] if (group := item.get_closest_marker("xdist_group")) else -1)


@pytest.fixture
def op(configuration):
    """The operator of a catalogue row, built once for all concerns."""
    return _built(*configuration)


@pytest.fixture
def matrix(configuration):
    """Its dense matrix made without operax, or None."""
    row, dtype = configuration
    return None if row.matrix is None else row.matrix(dtype)


@functools.lru_cache(maxsize=1)
def _built(row, dtype):
    jax.clear_caches()  # hundreds of configurations would keep gigabytes of compiled programs
    return row.build(dtype)
