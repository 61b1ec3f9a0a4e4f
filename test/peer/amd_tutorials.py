#!/usr/bin/env python3
"""Triton's tutorials 01 to 03 and products in Gluon, compiled by Triton 3.6 for AMD's chips and executed.

    amd_tutorials.py --gluonc build/release/bin/gluonc [--chips gfx942,gfx950,…] [--keep DIR] FOLDER

Run it with the Python that has Triton 3.6; no GPU is needed. FOLDER holds 01-vector-add.py,
02-fused-softmax.py and 03-matrix-multiplication.py of a Triton checkout (not part of this
repository). The kernels are theirs, unchanged; what else the files do when they are imported is left
out. Triton compiles each with the tile sizes that the tutorial tunes over on AMD's chips, and
test/exec/amd_examples.py; gluonc's executor runs that machine code, and the result is held to
formulas. In the ping-pong schedule of Triton waves write where others may still read: products are
compiled without it (TRITON_HIP_USE_BLOCK_PINGPONG=0), too. gfx1250 is left out unless it is asked
for: tutorial 03 takes Triton more than ten minutes there. Exit status 1 if one is wrong.
"""

import argparse
import ast
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import amd_objects

# (rows, columns, depth, is the right operand transposed, activation) of products; the second has
# edges that no tile divides, and rows that begin at any address.
PRODUCTS = ((256, 256, 128, False, ""), (203, 170, 141, False, "leaky_relu"), (192, 320, 96, True, ""))
TILES = ((32, 32, 64, 6), (64, 32, 64, 4), (32, 64, 64, 6), (64, 64, 64, 6), (128, 64, 64, 4), (128, 128, 64, 4),
         (256, 128, 64, 4), (256, 256, 64, 6))


def sums():
    for n, block in ((98432, 1024), (1000, 1024), (777, 256)):
        yield (f"add_kernel x_ptr='rand({n}, f32, 1)' y_ptr='rand({n}, f32, 2)' output_ptr='empty({n}, f32)' "
               f"n_elements={n} BLOCK_SIZE={block} --grid {-(-n // block)}", "output_ptr == (x_ptr + y_ptr).to(f32)")


def softmaxes():
    for rows, columns, stages in ((37, 781, 2), (37, 781, 4), (20, 1024, 2), (9, 100, 2)):
        block = 1 << (columns - 1).bit_length()
        yield (f"softmax_kernel output_ptr='empty(({rows}, {columns}), f32)' input_ptr='randn(({rows}, {columns}), f32)' "
               f"input_row_stride={columns} output_row_stride={columns} n_rows={rows} n_cols={columns} "
               f"BLOCK_SIZE={block} num_stages={stages} e='exp(input_ptr)' --grid 6 --num-warps 8",
               f"allclose(output_ptr, e / e.sum(1).reshape(({rows}, 1)), 1e-5, 1e-7)")


def products():
    for m, n, k, transposed, activation in PRODUCTS:
        shape, strides = (f"({n}, {k})", (1, k)) if transposed else (f"({k}, {n})", (n, 1))
        right = "b_ptr.to(f32)" + (".T" if transposed else "")
        for rows, columns, depth, group in TILES:
            grid = -(-m // rows) * -(-n // columns)
            yield (f"matmul_kernel a_ptr='randn(({m}, {k}), f16, 1)' b_ptr='randn({shape}, f16, 2)' "
                   f"c_ptr='empty(({m}, {n}), f16)' M={m} N={n} K={k} stride_am={k} stride_ak=1 stride_bk={strides[0]} "
                   f"stride_bn={strides[1]} stride_cm={n} stride_cn=1 BLOCK_SIZE_M={rows} BLOCK_SIZE_N={columns} "
                   f"BLOCK_SIZE_K={depth} GROUP_SIZE_M={group} ACTIVATION='\"{activation}\"' p='a_ptr.to(f32) @ {right}' "
                   f"--grid {grid} --num-warps 8",
                   "allclose(c_ptr, " + ("where(p >= 0, p, 0.01 * p)" if activation else "p") + ", 2e-3, 2e-3)")


PING_PONG = "TRITON_HIP_USE_BLOCK_PINGPONG"
FILES = {"01-vector-add": sums, "02-fused-softmax": softmaxes, "03-matrix-multiplication": products}


def is_decorated(node, name):
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(decorator, ast.Attribute) and decorator.attr == name for decorator in node.decorator_list)


def kernels_of(text):
    """Its imports of Triton and its kernels, without what tunes them."""
    tree = ast.parse(text)
    lines = text.splitlines()
    parts = []
    for node in tree.body:
        if isinstance(node, ast.Import) and all(name.name.split(".")[0] == "triton" for name in node.names):
            parts.append(ast.get_source_segment(text, node))
        elif is_decorated(node, "jit"):
            parts.append("@triton.jit\n" + "\n".join(lines[node.lineno - 1:node.end_lineno]))
    return "\n\n\n".join(parts) + "\n"


def write_tests(folder, out):
    """Files of kernels under RUN and EXPECT lines, as test/exec has them."""
    written = []
    for name, tests in FILES.items():
        text = kernels_of((folder / f"{name}.py").read_text(encoding="utf-8"))
        head = "".join(f"# RUN: {run}\n# EXPECT: {expected}\n" for run, expected in tests())
        path = out / f"{name.replace('-', '_')}.py"
        path.write_text(head + "\n" + text, encoding="utf-8")
        written.append(path)
    return written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--chips", default=",".join(chip for chip in amd_objects.CHIPS if chip != "gfx1250"))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    fine = True
    with (tempfile.TemporaryDirectory() as temporary,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):
        out = options.keep or pathlib.Path(temporary)
        out.mkdir(exist_ok=True, parents=True)
        files = write_tests(options.folder, out) + [amd_objects.EXEC / "amd_examples.py"]
        for chip in options.chips.split(","):
            fine &= amd_objects.check_chip(options.gluonc, chip, files, out / chip, pool)
            if amd_objects.CHIPS[chip] == 64:
                os.environ[PING_PONG] = "0"
                fine &= amd_objects.check_chip(options.gluonc, chip, files[2:3], out / f"{chip}_plain", pool)
                del os.environ[PING_PONG]
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
