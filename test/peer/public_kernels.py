#!/usr/bin/env python3
"""Kernels of public repositories, unmodified, executed on simulated chips, against what PyTorch computes.

    public_kernels.py FOLDER [--package build/release/python] [--only REGEX] [--jobs 2] [--limit 300]
                      [--json FILE] [--markdown FILE]

FOLDER has a folder for each repository or unpacked wheel, by the names that the cases in public_cases/ name;
nothing is fetched, and what is not there is skipped. Each case calls what its repository calls, with inputs
of ours, and states what has to come out. It runs in a process of its own with limits on time and memory.

- right: every result is within the tolerance that the case states.
- wrong: one is not.
- refused: gluonc reports an error in the kernel, or the simulator a fault.
- failed: the case itself does not work.
- hangs: it took longer than --limit seconds.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
MEMORY = 6 << 30


def launched():
    """The kernels that this process has launched, but for those of the cases: "language file::name"."""
    from gluonc import _jit
    for kernel in _jit._launched:
        file = pathlib.Path(kernel.fn.__code__.co_filename).resolve()
        name = f"{file}::{kernel.__name__}"
        if not file.is_relative_to(HERE):
            yield f"{'Gluon' if kernel.is_gluon() else 'Triton'} {name}"


def run_case(case, folder):
    """(outcome, what happened, the kernels that it launched) of a case, in this process."""
    outcome, why = judge(case, folder)
    return outcome, why, sorted(launched())


def judge(case, folder):
    import torch
    torch.manual_seed(0)
    import gluonc.errors
    from public_cases import sources
    try:
        sources.add(folder, case)
        count = 0
        for label, got, expected, tolerance in case.run():
            count += 1
            if apart := sources.difference(got, expected, tolerance):
                return "wrong", f"{label}: {apart}"
        return ("right", "") if count else ("failed", "it compares nothing")
    except (gluonc.errors.CompilationError, gluonc.errors.NotSupportedYet, gluonc.errors.KernelFault) as error:
        return "refused", "".join(traceback.format_exception_only(error))[-1500:]
    except AssertionError as error:
        return "wrong", str(error)[:1500]
    except Exception:
        return "failed", traceback.format_exc()[-3000:]


def spawn(case, options):
    """The same in a process of its own, on the chip that the case asks for."""
    command = [sys.executable, "-m", "gluonc", "--simulate", case.target, "--triton", "own", __file__, options.folder,
               "--one", case.name]
    environment = dict(os.environ, GLUONC_CACHE_DIR="")
    paths = [options.package, str(HERE), environment.get("PYTHONPATH")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=options.limit,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)))
    except subprocess.TimeoutExpired:
        return "hangs", f"longer than {options.limit:.0f} s", []
    lines = [line for line in done.stdout.splitlines() if line.startswith('["')]
    if not lines:
        return "failed", (done.stderr or done.stdout)[-3000:], []
    return tuple(json.loads(lines[-1]))


def table(results):
    """Rows by language and repository. The last column counts kernels of that language that right cases launched;
    a file that two repositories share counts in both."""
    rows, kernels = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for case, (outcome, _, names) in results:
        rows[case.language, case.repository][outcome] += 1
        if outcome == "right":
            kernels[case.language, case.repository].update(
                name for name in names if name.split()[0] == case.language)
    columns = ("right", "wrong", "refused", "failed", "hangs")
    lines = ["| language | repository | cases | " + " | ".join(columns) + " | kernels |",
             "|---|---|" + "--:|" * (2 + len(columns))]
    for key, counts in sorted(rows.items()):
        numbers = [sum(counts.values()), *(counts[column] for column in columns), len(kernels[key])]
        lines.append(f"| {key[0]} | {key[1]} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--package", help="folder that holds gluonc; default: the installed one")
    parser.add_argument("--only", default="", help="cases whose name this finds")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=300, help="seconds for a case")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    import public_cases
    if options.one:
        print(json.dumps(run_case(public_cases.find(options.one), options.folder)))
        return 0
    folder = pathlib.Path(options.folder)
    cases = [case for case in public_cases.all_cases()
             if re.search(options.only, case.name) and (folder / case.file).exists()]
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, result in zip(cases, pool.map(lambda case: spawn(case, options), cases)):
            results.append((case, result))
            print(f"{result[0]:8} {case.name}" + f": {result[1].strip()}" * bool(result[1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(
            [dict(name=case.name, language=case.language, repository=case.repository, file=case.file,
                  target=case.target, outcome=outcome, why=why, kernels=kernels)
             for case, (outcome, why, kernels) in results], indent=1))
    if options.markdown:
        options.markdown.write_text(table(results) + "\n")
    print(table(results))
    return any(outcome != "right" for _, (outcome, *_) in results)


if __name__ == "__main__":
    sys.exit(main())
