#!/usr/bin/env python3
"""Runs the Gluon files of a Triton checkout through the package and writes down what works.

    run.py CHECKOUT [--suite gluon|language] [--package FOLDER] [--targets T,T…] [--sample N]
           [--seed S] [--keep FOLDER] [--files PATTERN…] [--piece N] [--total-limit S] [--json FILE] [--markdown FILE]
           [--groups FOLDER] [--functions FILE]

Every tutorial, example and test file of CHECKOUT runs unchanged under pytest with
`-p gluonc.pytest`, once for each target: a simulated chip, or `gpu` for the one that is there. Each
run is a process of its own with limits on memory and time; with --piece, several processes share
the cases of a file. A case that hangs or kills its process is counted as failed, and a new process
goes on behind it. Nothing of Triton is needed but the checkout; nothing of the checkout is part of
this repository. `--suite language` takes the tests of the Triton language in place of Gluon's.
"""

import argparse
import os
import pathlib
import queue
import resource
import subprocess
import sys
import tempfile
import threading
import time

import table
import watch

# By suite.
FOLDERS = {"gluon": ("python/test/gluon", "python/tutorials/gluon", "python/examples/gluon"),
           "language": ("python/test/unit/language", "python/test/unit/runtime",
                        "python/test/unit/cuda", "python/test/regression")}
# Files about chips of AMD, which run on those alone.
AMD_FOLDERS = ("third_party/amd/python/test", "third_party/amd/python/examples/gluon")
# Scripts without tests, and what is no test.
NO_TESTS = {"conftest.py", "02-conv-common.py", "cdna5_consan_helper.py",
            "f16_gemm_common_cdna5.py"}
# How a process ends whose GPU gives up: gluonc.pytest.DEVICE_LOST.
DEVICE_LOST = 75
# What is said of the case that a process was in when it was ended.
ENDS = {"hangs": "hangs", "late": "not run to its end: the time for this file was over"}


def find_files(checkout, patterns, target, suite):
    """Files in a fixed order; `patterns` are parts of their names."""
    folders = FOLDERS[suite]
    if suite == "gluon" and target.startswith("hip:"):
        folders += AMD_FOLDERS
    files = [path for folder in folders for path in sorted((checkout / folder).glob("*.py"))
             if path.name not in NO_TESTS and
             (path.name.startswith("test_") if suite == "language" else
              "gluon" in path.name or "gluon" in path.read_text())]
    return [path for path in files
            if not patterns or any(pattern in path.name for pattern in patterns)]


