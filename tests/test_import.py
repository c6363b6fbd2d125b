"""What `import operax` brings along."""

import os
import subprocess
import sys

import pytest

HEAVY = (
    "torch",
    "pytensor",
    "pymc",
    "cupy",
    "numba",
    "matplotlib",
    "pandas",
    "pywt",
    "rich",
    "lineax",
    "pylops",
    "sympy",
)


def modules_after(statement):
    code = f"import sys; {statement}; print(' '.join(sorted(m.split('.')[0] for m in sys.modules)))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import operax",
        "import operax; operax.FirstDerivative(5) @ __import__('numpy').ones(5)",
        "import operax.optimization, operax.signalprocessing, operax.utils",
    ],
)
def test_heavy_packages_stay_out(statement):
    found = modules_after(statement).intersection(HEAVY)
    assert not found, f"{statement} imports {sorted(found)}"


def test_no_backend_is_started():
    """Importing must not claim a device: a process may still choose its platform afterwards."""
    environment = {**os.environ, "JAX_PLATFORMS": "no-such-platform"}
    done = subprocess.run([sys.executable, "-c", "import operax"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
