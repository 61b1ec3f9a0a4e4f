#!/usr/bin/env python3
"""Does what pages of docs say: saves its files, runs its commands, finds what they print.

    run.py --gluonc GLUONC [--python-path BUILD/python] [PAGE.md…]

A block "python NAME" is a file; those of examples/tutorial are there, too. A block "console" holds a command behind "$ ", and below it lines that
its output has, in this order; "…" stands for anything. "fails-with-N" is its exit status. Blocks "console
python" need the Python package: without it they are counted as skipped.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs/tutorial.md", ROOT / "docs/pictures.md", *sorted(ROOT.glob("docs/tutorial/*.md")),
         *sorted(ROOT.glob("docs/howto/*.md"))]
KERNELS = sorted(ROOT.glob("examples/tutorial/*.py"))
# What a page may say without commands of its own.
WITHOUT = {"embed-in-cpp.md": "test/consumer"}
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def has_package(path):
    return path is not None and any(pathlib.Path(path).glob("gluonc/_native*"))


def run(command, folder, options):
    environment = {**os.environ, "GLUONC_CACHE_DIR": "",
                   "PATH": os.pathsep.join([str(pathlib.Path(options.gluonc).resolve().parent),
                                            os.environ["PATH"]])}
    if options.python_path:
        environment["PYTHONPATH"] = os.path.abspath(options.python_path)
    command = re.sub(r"^python ", f"{sys.executable} ", command)
    return subprocess.run(command, shell=True, cwd=folder, text=True, capture_output=True,
                          env=environment, timeout=120)


def problem_of(body, flags, folder, options):
    """What is not as the page says; None if all is."""
    command, *expected = body.rstrip("\n").split("\n")
    assert command.startswith("$ "), command
    done = run(command[2:], folder, options)
    output = done.stdout + done.stderr
    wanted = next((int(flag[len("fails-with-"):]) for flag in flags
                   if flag.startswith("fails-with-")), 0)
    if done.returncode != wanted:
        return f"exit status {done.returncode}, not {wanted}:\n{output}"
    pattern = ".*".join(re.escape(line).replace("…", ".*") for line in expected)
    if not re.search(pattern, output, re.S):
        return f"the output is not what follows:\n{output}"
    return None


def check_page(page, options):
    ran = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for kernel in KERNELS:
            shutil.copy(kernel, folder)
        for kind, words, body in _BLOCK.findall(page.read_text()):
            words = words.split()
            if kind == "python" and words:
                pathlib.Path(folder, words[0]).write_text(body)
            if kind != "console":
                continue
            if "python" in words and not has_package(options.python_path):
                skipped += 1
                continue
            ran += 1
            problem = problem_of(body, words, folder, options)
            if problem:
                sys.exit(f"{page.name}: {body.splitlines()[0]}\n{problem}")
    assert ran or page.name in WITHOUT, f"{page} has no commands"
    print(f"{page.name}: {ran} commands as it says, {skipped} skipped")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--python-path")
    parser.add_argument("pages", nargs="*", type=pathlib.Path, default=PAGES)
    options = parser.parse_args()
    for page in options.pages:
        check_page(page, options)


if __name__ == "__main__":
    main()
