#!/usr/bin/env python3
"""Element types of results, against the facts in types.txt.

    run.py --gluonc build/release/bin/gluonc

types.txt says what Triton 3.6.0 gives (`-` where it refuses): a table of expressions of `a`, its types
across; then one for each expression of `a` and `b`, the types of `b` across. `clamp` is that of `tl`, which Gluon 3.6.0 lacks. Left out is
what Triton's front end takes and its compiler does not (arithmetic on 8-bit floats), and what has one
meaning though Triton refuses it: `fdiv` and `div_rn` with numbers, `umulhi` of narrow integers,
`-3 / a` of an unsigned `a`; also `a < -3` of an unsigned `a`, which Triton makes a large number and
gluonc refuses.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEAD = """from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k({parameters}):
"""


def facts():
    """{types of the operands: {expression: type of the result}}"""
    result = collections.defaultdict(dict)
    blocks = (HERE / "types.txt").read_text(encoding="utf-8").strip().split("\n\n")
    for block in blocks:
        lines = block.splitlines()
        of_two = ":" not in lines[1]
        types = lines[1].split() if of_two else lines[0].split()[1:]
        for line in lines[2 if of_two else 1:]:
            head, results = line.rsplit(" : ", 1)
            for dtype, given in zip(types, results.split(), strict=True):
                operands, expression = (((head.strip(), dtype), lines[0]) if of_two
                                        else ((dtype,), head.strip()))
                if given != ".":
                    result[operands][expression] = given
    return result


def found(gluonc, types, expressions):
    """{expression: type, or `-`}"""
    names = "ab"[:len(types)]
    text = HEAD.format(parameters=", ".join(names)) + "".join(
        f"    r{i} = {e}\n    gl.static_print('type', {i}, r{i}.dtype)\n" for i, e in enumerate(expressions))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "types.py"
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([gluonc, "compile", f"{path}::k", *map("=".join, zip(names, types)), "--target",
                              "cuda:90a", "--emit", "ttgir", "-o", "-"], capture_output=True, text=True,
                             timeout=60)
    if run.returncode not in (0, 1):
        sys.exit(f"exit status {run.returncode}: {run.stderr}")
    given = {int(i): dtype for i, dtype in re.findall(r"type (\d+) (\w+)", run.stderr)}
    return {e: given.get(i, "-") for i, e in enumerate(expressions)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    options = parser.parse_args()
    count = wrong = 0
    for types, expected in facts().items():
        results = found(options.gluonc, types, list(expected))
        for expression, wanted in expected.items():
            count += 1
            if results[expression] != wanted:
                wrong += 1
                print(f"{expression} of {', '.join(types)}: {results[expression]}, not {wanted}")
    print(f"promotion: {count - wrong} of {count} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
