#!/usr/bin/env python3
"""Every elementwise operation and cast on special values, against NumPy.

    run.py [--device cpu|cuda] [--only TEXT] [--verbose]

Zeros of both signs, subnormals, ties, extremes, infinities and NaNs of every type, in all pairs.
Needs the package gluonc (and PyTorch for a GPU). What differs by design is in docs/accuracy.md.
Exit status: 0 all right, 1 something differs, 77 the package is missing.
"""

import argparse
import importlib.util
import itertools
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

HEAD = '''import gluonc as gluon
from gluonc import language as gl
from gluonc.language.extra import libdevice

LAYOUT = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
LINES = gl.constexpr(gl.BlockedLayout([1, 1], [4, 8], [2, 2], [1, 0]))
'''
BLOCK = 512


def reduction(i, row):
    from rows import LENGTH, LINES
    from values import TYPES
    return f"""

@gluon.jit
def k{i}(pa, out, n):
    line = gl.arange(0, {LINES}, gl.SliceLayout(1, LINES))
    at = line[:, None] * {LENGTH} + gl.arange(0, {LENGTH}, gl.SliceLayout(0, LINES))[None, :]
    a = gl.load(pa + at).to(gl.{row.types[0]}, bitcast=True)
    r = {row.expression}
    gl.static_assert(r.dtype == gl.{row.result})
    gl.store(out + line, r.to(gl.int{TYPES[row.result].bits}, bitcast=True))
"""


def kernel(i, row):
    from values import TYPES
    if row.reduces:
        return reduction(i, row)
    names = "abc"[:len(row.types)]
    lines = [f"\n\n@gluon.jit\ndef k{i}({', '.join(f'p{n}' for n in names)}, out, n):",
             f"    i = gl.program_id(0) * {BLOCK} + gl.arange(0, {BLOCK}, LAYOUT)"]
    lines += [f"    {n} = gl.load(p{n} + i, mask=i < n, other=0).to(gl.{t}, bitcast=True)"
              for n, t in zip(names, row.types)]
    memory = f"int{TYPES[row.result].bits}, bitcast=True" if row.result != "int1" else "int8"
    lines += [f"    r = {row.expression}",
              f"    gl.static_assert(r.dtype == gl.{row.result})",
              f"    gl.store(out + i, r.to(gl.{memory}), mask=i < n)"]
    return "\n".join(lines) + "\n"


def operands(row):
    """Columns of bits and of values, without what is excluded."""
    import rows
    from values import TYPES
    kinds = [TYPES[t] for t in row.types]
    columns = [kind.specials() for kind in kinds]
    combinations = list(itertools.product(*map(range, map(len, columns))))
    if row.reduces:
        chooser = random.Random(1)
        combinations = [chooser.choice(combinations) for _ in range(rows.LINES * rows.LENGTH)]
    if len(combinations) > 4096:
        combinations = random.Random(1).sample(combinations, 4096)
    values = [kind.decode(column) for kind, column in zip(kinds, columns)]
    if row.excludes:
        combinations = [c for c in combinations
                        if not row.excludes(*(v[i] for v, i in zip(values, c)))]
    import numpy as np
    bits = [column[[c[k] for c in combinations]] for k, column in enumerate(columns)]
    picked = [np.array([v[c[k]] for c in combinations]) if kinds[k].is_float
              else [v[c[k]] for c in combinations] for k, v in enumerate(values)]
    return bits, picked


def expected(row, values):
    """What the result decodes to, rounded or wrapped."""
    import numpy as np
    from values import TYPES
    result = row.reference(*values)
    if row.result == "int1":
        return np.array(result, bool)
    kind = TYPES[row.result]
    return kind.round(result) if kind.is_float else [kind.wrap(int(v)) for v in result]


def differences(row, found, wanted, device):
    """Indices where the two are not the same: NaN is NaN, a zero has its sign."""
    import numpy as np
    from values import TYPES
    if row.result == "int1" or not TYPES[row.result].is_float:
        return [i for i, (f, w) in enumerate(zip(found, wanted)) if f != w]
    kind = TYPES[row.result]
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    same |= np.isnan(found) & np.isnan(wanted)
    allowed = row.ulps[0] if device == "cuda" else row.ulps[1]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(wanted)
        unit = np.ldexp(1.0, np.maximum(exponent, 2 - kind.bias) - 1 - kind.mantissa)
        same |= np.isfinite(wanted) & (np.abs(found - wanted) <= allowed * unit)
        if row.flushes and device == "cuda":
            same |= (found == 0) & (np.abs(wanted) < 2.0 ** (1 - kind.bias))
    return list(np.flatnonzero(~same))


def run(function, row, bits, device):
    import numpy as np
    from values import TYPES
    import rows
    count = rows.LINES if row.reduces else len(bits[0])
    memory = np.dtype("i1") if row.result == "int1" else TYPES[row.result].memory
    out = np.zeros(count, memory)
    arrays = [np.ascontiguousarray(column) for column in bits] + [out]
    if device == "cuda":
        import torch
        arrays = [torch.from_numpy(array).cuda() for array in arrays]
    function[(1 if row.reduces else (count + BLOCK - 1) // BLOCK,)](*arrays, count)
    out = arrays[-1] if device == "cpu" else arrays[-1].cpu().numpy()
    return out.astype(bool) if row.result == "int1" else TYPES[row.result].decode(out)


def check(function, row, options):
    """Lines that tell what is wrong."""
    bits, values = operands(row)
    if not len(bits[0]):
        return []
    wanted, found = expected(row, values), run(function, row, bits, options.device)
    wrong = differences(row, found, wanted, options.device)
    shown = wrong if options.verbose else wrong[:4]
    lines = [f"    {', '.join(str(v[i]) for v in values)}: {found[i]}, not {wanted[i]}" for i in shown]
    return [f"{row.name}: {len(wrong)} of {len(found)} differ", *lines] if wrong else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if any(importlib.util.find_spec(name) is None for name in ("gluonc", "numpy")):
        print("skipped: needs gluonc and numpy")
        return 77
    import gluonc
    import rows
    chosen = [row for row in rows.rows() if options.only in row.name]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "special_kernels.py"
        path.write_text(HEAD + "".join(kernel(i, row) for i, row in enumerate(chosen)))
        spec = importlib.util.spec_from_file_location("special_kernels", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for i, row in enumerate(chosen):
            try:
                lines = check(getattr(module, f"k{i}"), row, options)
            except gluonc.errors.GluonError as error:
                lines = [f"{row.name}: {str(error).strip().splitlines()[0]}"]
            failed += bool(lines)
            print(*lines, sep="\n", end="\n" if lines else "")
    print(f"special values on {options.device}: {len(chosen) - failed} of {len(chosen)} operations right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
