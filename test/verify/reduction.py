#!/usr/bin/env python3
"""Explores the kernels of litmus.py with and without reduction: the verdicts are equal, and as their comments say.

    reduction.py [--most N]    gluonc is looked for in PATH
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

FILE = pathlib.Path(__file__).resolve().parent / "litmus.py"


def explore(kernel, arguments, most, *options):
    command = ["gluonc", "verify", f"{FILE}::{kernel}", *arguments, "--triton", "no", "--explore", str(most), "--format",
               "json", *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    report = json.loads(result.stdout)
    schedules = report.get("schedules", {"tried": 0, "left": 0, "all": False})
    failed = "[GL5" in result.stderr
    verdict = "fails" if failed else "agrees" if result.returncode == 0 else "differs"
    return verdict, schedules


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=3000)
    options = parser.parse_args()
    text = FILE.read_text(encoding="utf-8")
    wrong = 0
    for run, expected in re.findall(r"# RUN: (.*)\n# VERDICT: (\w+)", text):
        kernel, *arguments = run.split()
        reduced, few = explore(kernel, arguments, options.most)
        every, many = explore(kernel, arguments, options.most, "--all-orders")
        all_there = "" if many["all"] else " or more"
        print(f"{kernel}: {reduced}, {few['tried'] + few['left']} runs; in all orders {every}, "
              f"{many['tried'] + many['left']}{all_there if every == 'agrees' else ''}")
        wrong += reduced != expected or every != expected
        # What agrees was explored to its end.
        wrong += expected == "agrees" and not few["all"]
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
