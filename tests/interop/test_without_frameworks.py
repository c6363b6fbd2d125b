"""What is said where an optional framework is missing, and when each is imported."""

import subprocess
import sys

import pytest

BLOCK = """
import sys


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Missing())
import operax
"""

CASES = {
    "lineax": "operax.Identity(3).to_lineax()",
    "pylops": "operax.Identity(3).to_pylops()",
    "torch": "operax.TorchOperator",
    "pytensor": "operax.PyTensorOperator",
}


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("missing", CASES)
def test_the_error_says_how_to_install_it(missing):
    done = run(BLOCK.format(missing=missing) + CASES[missing])
    assert "ImportError" in done.stderr.splitlines()[-1]
    assert f"needs {missing}, which is not installed: pip install" in done.stderr


def test_everything_else_works_without_them():
    blocks = "".join(BLOCK.format(missing=name) for name in CASES)
    done = run(
        blocks
        + "import numpy as np\n"
        + "op = operax.aslinearoperator(np.eye(3))\n"
        + "print(op.to_scipy() @ np.ones(3), operax.JaxOperator(op) @ np.ones(3))"
    )
    assert done.returncode == 0, done.stderr


def test_unknown_names_are_attribute_errors():
    import operax.pytensoroperator
    import operax.torchoperator

    for module in (operax, operax.torchoperator, operax.pytensoroperator):
        with pytest.raises(AttributeError, match="Nothing"):
            _ = module.Nothing
