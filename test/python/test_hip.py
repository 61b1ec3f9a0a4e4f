"""AMD GPUs, on a HIP library that executes kernels on the CPU; no real one has run this."""

import os
import pathlib
import subprocess
import sys

import gluonc
import pytest

HERE = pathlib.Path(__file__).parent
FAKE = pathlib.Path(gluonc.__file__).parents[2] / "fake_hip"


def outcome(script, **extra):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(FAKE), **extra}
    environment.pop("GLUONC_SIMULATE", None)
    done = subprocess.run([sys.executable, HERE / script], env=environment, capture_output=True,
                          text=True, timeout=120)
    return done.stdout or done.stderr


@pytest.mark.skipif(not FAKE.exists(), reason="no build with fake_hip")
def test_kernels_run_on_amd_gpus():
    assert outcome("hip_script.py") == "hip: as asked for\n"


@pytest.mark.skipif(not FAKE.exists(), reason="no build with fake_hip")
def test_descriptors_are_launched_by_value():
    assert outcome("hip_descriptors.py", FAKE_HIP_CHIP="gfx1250") == "hip: as described\n"
