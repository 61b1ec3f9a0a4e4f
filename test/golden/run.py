#!/usr/bin/env python3
"""Whole outputs of the command line, compared to the letter.

A .golden file starts with the command, run in the file's own folder, and holds
what it must print (standard output, then standard error), then its exit status:

    $ gluonc layout 'gl.BlockedLayout([1], [32], [4], [0])' --shape 128
    …
    exit status 0

`./dev golden` (GLUONC_UPDATE_GOLDEN=1) rewrites the files that differ; review
the difference as you would code.

    run.py --gluonc BIN [FILE...]
"""

import argparse
import difflib
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def produce(gluonc, command):
    words = shlex.split(command)
    if words[:1] != ["gluonc"]:
        raise SystemExit(f"a golden command starts with gluonc: {command}")
    result = subprocess.run([gluonc, *words[1:]], capture_output=True, text=True, cwd=HERE, timeout=60)
    body = result.stdout + result.stderr
    if body and not body.endswith("\n"):
        body += "\n"
    return f"$ {command}\n{body}exit status {result.returncode}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    update = os.environ.get("GLUONC_UPDATE_GOLDEN") == "1"
    files = options.files or sorted(HERE.glob("*.golden"))
    if not files:
        sys.exit("golden: found no files")
    different = 0
    for path in files:
        expected = path.read_text(encoding="utf-8")
        actual = produce(options.gluonc.resolve(), expected.split("\n", 1)[0].removeprefix("$ "))
        if actual == expected:
            continue
        different += 1
        if update:
            path.write_text(actual, encoding="utf-8")
            print(f"rewrote {path.name}")
        else:
            sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), path.name, "now"))
    print(f"golden: {len(files) - different} equal, {different} {'rewritten' if update else 'different'}")
    if different and not update:
        print("if the new output is right: ./dev golden")
    return 1 if different and not update else 0


if __name__ == "__main__":
    sys.exit(main())
