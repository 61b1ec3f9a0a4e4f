"""Runs scripts one after the other, each in a process forked from this one, which has imported PyTorch: that takes seconds.

    python -m gluonc --simulate TARGET forks.py

A line of stdin is JSON: the paths `script`, `out` and `err`. Its exit status is a line of stdout.
"""

import json
import os
import runpy
import sys

import torch  # noqa: F401
import triton.testing  # noqa: F401
from triton.experimental.gluon import language  # noqa: F401

for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if not child:
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.argv = [job["script"]]
        runpy.run_path(job["script"], run_name="__main__")
        # Ends as a script does.
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
