#!/usr/bin/env python3
"""Compares the hot loops that gluonc and Triton make of amd_loops/ for AMD's chips.

Of each kernel and tile size: instructions of the loop with the most matrix instructions, for each of
these; vector registers and spilled ones. Run by a Python that has Triton 3.6:

    amd_loops.py --gluonc build/release/bin/gluonc [--chips gfx942,gfx950,gfx1100,gfx1200,gfx1250]
"""

import argparse
import importlib
import math
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "amd_loops"))
from amd_objects import CHIPS  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "amd_loops"
# Kernel: types of its arguments, what is no multiple of 16, and (constants, warps).
KERNELS = {
    "matmul": ({**dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16"),
                **dict.fromkeys(("M", "N", "K", "stride_am", "stride_bk", "stride_cm"), "i32")}, (),
               [({"BM": m, "BN": n, "BK": k, "GM": 8}, warps)
                for m, n, k, warps in ((128, 128, 64, 4), (256, 256, 64, 8), (128, 64, 32, 4))]),
    "attention": ({**dict.fromkeys(("q_ptr", "k_ptr", "v_ptr", "o_ptr"), "*fp16"), "scale": "fp32", "n_ctx": "i32"},
                  ("scale",),
                  [({"BM": 128, "BN": n, "D": d}, warps) for n, d, warps in ((64, 64, 4), (64, 128, 4), (128, 128, 8))]),
}
# Of gfx1250, on which Triton 3.6 has no matrix instructions for the others.
GLUON = {
    "wmma_matmul": ({**dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16"),
                     **dict.fromkeys(("K", "stride_am", "stride_bk", "stride_cm"), "i32")}, (),
                    [({"BM": m, "BN": n, "BK": k}, warps)
                     for m, n, k, warps in ((128, 128, 64, 4), (256, 256, 64, 8), (128, 64, 32, 4))]),
    "wmma_attention": KERNELS["attention"],
}
STAGES = 2


def kernels_for(chip):
    return GLUON if chip == "gfx1250" else KERNELS


def file_of(name):
    return FOLDER / ("wmma.py" if name in GLUON else "kernels.py")


def by_triton(name, types, odd, constants, warps, chip):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.experimental.gluon._runtime import GluonASTSource
    function = getattr(importlib.import_module(file_of(name).stem), name)
    names = function.arg_names
    make = GluonASTSource if name in GLUON else ASTSource
    source = make(function, {arg: types.get(arg, "constexpr") for arg in names},
                  {(names.index(arg),): value for arg, value in constants.items()},
                  {(names.index(arg),): [["tt.divisibility", 16]] for arg in types if arg not in odd})
    made = triton.compile(source, target=GPUTarget("hip", chip, CHIPS[chip]),
                          options={"num_warps": warps, "num_stages": STAGES})
    return made.asm["amdgcn"]


def by_gluonc(program, name, types, odd, constants, warps, chip):
    words = [f"{arg}={kind}" + ":16" * (arg not in odd) for arg, kind in types.items()]
    words += [f"{arg}={value}" for arg, value in constants.items()]
    return subprocess.run([program, "compile", f"{file_of(name)}::{name}", *words, "--num-warps", str(warps), "--num-stages",
                           str(STAGES), "--target", f"hip:{chip}", "--emit", "amdgcn", "-o", "-"],
                          capture_output=True, text=True, check=True).stdout


def facts(assembly):
    """(instructions of the hot loop for each matrix instruction, vector registers, spilled ones)"""
    code = re.split(r"^\.Lfunc_end", assembly.split(".p2align", 1)[-1], flags=re.M)[0]
    lines = [line.split(";")[0].strip() for line in code.splitlines()]
    labels, best = {}, (0, 0)
    for at, line in enumerate(lines):
        if label := re.match(r"(\.LBB\w+):", line):
            labels[label[1]] = at
        branch = re.match(r"s_c?branch\w*\s+(\.LBB\w+)", line)
        if branch and branch[1] in labels:
            body = [each for each in lines[labels[branch[1]]:at + 1] if re.match(r"[a-z]\w+(\s|$)", each)]
            products = sum(each.startswith(("v_mfma", "v_wmma")) for each in body)
            best = max(best, (products, -len(body)))
    number = lambda key: int(re.search(rf"\.{key}:\s+(\d+)", assembly)[1])
    return -best[1] / best[0], number("vgpr_count"), number("vgpr_spill_count")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--chips", default=",".join(CHIPS))
    options = parser.parse_args()
    for chip in options.chips.split(","):
        for name, (types, odd, forms) in kernels_for(chip).items():
            ratios = []
            for constants, warps in forms:
                ours = facts(by_gluonc(options.gluonc, name, types, odd, constants, warps, chip))
                theirs = facts(by_triton(name, types, odd, constants, warps, chip))
                ratios.append(ours[0] / theirs[0])
                print(f"{name} {chip} {list(constants.values())}: {ours[0]:.2f} instructions beside {theirs[0]:.2f}, "
                      f"{ours[1]} registers beside {theirs[1]}, {ours[2]} spilled beside {theirs[2]}")
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{name} {chip}: {mean:.3f} in the geometric mean, {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
