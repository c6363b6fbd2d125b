"""Optional dependencies: whether they can be imported, and what to do where they cannot."""

from __future__ import annotations

import importlib
import importlib.util

__all__ = [
    "astra_import",
    "cupy_import",
    "devito_import",
    "dtcwt_import",
    "jax_import",
    "mkl_fft_import",
    "numba_import",
    "pyfftw_import",
    "pytensor_import",
    "pywt_import",
    "skfmm_import",
    "spgl1_import",
    "sympy_import",
    "torch_import",
    "udct_import",
]

_INSTALL = {
    "astra": "astra-toolbox",
    "cupy": "cupy-cuda12x",
    "curvelets": "curvelets",
    "mkl_fft": "mkl-fft",
    "pywt": "PyWavelets",
    "skfmm": "scikit-fmm",
}
"""Names of distributions that differ from the name of the module."""


def _why_not(module: str, purpose: str | None) -> str | None:
    """None where `module` can be imported, else a sentence that says what to install."""
    package = _INSTALL.get(module, module)
    use = f" It is needed for {purpose}." if purpose else ""
    if importlib.util.find_spec(module) is None:
        return f"{module} is not installed.{use} Install it with: pip install {package}"
    try:
        importlib.import_module(module)
    except Exception as error:
        return f"{module} is installed but cannot be imported ({type(error).__name__}: {error}).{use}"
    return None


def astra_import(message: str | None = None) -> str | None:
    """Whether astra can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("astra", message)


def cupy_import(message: str | None = None) -> str | None:
    """Whether cupy can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("cupy", message)


def devito_import(message: str | None = None) -> str | None:
    """Whether devito can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("devito", message)


def dtcwt_import(message: str | None = None) -> str | None:
    """Whether dtcwt can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("dtcwt", message)


def jax_import(message: str | None = None) -> str | None:
    """Whether jax can be imported: None, or a text that says why not; `message` names what needs it.

    Examples
    --------
    >>> from operax.utils.deps import jax_import
    >>> print(jax_import("operators on GPUs"))
    None
    """
    return _why_not("jax", message)


def mkl_fft_import(message: str | None = None) -> str | None:
    """Whether mkl_fft can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("mkl_fft", message)


def numba_import(message: str | None = None) -> str | None:
    """Whether numba can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("numba", message)


def pyfftw_import(message: str | None = None) -> str | None:
    """Whether pyfftw can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("pyfftw", message)


def pytensor_import(message: str | None = None) -> str | None:
    """Whether pytensor can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("pytensor", message)


def pywt_import(message: str | None = None) -> str | None:
    """Whether pywt can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("pywt", message)


def skfmm_import(message: str | None = None) -> str | None:
    """Whether skfmm can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("skfmm", message)


def spgl1_import(message: str | None = None) -> str | None:
    """Whether spgl1 can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("spgl1", message)


def sympy_import(message: str | None = None) -> str | None:
    """Whether sympy can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("sympy", message)


def torch_import(message: str | None = None) -> str | None:
    """Whether torch can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("torch", message)


def udct_import(message: str | None = None) -> str | None:
    """Whether curvelets can be imported: None, or a text that says why not; `message` names what needs it."""
    return _why_not("curvelets", message)
