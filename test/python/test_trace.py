"""Timelines that kernels measure themselves, on a CUDA driver that executes them on the CPU."""

import os
import pathlib
import subprocess
import sys

import gluonc
import pytest

HERE = pathlib.Path(__file__).parent
DRIVER = pathlib.Path(gluonc.__file__).parents[2] / "lib/gluonc_cuda_cpu"


@pytest.mark.skipif(not DRIVER.exists(), reason="no build with libgluonc_cuda_cpu")
def test_launches_on_a_gpu_are_measured(tmp_path):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(DRIVER), "GLUONC_PTXAS": "none"}
    environment.pop("GLUONC_SIMULATE", None)
    done = subprocess.run([sys.executable, HERE / "traced_script.py", tmp_path], env=environment,
                          capture_output=True, text=True, timeout=120)
    assert done.stdout == "traced\n", done.stderr
