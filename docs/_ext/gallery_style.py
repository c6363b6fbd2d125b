"""Order of the gallery's sections, and the state every example starts from."""

from pathlib import Path
from typing import Any

SECTIONS = (
    "tutorials",
    "operators",
    "solvers",
    "bridges",
    "interop",
    "waveeqprocessing",
    "avo",
    "medical",
    "sharding",
)


def section_order(folder: str) -> int:
    """Sort key of a section's folder: those not listed come last."""
    name = Path(folder).name
    return SECTIONS.index(name) if name in SECTIONS else len(SECTIONS)


def reset(gallery_conf: dict[str, Any], fname: str) -> None:
    """Before and after every example: JAX as it starts, one look of figures."""
    import jax
    import matplotlib as mpl

    jax.config.update("jax_enable_x64", False)
    mpl.rcParams.update(
        {
            "figure.dpi": 110,
            "savefig.dpi": 110,
            "font.size": 9,
            "axes.titlesize": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "image.cmap": "gray",
        }
    )
