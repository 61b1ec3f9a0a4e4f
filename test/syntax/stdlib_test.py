#!/usr/bin/env python3
"""Compares our trees of the standard library with those of CPython's ast module.

usage: stdlib_test.py AST_DUMP [--limit N] [--root DIRECTORY]

Every .py file under the running Python's standard library must give the same
ast.dump and the same places of all nodes (outside f-strings). Left out are files
that CPython itself rejects; for those we must report an error too, unless ACCEPTED
says why not.
"""
import argparse
import ast
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import time
import warnings

# What we accept though CPython rejects it: substring of CPython's message -> reason.
ACCEPTED = {
    "encoding problem: utf8 with BOM":
        "CPython knows only the spelling utf-8 beside a byte-order mark",
    "field 'value' is required for Constant":
        "a bug of CPython 3.12.1 with = in a nested format",
}


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


def parse(data):
    """(tree, None, seconds of ast.parse) or (None, message, 0)."""
    start = time.perf_counter()
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError) as error:
        return None, str(error), 0.0
    seconds = time.perf_counter() - start
    if sys.version_info[:2] == (3, 12):
        tree = DropEmptySpecText().visit(tree)
    return tree, None, seconds


def sha(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def spans(tree, data):
    """The places as byte offsets, in the format of ast-dump --spans."""
    starts = [0] + [m.end() for m in re.finditer(rb"\r\n|\r|\n", data)]
    if data.startswith(b"\xef\xbb\xbf"):
        starts[0] = 3
    out = []

    def walk(node):
        if hasattr(node, "lineno"):
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            out.append(f"{type(node).__name__} {begin} {end};")
        if not isinstance(node, ast.JoinedStr):
            for child in ast.iter_child_nodes(node):
                walk(child)

    walk(tree)
    return "".join(out)


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
    ours, summary = run(args.ast_dump, paths, flags)
    our_spans, _ = run(args.ast_dump, paths, [*flags, "--spans"])

    same, rejected, wrong, accepted, moved = 0, [], [], [], []
    total_bytes, total_seconds, compared_spans = 0, 0.0, 0
    for path, line, span_line in zip(paths, ours, our_spans):
        data = path.read_bytes()
        tree, message, seconds = parse(data)
        if tree is None:
            (rejected if line.startswith("error: ") else accepted).append((path, message))
            continue
        total_bytes += len(data)
        total_seconds += seconds
        if line == sha(dump(tree)):
            same += 1
        else:
            wrong.append((path, line if line.startswith("error: ") else "the trees differ"))
        # CPython's offsets are those of UTF-8 text; ours those of the bytes of the file.
        if is_utf8(data):
            compared_spans += 1
            if span_line != sha(spans(tree, data)):
                moved.append((path, "spans differ"))

    wrong += [row for row in accepted if not any(a in row[1] for a in ACCEPTED)]
    for title, rows in (("WRONG", wrong), ("SPANS DIFFER", moved),
                        ("accepted, but rejected by CPython", accepted),
                        ("rejected by both", rejected)):
        print(f"{title}: {len(rows)}")
        for path, why in rows:
            print(f"  {path.relative_to(args.root)}: {why}")
    words = summary.split()
    rate = int(words[1]) / float(words[3]) / 1e6
    theirs = total_bytes / total_seconds / 1e6
    print(f"Python {sys.version.split()[0]}: trees of {same} of {len(paths) - len(rejected) - len(accepted)} "
          f"files agree, spans of {compared_spans - len(moved)} of {compared_spans}, "
          f"{total_bytes / 1e6:.1f} MB")
    print(f"throughput: ours {rate:.1f} MB/s, ast.parse {theirs:.1f} MB/s, "
          f"{rate / theirs:.1f} times")
    return 1 if wrong or moved or not same else 0


def is_utf8(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def run(program, paths, flags):
    done = subprocess.run([program, *flags], input="\n".join(map(str, paths)) + "\n",
                          capture_output=True, text=True, check=True)
    *lines, summary = done.stdout.splitlines()
    assert len(lines) == len(paths), "ast-dump stopped early"
    return lines, summary


if __name__ == "__main__":
    sys.exit(main())
