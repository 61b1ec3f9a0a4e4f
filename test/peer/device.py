#!/usr/bin/env python3
"""Triton's own tests on the GPU of this machine, by gluonc and by the installed Triton.

    device.py CHECKOUT --package FOLDER --out FILE.json [--sides gluonc,triton] [--jobs 16]
              [--seconds 120] [--files PATTERN…] [--markdown FILE]

Runs all cases of the files below CHECKOUT/python that match a pattern, in as many processes as the
machine has cores, one side after the other. Caches of compiled kernels are off. A side that is not
done after --seconds ends there; its cases are shuffled, alike on both sides, so that what ran is a
fair sample. Names that an older Triton lacks are filled in (missing_names.py), so that it can
collect the files and fails no case but those that use them.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import watch

HERE = pathlib.Path(__file__).resolve().parent
FILES = ("test/gluon/test_core.py", "test/gluon/test_lowerings.py")
OUTCOMES = ("passed", "failed", "unsupported", "skipped")


class Part:
    """A share of the cases on one side, in one process at a time."""

    def __init__(self, side, index, files, options, end):
        self.side, self.index, self.files, self.options, self.end = side, index, files, options, end
        self.cases, self.ids, self.collected = {}, None, 0
        self.log = ""

    def execute(self):
        with tempfile.TemporaryDirectory() as folder:
            self._folder = pathlib.Path(folder)
            # Each round ends with the share, the time, or a case that took its process along.
            while self._round():
                pass
        return self

    def _round(self):
        report, skip = self._folder / "report", self._folder / "skip"
        report.write_text("")
        skip.write_text("\n".join(self.cases))
        before = len(self.cases)
        with open(self._folder / "log", "w") as log:
            process = subprocess.Popen(self._command(report, skip), stdout=log, stderr=log,
                                       cwd=self._folder, env=self._environment(),
                                       start_new_session=True)
            # A case may end a little after the time.
            hung = watch.wait(process, report, self.options.case_limit, self.end + 10) == "hangs"
        running = self._read(report)
        self.log = (self._folder / "log").read_text(errors="replace")[-4000:]
        if running is not None:
            late = time.monotonic() > self.end
            if late and not hung:
                return False
            self.cases[running] = {"outcome": "failed", "reason": "hangs" if hung else
                                   f"ends the process ({process.returncode})", "text": self.log}
        progressed = len(self.cases) > before
        left = self.ids is not None and any(case not in self.cases for case in self.ids)
        return left and progressed and time.monotonic() < self.end

    def _command(self, report, skip):
        plugin = ["gluonc.pytest"] if self.side == "gluonc" else ["missing_names"]
        left = max(1.0, self.end - time.monotonic())
        return [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "-W", "ignore",
                "-p", "no:cacheprovider", "-p", *plugin, "-p", "part", "--import-mode=importlib",
                "-c", os.devnull, f"--rootdir={self.files[0].parents[1]}",
                f"--part={self.index}/{self.options.jobs}", f"--part-report={report}",
                f"--part-skip={skip}", f"--part-seconds={left}",
                # Triton ends its process at some cases, hundreds of times.
                *(["--part-fork"] if self.side == "triton" else []), *map(str, self.files)]

    def _environment(self):
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1",
                           GLUONC_CACHE_DIR="", TRITON_CACHE_DIR=str(self._folder / "cache"),
                           TRITON_ALWAYS_COMPILE="1", TMPDIR=str(self._folder))
        if self.side == "triton":
            environment["PEER_PRETEND"] = self.options.capability
        paths = [str(HERE), *sorted({str(path.parent) for path in self.files})]
        if self.side == "gluonc" and self.options.package:
            paths.insert(0, os.path.abspath(self.options.package))
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        return environment

    def _read(self, report):
        """Takes over what was reported. Returns the case that the process was in, or None."""
        running = None
        for entry in watch.entries(report):
            event = entry.pop("event")
            if event == "collected":
                self.collected, self.ids = entry["count"], entry["ids"]
            elif event == "start":
                running = entry["id"]
            else:
                watch.take_end(self.cases, entry)
                running = None
        return running


def run_side(side, files, options):
    """{"collected", "seconds", "cases"} of one side."""
    start = time.monotonic()
    end = start + options.seconds
    # Tutorials touch the GPU when they are imported, tests do not: see part.py about forks.
    folders = sorted({path.parent for path in files}, reverse=True)
    cases, collected = {}, 0
    for folder in folders:
        chosen = [path for path in files if path.parent == folder]
        parts = [Part(side, index, chosen, options, end) for index in range(options.jobs)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            parts = list(pool.map(Part.execute, parts))
        for part in parts:
            cases.update({f"{folder.parent.name}/{name}": case
                          for name, case in part.cases.items()})
            if part.ids is None:
                print(f"{side}: a process collected nothing:\n{part.log}", file=sys.stderr)
        collected += max(part.collected for part in parts)
    return {"collected": collected, "cases": cases, "seconds": round(time.monotonic() - start, 1)}


def count(cases):
    found = collections.Counter(case["outcome"] for case in cases.values())
    return {outcome: found[outcome] for outcome in OUTCOMES}


def by_file(cases):
    files = collections.defaultdict(dict)
    for case, result in cases.items():
        files[case.partition("::")[0]][case] = result
    return files


def describe(side, found):
    lines = []
    for name, cases in sorted(by_file(found["cases"]).items()):
        numbers = ", ".join(f"{n} {outcome}" for outcome, n in count(cases).items() if n)
        # What compiling and running took, added over all processes.
        busy = sum(case.get("seconds", 0) for case in cases.values())
        lines.append(f"{side:7} {name}: {numbers} of {len(cases)} run ({busy:.0f} s of work)")
    reasons = collections.Counter((case["outcome"], case.get("reason", ""), name.partition("[")[0])
                                  for name, case in found["cases"].items()
                                  if case["outcome"] in ("failed", "unsupported"))
    lines += [f"        {n:5} {outcome:11} {name.rpartition('::')[2]}: {reason}"
              for (outcome, reason, name), n in reasons.most_common(40)]
    return "\n".join(lines)


def compare(sides):
    """Cases that ran on both sides and ended differently: {(function, ours, theirs): [count, reason]}."""
    differences = {}
    common = set(sides["gluonc"]["cases"]) & set(sides["triton"]["cases"])
    for case in sorted(common):
        ours, theirs = (sides[side]["cases"][case] for side in ("gluonc", "triton"))
        if (ours["outcome"] == "passed") != (theirs["outcome"] == "passed"):
            key = (case.partition("[")[0], ours["outcome"], theirs["outcome"])
            worse = theirs if ours["outcome"] == "passed" else ours
            entry = differences.setdefault(key, [0, worse.get("reason", "")])
            entry[0] += 1
    return len(common), differences


def markdown(label, sides):
    """A row per file, then the differences."""
    lines = ["| file | side | collected | ran | passed | failed | unsupported | skipped |",
             "|---|---|--:|--:|--:|--:|--:|--:|"]
    for side, found in sides.items():
        for name, cases in sorted(by_file(found["cases"]).items()):
            lines.append(f"| {label}: {name} | {side} | {found['collected']} | {len(cases)} | "
                         + " | ".join(str(n) for n in count(cases).values()) + " |")
    if len(sides) == 2:
        common, differences = compare(sides)
        lines += ["", f"{common} cases ran on both sides. Those that passed on one only:", "",
                  "| test | gluonc | Triton | cases | reason |", "|---|---|---|--:|---|"]
        lines += [f"| {name} | {ours} | {theirs} | {n} | {reason.replace('|', '/')[:100]} |"
                  for (name, ours, theirs), (n, reason) in sorted(differences.items())]
    return "\n".join(lines) + "\n"


def capability():
    """"90" for an H100."""
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        return subprocess.check_output(query, text=True).split()[0].replace(".", "")
    except (OSError, subprocess.CalledProcessError):
        return "90"


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--package", help="folder that holds gluonc; default: the installed one")
    parser.add_argument("--sides", default="gluonc,triton")
    parser.add_argument("--files", nargs="*", default=FILES, metavar="PATTERN")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=120, help="of a side")
    parser.add_argument("--case-limit", type=float, default=20, help="seconds")
    parser.add_argument("--label", default="Triton", help="name of the checkout in tables")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--markdown", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = parse_arguments()
    options.capability = capability()
    root = options.checkout.absolute() / "python"
    files = [path for pattern in options.files for path in sorted(root.glob(pattern))]
    sides = {}
    for side in options.sides.split(","):
        sides[side] = run_side(side, files, options)
        print(describe(side, sides[side]), flush=True)
        options.out.write_text(json.dumps({"checkout": options.label, "sides": sides}, indent=1) + "\n")
    table = markdown(options.label, sides)
    print(table)
    if options.markdown:
        options.markdown.write_text(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
