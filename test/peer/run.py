#!/usr/bin/env python3
"""Runs the Gluon files of a Triton checkout through the package and writes down what works.

    run.py CHECKOUT [--package FOLDER] [--targets T,T…] [--sample N] [--files PATTERN…]
           [--json FILE] [--markdown FILE] [--groups FOLDER]

Every tutorial, example and test file below CHECKOUT/python runs unchanged under pytest with
`-p gluonc.pytest`, once for each target: a simulated chip, or `gpu` for the one that is there. Each
run is a process of its own with limits on memory and time. A case that hangs or kills its process
is counted as failed, and a new process goes on behind it. Nothing of Triton is needed but the
checkout; nothing of the checkout is part of this repository.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

import table

FOLDERS = ("tutorials/gluon", "examples/gluon", "test/gluon")
# Scripts without tests, and what is no test.
NO_TESTS = {"conftest.py", "02-conv-common.py"}


def find_files(checkout, patterns):
    """Files in a fixed order; `patterns` are parts of their names."""
    root = pathlib.Path(checkout) / "python"
    files = [path for folder in FOLDERS for path in sorted((root / folder).glob("*.py"))
             if path.name not in NO_TESTS]
    return [path for path in files
            if not patterns or any(pattern in path.name for pattern in patterns)]


class Run:
    """One file on one target."""

    def __init__(self, path, target, options):
        self.path, self.target, self.options = path, target, options
        # Test id -> {"outcome", "reason", "seconds"}.
        self.cases, self.collected, self.ids, self.note = {}, 0, None, ""
        self.seconds = 0.0

    def name(self):
        return "/".join(self.path.parts[-3:])

    def execute(self):
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            self._folder = pathlib.Path(folder)
            # Each round ends with the file, or with one case that took its process along.
            while self._round(start):
                pass
        self.seconds = time.monotonic() - start
        for case in self.ids or ():
            self.cases.setdefault(case, {"outcome": "failed", "reason": "not run: the time for "
                                         "this file was over"})
        return self

    def _round(self, start):
        """Runs what is left. Returns whether there is more to do."""
        report, skip = self._folder / "report", self._folder / "skip"
        report.write_text("")
        skip.write_text("\n".join(self.cases))
        with open(self._folder / "log", "w") as log:
            process = subprocess.Popen(self._command(report, skip), stdout=log, stderr=log,
                                       cwd=self._folder, env=self._environment(),
                                       start_new_session=True, preexec_fn=self._limit)
            hung = self._watch(process, report, start)
        running = self._read(report)
        if self.ids is None:
            # Nothing was collected.
            self.note = self.note or self._last_line() or "collection did not end"
            return False
        if running is not None:
            reason = "hangs" if hung else f"ends the process ({process.returncode})"
            self.cases[running] = {"outcome": "failed", "reason": reason}
        elif process.returncode not in (0, 1):
            return False
        left = any(case not in self.cases for case in self.ids)
        return left and running is not None and time.monotonic() - start < self.options.file_limit

    def _command(self, report, skip):
        options = self.options
        return [options.python, "-m", "pytest", "-q", "--no-header", "--tb=no", "-W", "ignore",
                "-p", "no:cacheprovider", "-p", "gluonc.pytest", "--import-mode=importlib",
                # Settings of the checkout would have pytest rewrite every module of PyTorch.
                "-c", os.devnull, f"--rootdir={self.path.parent}", f"--gluonc-report={report}",
                f"--gluonc-skip-list={skip}", f"--gluonc-sample={options.sample}", str(self.path)]

    def _environment(self):
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1",
                           GLUONC_CACHE_DIR="", TMPDIR=str(self._folder))
        environment.pop("GLUONC_SIMULATE", None)
        if self.target != "gpu":
            environment["GLUONC_SIMULATE"] = self.target
        # Files import their neighbours by name, and one a package beside Triton's.
        paths = [str(self.path.parent), str(pathlib.Path(self.options.checkout).absolute()
                                            / "python/triton_kernels")]
        if self.options.package:
            paths.insert(0, os.path.abspath(self.options.package))
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        return environment

    def _limit(self):
        # A GPU's driver reserves far more addresses than it uses.
        if self.target != "gpu":
            limit = self.options.memory << 30
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(5)

    def _watch(self, process, report, start):
        """Waits for the process; ends it when nothing was reported for too long."""
        last_size, last_change = 0, time.monotonic()
        while True:
            try:
                process.wait(0.5)
                return False
            except subprocess.TimeoutExpired:
                pass
            now, size = time.monotonic(), report.stat().st_size
            if size != last_size:
                last_size, last_change = size, now
            # Imports and collection take longer than a case.
            patience = self.options.case_limit * (1 if size else 4)
            if now - last_change > patience or now - start > self.options.file_limit:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return now - last_change > patience

    def _read(self, report):
        """Takes over what the process reported. Returns the case that it was in, or None."""
        running = None
        for line in report.read_text().splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                break
            event = entry.pop("event")
            if event == "collected":
                self.collected = entry["count"]
            elif event == "sampled":
                self.ids = entry["ids"]
            elif event == "collection":
                self.note = entry["reason"]
                self.cases["<import>"] = {"outcome": entry["outcome"], "reason": entry["reason"]}
            elif event == "start":
                running = entry["id"]
            else:
                case = entry.pop("id")
                if entry["outcome"] != "passed" or case not in self.cases:
                    self.cases[case] = entry
                running = None
        return running

    def _last_line(self):
        lines = (self._folder / "log").read_text(errors="replace").strip().splitlines()
        return lines[-1][:160] if lines else ""


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout")
    parser.add_argument("--package", help="folder that holds gluonc; default: the installed one")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--targets", default="cuda:80,cuda:90a,cuda:100a")
    parser.add_argument("--sample", type=int, default=0, help="cases of a test function; 0: all")
    parser.add_argument("--files", nargs="*", default=[], metavar="PATTERN")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--case-limit", type=float, default=60, help="seconds")
    parser.add_argument("--file-limit", type=float, default=1800, help="seconds")
    parser.add_argument("--memory", type=int, default=16, help="GiB of a simulated run")
    parser.add_argument("--label", default="", help="name of the checkout in tables")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--groups", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = parse_arguments()
    runs = [Run(path, target, options) for path in find_files(options.checkout, options.files)
            for target in options.targets.split(",")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run in pool.map(Run.execute, runs):
            print(table.one_line(run), flush=True)
    if options.json:
        options.json.write_text(table.as_json(runs, options))
    if options.markdown:
        table.write_markdown(options.markdown, runs, options)
    if options.groups:
        table.write_groups(options.groups, runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
