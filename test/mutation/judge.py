"""Runs one command under limits and says whether gluonc kept its word.

Whatever it is given, gluonc ends by itself with a documented status and says why: no signal, no
internal error, no hang, no more memory than the limit, nothing that a sanitizer reports.
"""

import dataclasses
import os
import re
import signal
import subprocess
import time

# What only a bug makes gluonc say; the last ones say that it made code which a later stage refuses.
ALARMS = re.compile(
    r"[^\n]*(?:internal error|Sanitizer|runtime error:|LLVM ERROR|Assertion `|terminate called"
    r"|PLEASE submit a bug report|GL2044 InvalidIr|GL6013 PtxasRejected)[^\n]*")
FRAME = re.compile(r" #\d+ 0x[0-9a-f]+ (?:in )?([\w:~<>, ]{1,80})")
MOST_OUTPUT = 1 << 20


@dataclasses.dataclass
class Limits:
    seconds: float = 10
    megabytes: int = 2048


@dataclasses.dataclass
class Outcome:
    status: int
    seconds: float
    megabytes: int
    output: str
    # What went wrong, in words that are the same for the same bug; None where nothing did.
    problem: str = None


def resident(pid):
    """Megabytes of a process; 0 once it is gone."""
    try:
        with open(f"/proc/{pid}/statm") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError, IndexError):
        return 0


def run(command, folder, limits, statuses=(0, 1, 2, 3, 4), environment=None):
    """The outcome of a command that writes its output into a file of `folder`."""
    path = os.path.join(folder, "output")
    start = time.monotonic()
    stopped = None
    with open(path, "wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, env=environment,
                                   start_new_session=True, restore_signals=False)
        pause = 0.002
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - start > limits.seconds:
                stopped = "hang"
            elif resident(process.pid) > limits.megabytes:
                stopped = "memory"
            if stopped:
                os.killpg(process.pid, signal.SIGKILL)
                pid, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(pause)
            pause = min(pause * 1.3, 0.05)
    process.returncode = os.waitstatus_to_exitcode(status)
    with open(path, "rb") as output:
        text = output.read(MOST_OUTPUT).decode("utf-8", "replace")
    outcome = Outcome(process.returncode, time.monotonic() - start, usage.ru_maxrss >> 10, text)
    if not stopped and outcome.megabytes > limits.megabytes:
        stopped = "memory"
    outcome.problem = stopped or problem_of(outcome, statuses)
    return outcome


def problem_of(outcome, statuses):
    """None for an orderly end."""
    alarm = ALARMS.search(outcome.output)
    if outcome.status < 0:
        what = f"signal {-outcome.status}"
    elif outcome.status not in statuses:
        what = f"status {outcome.status}"
    elif alarm:
        what = "alarm"
    elif outcome.status and not outcome.output.strip():
        return f"status {outcome.status} without a word"
    else:
        return None
    said = re.sub(r"0x[0-9a-f]+|\d+", "N", alarm.group(0))[:160] if alarm else ""
    frames = [frame for frame in FRAME.findall(outcome.output) if "gluonc" in frame or "mlir" in frame]
    return " | ".join([what, said, *frames[:3]]).strip(" |")
