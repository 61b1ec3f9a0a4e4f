"""`pytest -p gluonc.pytest`: tests written for Triton's Gluon run on gluonc.

GLUONC_SIMULATE=cuda:90a simulates such a GPU; GLUONC_TRITON=installed leaves an installed Triton in
place but for Gluon, which tests of libraries want and those of Triton do not. `--gluonc-report FILE`
writes one JSON object a line: what was collected, then each test when it starts and when it ended, so
that a process that dies leaves what it did. `--gluonc-sample N` keeps N cases of each test function, evenly spaced;
`--gluonc-seed S` makes them, and the order of all that run, random: what is done when time is over is a fair sample.
`--gluonc-piece I:SIZE` runs one of several pieces of at most SIZE tests. `--gluonc-skip-list FILE`
leaves out the tests whose ids are in a file, one a line.
"""

import contextlib
import gc
import json
import os
import random
import sys

import pytest

from gluonc import _aliases, _simulated
from gluonc._outcomes import classify

_aliases.install(os.environ.get("GLUONC_TRITON", "own"))
_simulated.from_environment()

# With --gluonc-report, how a process ends after a test that left the GPU unusable to it.
DEVICE_LOST = 75


def pytest_addoption(parser):
    group = parser.getgroup("gluonc")
    group.addoption("--gluonc-report", metavar="FILE")
    group.addoption("--gluonc-sample", type=int, default=0, metavar="N")
    group.addoption("--gluonc-seed", metavar="S")
    group.addoption("--gluonc-piece", metavar="I:SIZE")
    group.addoption("--gluonc-skip-list", metavar="FILE")


def pytest_configure(config):
    # A mark of Triton's own runner.
    config.addinivalue_line("markers", "enable_warmup: compiled ahead by Triton's test runner")
    path = config.getoption("--gluonc-report")
    if path:
        config.pluginmanager.register(_Report(path), "gluonc-report")


def _sampled(items, count, seed=None):
    """`count` cases of each function: the first, the last, and some in equal steps between; random
    ones with a seed."""
    groups = {}
    for item in items:
        groups.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = set()
    for group in groups.values():
        size = len(group)
        if seed is not None:
            kept.update(random.Random(seed).sample(group, min(count, size)))
            continue
        steps = max(1, min(count, size) - 1)
        picked = {round(i * (size - 1) / steps) for i in range(min(count, size))}
        kept.update(group[i] for i in picked)
    return kept


def pytest_collection_modifyitems(config, items):
    report = config.pluginmanager.get_plugin("gluonc-report")
    sample, seed, piece, skip_list = (config.getoption(f"--gluonc-{name}")
                                      for name in ("sample", "seed", "piece", "skip-list"))
    if report:
        report.write(event="collected", count=len(items))
    kept = items
    if sample:
        sampled = _sampled(items, sample, seed)
        kept = [item for item in items if item in sampled]
    if seed is not None:
        kept = random.Random(seed).sample(kept, len(kept))
    if report:
        report.write(event="sampled", ids=[item.nodeid for item in kept])
    if piece:
        index, size = map(int, piece.split(":"))
        kept = kept[index::max(1, -(-len(kept) // size))] if size else kept
    if skip_list:
        with open(skip_list) as lines:
            skipped = set(lines.read().splitlines())
        kept = [item for item in kept if item.nodeid not in skipped]
    if kept != items:
        chosen = set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = kept


def pytest_collection_finish(session):
    # The collector of garbage need not look through thousands of tests again and again.
    gc.freeze()


def _device_is_lost():
    """An illegal access leaves nothing of a CUDA context: every later call fails."""
    torch = sys.modules.get("torch")
    if _simulated.is_active() or torch is None or not torch.cuda.is_initialized():
        return False
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


class _Report:
    """Writes outcomes while tests run."""

    def __init__(self, path):
        self._out = open(path, "a")

    def write(self, **entry):
        self._out.write(json.dumps(entry) + "\n")
        self._out.flush()

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        report = yield
        call = getattr(report, "call", None)
        if call is not None and call.excinfo is not None:
            skipped = report.outcome == "skipped"
            outcome, reason = classify(call.excinfo.value)
            self.write(event="collection", id=report.nodeid,
                       outcome="skipped" if skipped else outcome, reason=reason)
        return report

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(event="start", id=nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.skipped and call.when in ("setup", "call"):
            # Among them expected failures: Triton does not pass these either.
            self.write(event="end", id=item.nodeid, outcome="skipped", reason="")
        elif report.failed:
            error = call.excinfo.value if call.excinfo is not None else None
            outcome, reason = classify(error) if error is not None else ("failed", "")
            self.write(event="end", id=item.nodeid, outcome=outcome, reason=reason,
                       seconds=round(report.duration, 2))
            if _device_is_lost():
                os._exit(DEVICE_LOST)
        elif call.when == "call":
            self.write(event="end", id=item.nodeid, outcome="passed",
                       seconds=round(report.duration, 2))
        return report


# -- Fixtures that Triton's tests take from a conftest.py of their tree ------------------------

@pytest.fixture
def device():
    return "cuda"


@pytest.fixture
def fresh_knobs():
    from gluonc._triton._internal_testing import _fresh_knobs_impl
    start, stop = _fresh_knobs_impl(skipped_attr={"build", "nvidia", "amd"})
    try:
        yield start()
    finally:
        stop()


@contextlib.contextmanager
def _fresh_cache(folder):
    from gluonc._triton import knobs
    with knobs.cache.scope():
        knobs.cache.dir = str(folder)
        yield str(folder)


@pytest.fixture
def fresh_triton_cache(tmp_path):
    with _fresh_cache(tmp_path / "cache") as folder:
        yield folder


@pytest.fixture
def fresh_triton_cache_scope(tmp_path):
    yield lambda: _fresh_cache(tmp_path / "cache")


@pytest.fixture
def process_pool():
    """Faults of the simulator leave this process intact: see run_in_process."""
    yield None


@pytest.fixture
def with_allocator():
    yield None