class Run:
    """One file on one target."""

    def __init__(self, path, target, options):
        self.path, self.target, self.options = path, target, options
        # Test id -> {"outcome", "reason", "seconds"}.
        self.cases, self.collected, self.ids, self.note = {}, 0, None, ""
        self.seconds = 0.0

    def result(self):
        name = str(self.path.relative_to(self.options.checkout)).removeprefix("python/")
        return table.Result(name, self.target, self.collected, self.note, self.cases, self.seconds)

    def piece_count(self):
        size = self.options.piece
        return -(-len(self.ids or ()) // size) or 1 if size else 1


class Piece:
    """Cases of a run that one process after the other works on. They are striped, so that
    neighbours, which take equally long, are in different pieces."""

    def __init__(self, run, index):
        self.run, self.path, self.target, self.options = run, run.path, run.target, run.options
        self.index = index

    def execute(self):
        begin = time.monotonic()
        left = self.options.ends - begin
        if left > 0:
            self._limit_s = min(self.options.file_limit, left)
            with tempfile.TemporaryDirectory() as folder:
                self._folder = pathlib.Path(folder)
                # Each round ends with the cases, or with one case that took its process along.
                while self._round(begin):
                    pass
        self.run.seconds += time.monotonic() - begin
        # In random order, those that ran are a fair sample.
        if time.monotonic() < self.options.ends and not self.options.seed:
            for case in self._left():
                self.run.cases[case] = {"outcome": "failed",
                                        "reason": "not run: the time for this file was over"}

    def _round(self, start):
        """Runs what is left. Returns whether there is more to do."""
        run, report, skip = self.run, self._folder / "report", self._folder / "skip"
        report.write_text("")
        skip.write_text("\n".join(list(run.cases)))
        with open(self._folder / "log", "w") as log:
            process = subprocess.Popen(self._command(report, skip), stdout=log, stderr=log,
                                       cwd=self._folder, env=self._environment(),
                                       start_new_session=True, preexec_fn=self._limit)
            ended = watch.wait(process, report, self.options.case_limit, start + self._limit_s)
        running = self._read(report)
        if run.ids is None:
            # Nothing was collected.
            run.note = run.note or self._last_line() or "collection did not end"
            return False
        if running is not None and time.monotonic() < self.options.ends:
            reason = ENDS.get(ended, f"ends the process ({process.returncode})")
            run.cases[running] = {"outcome": "failed", "reason": reason}
        elif process.returncode != DEVICE_LOST:
            return False
        return bool(self._left()) and time.monotonic() - start < self._limit_s

    def _left(self):
        ids = (self.run.ids or ())[self.index::self.run.piece_count()]
        return [case for case in ids if case not in self.run.cases]

    def _command(self, report, skip):
        options = self.options
        return [options.python, "-m", "pytest", "-q", "--no-header", "--tb=no", "-W", "ignore",
                "-p", "no:cacheprovider", "-p", "gluonc.pytest", "--import-mode=importlib",
                # Settings of the checkout would have pytest rewrite every module of PyTorch.
                "-c", os.devnull, f"--rootdir={self.path.parent}", f"--gluonc-report={report}",
                f"--gluonc-skip-list={skip}", f"--gluonc-sample={options.sample}",
                f"--gluonc-piece={self.index}:{options.piece}",
                *([f"--gluonc-seed={options.seed}"] if options.seed else []),
                *(["-p", "keep_kernels"] if options.keep else []), str(self.path)]

    def _environment(self):
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1",
                           GLUONC_CACHE_DIR="", TMPDIR=str(self._folder),
                           TRITON_CACHE_DIR=str(self._folder / "results"))
        # As by default with Triton: examples look for lines of their source in machine code.
        environment.setdefault("TRITON_DISABLE_LINE_INFO", "0")
        environment.pop("GLUONC_SIMULATE", None)
        if self.target != "gpu":
            environment["GLUONC_SIMULATE"] = self.target
            # The one that is there must not answer.
            environment["CUDA_VISIBLE_DEVICES"] = ""
        # Files import their neighbours by name, and one a package beside Triton's.
        paths = [str(self.path.parent), str(self.options.checkout / "python/triton_kernels")]
        if self.options.keep:
            paths.append(os.path.dirname(os.path.abspath(__file__)))
            environment["GLUONC_KEEP"] = os.path.abspath(self.options.keep)
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

    def _read(self, report):
        """Takes over what the process reported. Returns the case that it was in, or None."""
        run, running = self.run, None
        for entry in watch.entries(report):
            event = entry.pop("event")
            if event == "collected":
                run.collected = entry["count"]
            elif event == "sampled":
                run.ids = entry["ids"]
            elif event == "collection":
                run.note = entry["reason"]
                run.cases["<import>"] = {"outcome": entry["outcome"], "reason": entry["reason"]}
            elif event == "start":
                running = entry["id"]
            else:
                if "reason" in entry:
                    # Where the checkout lies on this machine says nothing.
                    entry["reason"] = entry["reason"].replace(f"{self.options.checkout}/", "")
                watch.take_end(run.cases, entry)
                running = None
        return running

    def _last_line(self):
        lines = (self._folder / "log").read_text(errors="replace").strip().splitlines()
        return lines[-1][:160] if lines else ""


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--suite", choices=sorted(FOLDERS), default="gluon")
    parser.add_argument("--package", help="folder that holds gluonc; default: the installed one")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--targets", default="cuda:80,cuda:90a,cuda:100a")
    parser.add_argument("--sample", type=int, default=0, help="cases of a test function; 0: all")
    parser.add_argument("--seed", help="cases in random order; with --sample, random ones")
    parser.add_argument("--keep", metavar="FOLDER", help="for what is compiled: see keep_kernels.py")
    parser.add_argument("--files", nargs="*", default=[], metavar="PATTERN")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--case-limit", type=float, default=60, help="seconds")
    parser.add_argument("--file-limit", type=float, default=1800, help="seconds")
    parser.add_argument("--piece", type=int, default=0,
                        help="cases of a file that one process runs; 0: all")
    parser.add_argument("--total-limit", type=float, default=float("inf"),
                        help="seconds after which cases are left out")
    parser.add_argument("--memory", type=int, default=16, help="GiB of a simulated run")
    parser.add_argument("--label", default="Triton", help="name of the checkout in tables")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--groups", type=pathlib.Path)
    parser.add_argument("--functions", type=pathlib.Path, help="a row for each test function")
    return parser.parse_args()


def execute(runs, jobs):
    """Works on all pieces, the first runs first. How many a run has is known after its first."""
    waiting = queue.PriorityQueue()
    lock, left = threading.Lock(), [1] * len(runs)
    for number in range(len(runs)):
        waiting.put((number, 0))

    def work():
        while True:
            number, index = waiting.get()
            try:
                work_on(number, index)
            finally:
                waiting.task_done()

    def work_on(number, index):
        run = runs[number]
        Piece(run, index).execute()
        if index == 0:
            left[number] += run.piece_count() - 1
            for more in range(1, run.piece_count()):
                waiting.put((number, more))
        with lock:
            left[number] -= 1
            if not left[number]:
                print(table.one_line(run.result()), flush=True)

    for _ in range(jobs):
        threading.Thread(target=work, daemon=True).start()
    waiting.join()


def main():
    options = parse_arguments()
    options.checkout = options.checkout.absolute()
    runs = [Run(path, target, options) for target in options.targets.split(",")
            for path in find_files(options.checkout, options.files, target, options.suite)]
    options.ends = time.monotonic() + options.total_limit
    execute(runs, options.jobs)
    # What was never begun is no result.
    results = [run.result() for run in runs if run.ids is not None or run.note]
    if options.json:
        options.json.write_text(table.as_json(results, options.label, options.sample))
    if options.markdown:
        table.write_markdown(options.markdown, results, options.label, options.sample)
    if options.groups:
        table.write_groups(options.groups, results)
    if options.functions:
        options.functions.write_text(table.functions(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
