#!/usr/bin/env python3
"""Speed of the simulator beside Triton's interpreter: tile programs of the same shapes.

    interpreter.py [--out FILE.json]        needs the package, PyTorch and Triton

Matrix product and attention, float16, once as a Gluon kernel on the simulator and once as a Triton
kernel under TRITON_INTERPRET=1, which is a process of its own. Both results are checked. One thread
counts for both: the interpreter has no more.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import torch

SIZE, TILE, DEPTH = 512, 64, 32
HEADS, LENGTH, WIDTH = 2, 512, 64


def matrices():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(SIZE, SIZE, generator=generator).half() for _ in range(2)]


def heads():
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(HEADS, LENGTH, WIDTH, generator=generator).half() for _ in range(3)]


def measure(launch, repeats):
    launch()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        launch()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def both(matmul, attention, repeats):
    """Seconds of a product and of an attention, whose results are right."""
    a, b = matrices()
    c = torch.zeros(SIZE, SIZE)
    grid = (SIZE // TILE, SIZE // TILE)
    seconds = {"matmul": measure(lambda: matmul[grid](a, b, c, SIZE, TILE, TILE, DEPTH), repeats)}
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-3, atol=1e-2)
    q, k, v = heads()
    out = torch.zeros(HEADS, LENGTH, WIDTH)
    grid = (LENGTH // TILE, HEADS)
    seconds["attention"] = measure(
        lambda: attention[grid](q, k, v, out, LENGTH, TILE, TILE, WIDTH), repeats)
    want = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float())
    torch.testing.assert_close(out, want, rtol=1e-2, atol=1e-2)
    return seconds


def in_gluon():
    import gluonc as gluon
    from gluonc import language as gl
    from gluonc.language.nvidia.ampere import mma_v2

    @gluon.jit
    def places(first, M: gl.constexpr, N: gl.constexpr, row, column, layout: gl.constexpr):
        r = first + gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
        c = gl.arange(0, N, gl.SliceLayout(0, layout))[None, :]
        return r * row + c * column

    @gluon.jit
    def matmul(a, b, c, size, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
        rows: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
        sums: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
        a += gl.program_id(0) * BM * size
        b += gl.program_id(1) * BN
        acc = gl.zeros([BM, BN], gl.float32, sums)
        for k in range(0, size, BK):
            x = gl.load(a + places(0, BM, BK, size, 1, rows) + k)
            y = gl.load(b + places(k, BK, BN, size, 1, rows))
            acc = mma_v2(gl.convert_layout(x, gl.DotOperandLayout(0, sums, 2)),
                         gl.convert_layout(y, gl.DotOperandLayout(1, sums, 2)), acc)
        gl.store(c + places(gl.program_id(0) * BM, BM, BN, size, 1, sums) + gl.program_id(1) * BN, acc)

    @gluon.jit
    def attention(q, k, v, out, length, BM: gl.constexpr, BN: gl.constexpr, D: gl.constexpr):
        rows: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
        sums: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
        left: gl.constexpr = gl.DotOperandLayout(0, sums, 2)
        right: gl.constexpr = gl.DotOperandLayout(1, sums, 2)
        head = gl.program_id(1) * length * D
        first = gl.program_id(0) * BM
        queries = gl.convert_layout(gl.load(q + head + places(first, BM, D, D, 1, rows)), left)
        most = gl.full([BM], float("-inf"), gl.float32, gl.SliceLayout(1, sums))
        total = gl.zeros([BM], gl.float32, gl.SliceLayout(1, sums))
        acc = gl.zeros([BM, D], gl.float32, sums)
        scale: gl.constexpr = 1.4426950408889634 / D**0.5
        for n in range(0, length, BN):
            keys = gl.load(k + head + n * D + places(0, D, BN, 1, D, rows))
            scores = mma_v2(queries, gl.convert_layout(keys, right), gl.zeros([BM, BN], gl.float32, sums)) * scale
            higher = gl.maximum(most, gl.max(scores, 1))
            weights = gl.exp2(scores - higher[:, None])
            factor = gl.exp2(most - higher)
            total = total * factor + gl.sum(weights, 1)
            values = gl.convert_layout(gl.load(v + head + places(n, BN, D, D, 1, rows)), right)
            acc = mma_v2(gl.convert_layout(weights.to(gl.float16), left), values, acc * factor[:, None])
            most = higher
        gl.store(out + head + places(first, BM, D, D, 1, sums), acc / total[:, None])

    return both(matmul, attention, repeats=5)


def in_triton():
    # The interpreter sees globals, not closures.
    global places, tl
    import triton
    import triton.language as tl

    @triton.jit
    def places(first, M: tl.constexpr, N: tl.constexpr, row, column):
        return (first + tl.arange(0, M))[:, None] * row + tl.arange(0, N)[None, :] * column

    @triton.jit
    def matmul(a, b, c, size: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        a += tl.program_id(0) * BM * size
        b += tl.program_id(1) * BN
        acc = tl.zeros([BM, BN], tl.float32)
        for k in range(0, size, BK):
            x = tl.load(a + places(0, BM, BK, size, 1) + k)
            y = tl.load(b + places(k, BK, BN, size, 1))
            acc = tl.dot(x, y, acc)
        tl.store(c + places(tl.program_id(0) * BM, BM, BN, size, 1) + tl.program_id(1) * BN, acc)

    @triton.jit
    def attention(q, k, v, out, length: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
        head = tl.program_id(1) * length * D
        first = tl.program_id(0) * BM
        queries = tl.load(q + head + places(first, BM, D, D, 1))
        most = tl.full([BM], float("-inf"), tl.float32)
        total = tl.zeros([BM], tl.float32)
        acc = tl.zeros([BM, D], tl.float32)
        scale: tl.constexpr = 1.4426950408889634 / D**0.5
        for n in range(0, length, BN):
            keys = tl.load(k + head + n * D + places(0, D, BN, 1, D))
            scores = tl.dot(queries, keys) * scale
            higher = tl.maximum(most, tl.max(scores, 1))
            weights = tl.exp2(scores - higher[:, None])
            factor = tl.exp2(most - higher)
            total = total * factor + tl.sum(weights, 1)
            values = tl.load(v + head + places(n, BN, D, D, 1))
            acc = tl.dot(weights.to(tl.float16), values, acc * factor[:, None])
            most = higher
        tl.store(out + head + places(first, BM, D, D, 1), acc / total[:, None])

    return both(matmul, attention, repeats=3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--triton", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.triton:
        print(json.dumps(in_triton()))
        return 0
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    ours = in_gluon()
    theirs = json.loads(subprocess.run(
        [sys.executable, __file__, "--triton"], env={**os.environ, "TRITON_INTERPRET": "1"},
        check=True, capture_output=True, text=True).stdout)
    report = {}
    for name, seconds in ours.items():
        report[name] = {"gluonc_s": seconds, "triton_interpreter_s": theirs[name],
                        "ratio": theirs[name] / seconds}
        print(f"{name}: {1e3 * seconds:.1f} ms, Triton's interpreter {1e3 * theirs[name]:.0f} ms, "
              f"{theirs[name] / seconds:.1f} x")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
