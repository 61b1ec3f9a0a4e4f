"""AMD GPUs, on a HIP library that executes kernels on the CPU; no real one has run this."""

import os
import pathlib
import subprocess
import sys

import gluonc
import pytest

HERE = pathlib.Path(__file__).parent
FAKE = pathlib.Path(gluonc.__file__).parents[2] / "fake_hip"


@pytest.mark.skipif(not FAKE.exists(), reason="no build with fake_hip")
def test_kernels_run_on_amd_gpus():
    environment = {**os.environ, "LD_LIBRARY_PATH": str(FAKE)}
    environment.pop("GLUONC_SIMULATE", None)
    done = subprocess.run([sys.executable, HERE / "hip_script.py"], env=environment,
                          capture_output=True, text=True, timeout=120)
    assert done.stdout == "hip: as asked for\n", done.stderr
