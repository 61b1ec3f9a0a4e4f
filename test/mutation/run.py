#!/usr/bin/env python3
"""Gives gluonc mutated input in every way that it takes input, and judges how it ends.

    run.py --bin build/release/bin [--seconds 60] [--count N] [--seed 0] [--jobs N] [--out DIR]
           [--kinds KIND,KIND…] [--api PROGRAM]
           [--python PYTHON --package DIR [--preload ASAN_RUNTIME]]
           [--limit SECONDS] [--megabytes N] [--once KIND:SEED]

    check    kernel files through `gluonc check`          ir      IR through `gluonc compile`
    compile  kernel files through `gluonc compile`        run_ir  IR through `gluonc run --ttgir`
    run      kernel files through `gluonc run` (CPU)      opt     IR through `gluon-opt`
    words    command lines                                npy     .npy files through `gluonc run`
    lift     kernel files through `gluonc lift`
    api      sequences of C calls (api_calls.c)           python  calls of the package

Standard library only, and no compiler: the paths name the programs, so that a build with sanitizers
runs anywhere. It ends after --seconds, or --count cases. A case is its kind and its seed: --once runs
that one again. What breaks a promise (judge.py) is shrunk and kept in DIR/KIND-SEED: the input, the
command, the output. The same problem is kept twice by each job, and counted.

Exit status: 0 nothing found, 1 findings.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import random
import resource
import shlex
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cases
import judge

KINDS = ["check", "compile", "lift", "run", "words", "npy", "ir", "run_ir", "opt", "api", "python"]
# A problem is looked into this often by a worker; then it is counted only.
MOST_KEPT = 2


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--api", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("--package", type=pathlib.Path)
    parser.add_argument("--preload", type=pathlib.Path)
    parser.add_argument("--kinds", default="")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=1 << 40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--megabytes", type=int, default=2048)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("mutation-findings"))
    parser.add_argument("--once")
    options = parser.parse_args()
    for name in ("bin", "api", "python", "package", "preload", "out"):
        if path := getattr(options, name):
            # Links stay: they are what makes a Python that of a virtual environment.
            setattr(options, name, path.absolute())
    there = {"api": options.api, "python": options.python and options.package}
    options.kinds = options.kinds.split(",") if options.kinds else [
        kind for kind in KINDS if there.get(kind, True)]
    for kind in options.kinds:
        if kind not in KINDS or not there.get(kind, True):
            parser.error(f"--kinds: {kind} is unknown, or its program is not given")
    return options


def limits_of(options, kind):
    # A program that runs many cases has the time of one for each three of them.
    many = 12 if kind in ("api", "python") else 1
    return judge.Limits(options.limit * many, options.megabytes)


def keep(options, kind, seed, case, outcome):
    folder = options.out / f"{kind}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    if case.name:
        (folder / case.name).write_bytes(case.data)
    (folder / "command").write_text(shlex.join(case.command) + "\n")
    (folder / "output").write_text(outcome.output[:100000])
    (folder / "problem").write_text(f"{outcome.problem}\n{outcome.seconds:.1f} s, "
                                    f"{outcome.megabytes} MB, status {outcome.status}\n")
    return folder


def one(options, maker, kind, seed, folder):
    """(case, outcome) of one seed."""
    case = maker.make(kind, random.Random(f"{kind}:{seed}"))
    return case, cases.try_case(case, folder, limits_of(options, kind))


def work(options, worker, results):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What prints without end fails to; Python ignores the signal of that, and so do its children.
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 20, 256 << 20))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    maker = cases.Maker(options)
    counts, statuses, problems = collections.Counter(), collections.Counter(), collections.Counter()
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory(prefix="gluonc-mutation-") as folder:
        for number in range(worker, options.count, options.jobs):
            if time.monotonic() > end:
                break
            # Of the number alone, so that --jobs changes nothing.
            kind = random.Random(f"kind {number}").choice(options.kinds)
            seed = options.seed * 1_000_000_000 + number
            case, outcome = one(options, maker, kind, seed, folder)
            counts[kind] += case.count
            statuses[outcome.status] += 1
            if not outcome.problem:
                continue
            problems[f"{kind}: {outcome.problem}"] += 1
            if problems[f"{kind}: {outcome.problem}"] <= MOST_KEPT:
                case = cases.reduce(case, folder, limits_of(options, kind), outcome.problem)
                again = cases.try_case(case, folder, limits_of(options, kind))
                where = keep(options, kind, seed, case, again if again.problem else outcome)
                print(f"{kind}:{seed}: {outcome.problem}\n  {where}", flush=True)
    results.put((counts, statuses, problems))


def work_and_tell(options, worker, results):
    """A worker that fails itself must not keep the others waiting."""
    try:
        work(options, worker, results)
    except BaseException:
        results.put(([], [], ["the harness failed"]))
        raise


def report(options, counts, statuses, problems, seconds):
    for kind in options.kinds:
        print(f"{counts[kind]:9} {kind}")
    print(f"{sum(counts.values()):9} cases in {seconds:.0f} s, seed {options.seed}, {options.jobs} "
          f"jobs; exit statuses {json.dumps(dict(sorted(statuses.items())))}")
    for problem, count in problems.most_common():
        print(f"{count:9} times {problem}")
    print(f"{sum(problems.values()):9} findings, {len(problems)} different ones")


def main():
    options = read_options()
    if options.once:
        kind, seed = options.once.split(":")
        with tempfile.TemporaryDirectory(prefix="gluonc-mutation-") as folder:
            case, outcome = one(options, cases.Maker(options), kind, int(seed), folder)
        where = keep(options, kind, seed, case, outcome)
        print(f"{where}\n{shlex.join(case.command)}\n{outcome.output}\nstatus {outcome.status}, "
              f"{outcome.seconds:.1f} s, {outcome.megabytes} MB: {outcome.problem or 'fine'}")
        return 1 if outcome.problem else 0
    start = time.monotonic()
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=work_and_tell, args=(options, i, results)) for i in range(options.jobs)]
    for worker in workers:
        worker.start()
    totals = [collections.Counter() for _ in range(3)]
    for _ in workers:
        for total, part in zip(totals, results.get()):
            total.update(part)
    for worker in workers:
        worker.join()
    report(options, *totals, time.monotonic() - start)
    return 1 if totals[2] else 0


if __name__ == "__main__":
    sys.exit(main())
