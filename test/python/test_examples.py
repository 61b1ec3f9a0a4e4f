"""Every script in examples/ runs as a user would run it and checks its own results."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
# make_model.py is a tool of the engine, which has tests of its own.
SCRIPTS = sorted(p for p in EXAMPLES.rglob("*.py") if "__main__" in p.read_text() and p.name != "make_model.py")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_example_runs_and_finds_its_results_right(script):
    if "import torch" in script.read_text() and not importlib.util.find_spec("torch"):
        pytest.skip("needs PyTorch")
    as_triton = ["-m", "gluonc", "--triton", "own"] if "import triton" in script.read_text() else []
    result = subprocess.run([sys.executable, *as_triton, str(script)], capture_output=True, text=True,
                            timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.strip()
