#!/usr/bin/env python3
"""What `gluonc check` says of the kernel files in folders of packages, as PyPI or a checkout has them.

    pip download --no-deps -d wheels fla-core liger-kernel
    for w in wheels/*.whl; do unzip -q $w -d packages/$(basename $w .whl); done
    test/peer/public_files.py packages/* --gluonc build/release/bin/gluonc

A file counts if it marks functions by `@triton.jit` or `@gluon.jit`; equal files count once. Each has
the folder around its outermost package, and the folder that was given, as search path.
"""

import argparse
import ast
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess

MARK = re.compile(r"(^|\.)(triton|gluon|tl|gl)\.jit$")


def language(text):
    """"gluon", "triton" or None, by the decorators of the file."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
                if match := MARK.search(name):
                    found.add("gluon" if match[2].startswith("g") else "triton")
    return "gluon" if "gluon" in found else "triton" if found else None


def files(folders):
    seen = set()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.py")):
            if not path.is_file():
                continue
            text = path.read_bytes()
            if b"jit" in text and text not in seen and (kind := language(text)):
                seen.add(text)
                yield path, folder, kind


def holder(path):
    """The folder around the outermost package of a file."""
    folder = path.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def check(gluonc, path, folder, limit):
    """("fine" | "refused" | "crashed" | "hangs", causes)."""
    command = [gluonc, "check", path, "--diagnostics", "json", "-I", holder(path), "-I", folder]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit)
    except subprocess.TimeoutExpired:
        return "hangs", set()
    if done.returncode not in (0, 1):
        return "crashed", set()
    causes = set()
    for line in (done.stdout + done.stderr).splitlines():
        if line.startswith("{"):
            report = json.loads(line)
            if report["severity"] == "error":
                causes.add(report["kind"] + ": " + re.sub(r"`[^`]*`", "`…`", report["message"]))
    return ("refused" if done.returncode else "fine"), causes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--gluonc", default="gluonc")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=20, help="seconds for a file")
    parser.add_argument("--list", action="store_true", help="every file that is not fine")
    options = parser.parse_args()
    outcomes = collections.defaultdict(collections.Counter)
    causes = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [(pool.submit(check, options.gluonc, path, folder, options.limit), path, kind)
                for path, folder, kind in files(options.folders)]
        for job, path, kind in jobs:
            outcome, why = job.result()
            outcomes[kind][outcome] += 1
            causes.update(why)
            if options.list and outcome != "fine":
                print(f"{outcome}: {path}: {'; '.join(sorted(why))}")
    for kind, counts in sorted(outcomes.items()):
        print(f"{kind}: {sum(counts.values())} files, " + ", ".join(f"{n} {what}" for what, n in counts.most_common()))
    for cause, count in causes.most_common():
        print(f"{count:5} {cause}")
    return any(counts["crashed"] or counts["hangs"] for counts in outcomes.values())


if __name__ == "__main__":
    raise SystemExit(main())
