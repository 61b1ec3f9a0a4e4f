"""A process that runs cases and reports each as a line of JSON: waiting for it, reading it."""

import json
import os
import signal
import subprocess
import time


def wait(process, report, case_limit, end):
    """Waits for the process to end. One that reports nothing for too long or that is not done at
    `end` is ended: "hangs" or "late"."""
    last_size, last_change = 0, time.monotonic()
    while True:
        try:
            process.wait(0.2)
            return None
        except subprocess.TimeoutExpired:
            pass
        now, size = time.monotonic(), report.stat().st_size
        if size != last_size:
            last_size, last_change = size, now
        # Imports and collection take longer than a case.
        hangs = now - last_change > case_limit * (1 if size else 4)
        if hangs or now > end:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "hangs" if hangs else "late"


def entries(report):
    """What was reported, up to a line that the process did not finish."""
    for line in report.read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return


def take_end(cases, entry):
    """Notes how a case ended."""
    case = entry.pop("id")
    # A failing teardown follows a pass; a pass never follows a failure.
    if entry["outcome"] != "passed" or case not in cases:
        cases[case] = entry
