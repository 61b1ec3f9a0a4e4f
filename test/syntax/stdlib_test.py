#!/usr/bin/env python3
"""Compares our trees of the standard library with those of CPython's ast module.

usage: stdlib_test.py AST_DUMP [--limit N] [--root DIRECTORY]

Every .py file under the running Python's standard library must give the same
ast.dump. Left out are files that CPython itself rejects; for those we must
report an error too, unless the rejection is listed in TOLERATED.
"""
import argparse
import ast
import hashlib
import pathlib
import subprocess
import sys
import sysconfig
import time
import warnings

# Substrings of CPython's message for errors that are not errors of the grammar.
TOLERATED = {
    "unknown encoding": "an encoding that is not ours either",
}

# Encodings that we report as unknown (gluonc reads UTF-8 and a few single-byte sets).
UNSUPPORTED = "unknown source encoding"


class DropEmptySpecText(ast.NodeTransformer):
    """3.12.0 to 3.12.x keep an empty Constant at the edges of nested format specs;
    3.11 and 3.13 do not, and neither do we."""

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        spec = node.format_spec
        if spec is not None and len(spec.values) > 1:
            spec.values = [v for v in spec.values
                           if not (isinstance(v, ast.Constant) and v.value == "")]
        return node


def expected(data):
    """(hash of the dump, None) or (None, message); and the seconds of ast.parse."""
    start = time.perf_counter()
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError) as error:
        return None, str(error), 0.0
    seconds = time.perf_counter() - start
    if sys.version_info[:2] == (3, 12):
        tree = DropEmptySpecText().visit(tree)
    return hashlib.sha256(dump(tree).encode("utf-8", "surrogatepass")).hexdigest(), None, seconds


def dump(tree):
    if sys.version_info >= (3, 13):
        return ast.dump(tree, show_empty=True)
    return ast.dump(tree)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ast_dump")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--root", default=sysconfig.get_path("stdlib"))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10000)

    paths = sorted(p for p in pathlib.Path(args.root).rglob("*.py")
                   if "site-packages" not in p.parts)[:args.limit]
    flags = ["--python-3.11"] if sys.version_info < (3, 12) else []
    run = subprocess.run([args.ast_dump, *flags], input="\n".join(map(str, paths)) + "\n",
                         capture_output=True, text=True, check=True)
    *ours, summary = run.stdout.splitlines()
    assert len(ours) == len(paths), "ast-dump stopped early"

    same, rejected, unsupported, wrong, accepted = 0, [], [], [], []
    total_bytes, total_seconds = 0, 0.0
    for path, line in zip(paths, ours):
        data = path.read_bytes()
        digest, message, seconds = expected(data)
        if digest is None:
            rejected.append((path, message))
            tolerated = any(t in message for t in TOLERATED)
            if not line.startswith("error: ") and not tolerated:
                accepted.append((path, message))
            continue
        total_bytes += len(data)
        total_seconds += seconds
        if UNSUPPORTED in line:
            unsupported.append((path, line))
        elif line == digest:
            same += 1
        else:
            wrong.append((path, line if line.startswith("error: ") else "the trees differ"))

    for title, rows in (("WRONG", wrong), ("accepted, but CPython rejects", accepted),
                        ("encoding not supported", unsupported),
                        ("rejected by CPython and by us", rejected)):
        print(f"{title}: {len(rows)}")
        for path, why in rows:
            print(f"  {path.relative_to(args.root)}: {why}")
    words = summary.split()
    rate = int(words[1]) / float(words[3]) / 1e6
    theirs = total_bytes / total_seconds / 1e6
    print(f"Python {sys.version.split()[0]}: {same} of {same + len(wrong) + len(unsupported)} "
          f"files agree, {total_bytes / 1e6:.1f} MB")
    print(f"throughput: ours {rate:.1f} MB/s, ast.parse {theirs:.1f} MB/s, "
          f"{rate / theirs:.1f} times")
    return 1 if wrong or not same else 0


if __name__ == "__main__":
    sys.exit(main())
