"""A Triton that this machine may have is not what these tests are about (test_installed.py makes its own)."""

import os

os.environ.setdefault("GLUONC_TRITON", "own")
