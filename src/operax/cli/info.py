"""`operax info`: versions, devices, and which bridges can be used here."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
from typing import Any

SUMMARY = "Versions, devices, and which bridges can be used here and why not."

BRIDGES = (
    # bridge, module it needs, distribution, extra that brings it
    ("PyTensor Ops (operax.pytensor)", "pytensor", "pytensor", "pytensor"),
    ("PyMC models", "pymc", "pymc", "pymc"),
    ("PyTorch (operax.torch)", "torch", "torch", "torch"),
    ("CuPy arrays", "cupy", "cupy", "cupy12"),
    ("PyLops operators", "pylops", "pylops", "bench"),
    ("lineax operators", "lineax", "lineax", "bench"),
    ("figures (operax demo)", "matplotlib", "matplotlib", "plot"),
)
"""What operax can work with, and what each needs."""

REQUIRED = ("operax", "numpy", "scipy", "jax", "jaxlib", "array-api-compat", "PyWavelets", "rich")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""


def run(arguments: argparse.Namespace) -> int:
    """Print the tables."""
    from rich.console import Console
    from rich.table import Table

    from operax.utils.report import version_of

    console = Console(highlight=False)
    versions = Table(title="versions", title_style="bold", title_justify="left", show_header=False)
    versions.add_row("Python", platform.python_version())
    versions.add_row("platform", platform.platform())
    versions.add_row("CPUs", str(os.cpu_count()))
    for name in REQUIRED:
        versions.add_row(name, version_of(name) or "[red]not installed[/]")
    console.print(versions)

    devices = Table(title="JAX", title_style="bold", title_justify="left", show_header=False)
    for name, value in jax_state():
        devices.add_row(name, value)
    console.print(devices)

    bridges = Table(title="bridges", title_style="bold", title_justify="left")
    for column in ("bridge", "usable", "version", "why"):
        bridges.add_column(column, overflow="fold")
    for name, module, distribution, extra in BRIDGES:
        usable, why = usability(module, extra)
        version = version_of(distribution) or version_of(module) or ""
        bridges.add_row(name, "[green]yes[/]" if usable else "[red]no[/]", version, why)
    console.print(bridges)
    return 0


def jax_state() -> list[tuple[str, str]]:
    """Devices and switches of JAX, as names and values."""
    import jax

    state: list[tuple[str, str]] = []
    try:
        devices = jax.devices()
        state.append(("devices", ", ".join(f"{d.platform}:{d.id} ({d.device_kind})" for d in devices)))
        state.append(("default backend", jax.default_backend()))
    except RuntimeError as error:
        state.append(("devices", f"[red]none: {str(error).splitlines()[0]}[/]"))
    config: Any = jax.config
    wide = bool(config.jax_enable_x64)
    state.append(("64-bit mode", "on" if wide else 'off; jax.config.update("jax_enable_x64", True) turns it on'))
    return state


def usability(module: str, extra: str) -> tuple[bool, str]:
    """Whether a framework can be used, and if not, why not and what to do."""
    if importlib.util.find_spec(module) is None:
        return False, f"not installed; pip install 'operax\\[{extra}]'"
    try:
        framework = importlib.import_module(module)
    except Exception as error:  # a broken installation raises whatever it likes
        return False, f"does not import: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if module == "cupy":
        try:
            count = framework.cuda.runtime.getDeviceCount()
        except Exception as error:
            return False, f"no CUDA device: {str(error).splitlines()[0]}"
        return count > 0, f"{count} CUDA devices"
    return True, ""
