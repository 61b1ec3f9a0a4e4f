"""Softmax in one pass over each row, and in blocks."""

# RUN: softmax x='randn((8, 100), f32)' out='empty((8, 100), f32)' columns=100 BLOCK=128 --grid 8 \
#   e='exp(x - max(x, 1)[:, None])'
# EXPECT: allclose(out, e / sum(e, 1)[:, None], 1e-4, 1e-6)
# RUN: online_softmax x='randn((8, 200), f16)' out='empty((8, 200), f16)' columns=200 BLOCK=64 --grid 8 \
#   w='x.to(f32)' e='exp(w - max(w, 1)[:, None])'
# EXPECT: allclose(out, e / sum(e, 1)[:, None], 1e-2, 1e-3)

import triton
import triton.language as tl


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, 0), at < columns)


@triton.jit
def online_softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    largest = tl.full([], -float("inf"), tl.float32)
    total = 0.0
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + at, at < columns, other=-float("inf")).to(tl.float32)
        larger = tl.maximum(largest, tl.max(values, 0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(values - larger), 0)
        largest = larger
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + at, at < columns).to(tl.float32)
        tl.store(out + row * columns + at, (tl.exp(values - largest) / total).to(tl.float16), at < columns)
