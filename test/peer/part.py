"""pytest plugin: a process runs every n-th case of a file and reports each as a line of JSON.

    -p part --part I/N --part-report FILE [--part-skip FILE] [--part-seconds S] [--part-fork]

The order is the same on every machine and for every implementation, and has nothing to do with that
of the file: what ran when the time is over is a fair sample. A process whose GPU no longer answers
ends itself, so that the case that did it is not blamed on those after it.

With --part-fork children run the cases, one after another has died: imports and collection, which
take longer than most cases, happen once. Where these touch the GPU (missing_names.py keeps Triton
from it) the cases run in the process itself.
"""

import hashlib
import json
import os
import re
import sys
import time

import pytest

# Exit status of a process that lost its GPU.
LOST_DEVICE = 99


def pytest_addoption(parser):
    group = parser.getgroup("part")
    group.addoption("--part", default="0/1", metavar="I/N")
    group.addoption("--part-report", metavar="FILE")
    group.addoption("--part-skip", metavar="FILE")
    group.addoption("--part-seconds", type=float, default=0)
    group.addoption("--part-fork", action="store_true")


def pytest_configure(config):
    config.addinivalue_line("markers", "enable_warmup: compiled ahead by Triton's test runner")
    if config.getoption("--part-report"):
        config.pluginmanager.register(_Part(config), "part-report")


def _order(item):
    return hashlib.md5(item.nodeid.encode()).hexdigest()


def _reason(error):
    """What was raised, without what varies between cases."""
    try:
        from gluonc._outcomes import classify
        return classify(error)
    except ImportError:
        lines = [line for line in str(error).strip().splitlines() if line.strip()]
        text = f"{type(error).__name__}: {lines[0] if lines else ''}"
        return "failed", re.sub(r"0x[0-9a-f]+|\b\d+(\.\d+)?(e-?\d+)?\b", "#", text)[:160]


def _device_answers():
    import torch
    try:
        torch.cuda.synchronize()
        return True
    except Exception:  # whatever the driver says, in each version's own class
        return False


def end_pretence():
    pretence = sys.modules.get("missing_names")
    if pretence:
        pretence.end_pretence()


def run_here(session, items):
    """Runs the cases in this process, a child, and ends it."""
    status = 1
    try:
        end_pretence()
        for item, following in zip(items, [*items[1:], None]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldstop:
                break
        status = 0
    finally:
        os._exit(status)


class _Part:
    def __init__(self, config):
        self._path = config.getoption("--part-report")
        self._out = open(self._path, "a")
        self._fork = config.getoption("--part-fork")
        self._index, self._count = map(int, config.getoption("--part").split("/"))
        self._skip = config.getoption("--part-skip")
        seconds = config.getoption("--part-seconds")
        self._end = time.monotonic() + seconds if seconds else None

    def _write(self, **entry):
        self._out.write(json.dumps(entry) + "\n")
        self._out.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        mine = sorted(items, key=_order)[self._index::self._count]
        self._write(event="collected", count=len(items), ids=[item.nodeid for item in mine])
        skipped = set(open(self._skip).read().splitlines()) if self._skip else set()
        items[:] = [item for item in mine if item.nodeid not in skipped]

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        report = yield
        call = getattr(report, "call", None)
        if report.failed and call is not None and call.excinfo is not None:
            self._write(event="end", id=f"{report.nodeid} <import>", outcome="failed",
                        reason=_reason(call.excinfo.value)[1])
        return report

    def _progress(self):
        """The cases that have ended, and the one that has begun but not ended, or None."""
        ended, running = set(), None
        with open(self._path) as lines:
            for entry in map(json.loads, lines):
                if entry["event"] == "start":
                    running = entry["id"]
                elif entry["event"] == "end":
                    ended.add(entry["id"])
                    running = None
        return ended, running

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        import torch
        if not self._fork or session.config.option.collectonly:
            return None
        if torch.cuda.is_initialized():
            end_pretence()
            return None
        left = session.items
        while left:
            child = os.fork()
            if child == 0:
                run_here(session, left)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if status == 0:
                break
            ended, running = self._progress()
            if running is not None:
                self._write(event="end", id=running, outcome="failed", seconds=0,
                            reason=f"ends the process ({status})")
                ended.add(running)
            rest = [item for item in left if item.nodeid not in ended]
            # A child that cannot even begin would be followed by another for ever.
            left = rest if len(rest) < len(left) else []
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if self._end and time.monotonic() > self._end:
            item.session.shouldstop = "the time is over"
            return True
        return None

    def pytest_runtest_logstart(self, nodeid, location):
        self._write(event="start", id=nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.skipped and call.when in ("setup", "call"):
            self._write(event="end", id=item.nodeid, outcome="skipped", reason="", seconds=0)
        elif report.failed:
            outcome, reason = _reason(call.excinfo.value)
            self._write(event="end", id=item.nodeid, outcome=outcome, reason=reason,
                        seconds=round(report.duration, 3), text=str(report.longrepr)[-3000:])
            if not _device_answers():
                os._exit(LOST_DEVICE)
        elif call.when == "call":
            self._write(event="end", id=item.nodeid, outcome="passed",
                        seconds=round(report.duration, 3))
        return report
