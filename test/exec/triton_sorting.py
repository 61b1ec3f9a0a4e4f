"""Sorting of Triton: sort, topk, bitonic_merge, flip; keys of all types."""

# RUN: sort_rows x='(arange(1024, i32) * 373) % 1024' out='empty((1, 1024), i32)' M=1 N=1024 descending=False --grid 1
# EXPECT: out == arange(1024, i32)
# RUN: sort_rows x='((arange(512, i32) * 37) % 64).reshape((8, 64)) - 32' out='empty((8, 64), i32)' M=8 N=64 descending=True --grid 1
# EXPECT: out == 31 - arange(64, i32)
# RUN: sort_rows x='randn((4, 128), f32)' out='empty((4, 128), f32)' M=4 N=128 descending=False --grid 1
# EXPECT: (out[:, 1:128] >= out[:, 0:127]) & allclose(sum(out, 1), sum(x, 1), atol=1e-4) & allclose(sum(out * out, 1), sum(x * x, 1))
# RUN: sort_rows x='randn((4, 128), f16)' out='empty((4, 128), f16)' M=4 N=128 descending=True --grid 1
# EXPECT: (out[:, 1:128] <= out[:, 0:127]) & allclose(sum(out, 1), sum(x, 1), atol=1e-4) & allclose(sum(out * out, 1), sum(x * x, 1))
# RUN: sort_rows x='randn((2, 32), bf16)' out='empty((2, 32), bf16)' M=2 N=32 descending=False --grid 1
# EXPECT: (out[:, 1:32] >= out[:, 0:31]) & allclose(sum(out * out, 1), sum(x * x, 1))
# RUN: sort_rows x='randn((2, 32), f64)' out='empty((2, 32), f64)' M=2 N=32 descending=False --grid 1
# EXPECT: (out[:, 1:32] >= out[:, 0:31]) & allclose(sum(out * out, 1), sum(x * x, 1))
# RUN: sort_rows x='randint(-128, 127, (4, 32), i8)' out='empty((4, 32), i8)' M=4 N=32 descending=False --grid 1
# EXPECT: (out[:, 1:32] >= out[:, 0:31]) & all(sum(out, 1) == sum(x, 1)) & all(sum(out * out, 1) == sum(x * x, 1))
# RUN: sort_rows x='(arange(64, u32) * 100000007) % 4294967291' out='empty((1, 64), u32)' M=1 N=64 descending=False --grid 1
# EXPECT: (out[:, 1:64] > out[:, 0:63]) & (sum(out) == sum(x))
# RUN: sort_rows x='(arange(2048, i64) * 373) % 2048 - 1024' out='empty((1, 2048), i64)' M=1 N=2048 descending=False --grid 1 --num-warps 8
# EXPECT: out == arange(2048, i64) - 1024
# RUN: sort_rows x='arange(8, i32).reshape((8, 1))' out='empty((8, 1), i32)' M=8 N=1 descending=False --grid 1
# EXPECT: out == arange(8, i32).reshape((8, 1))
# RUN: largest x='(arange(1024, i32) * 373) % 1024' out='empty((1, 8), i32)' M=1 N=1024 K=8 descending=True --grid 1
# EXPECT: out == 1023 - arange(8, i32)
# RUN: largest x='(arange(1024, i32) * 373) % 1024' out='empty((1, 8), i32)' M=1 N=1024 K=8 descending=False --grid 1
# EXPECT: out == arange(8, i32)
# RUN: largest x='((arange(512, i32) * 37) % 64).reshape((8, 64)).to(f16)' out='empty((8, 4), f16)' M=8 N=64 K=4 descending=True --grid 1
# EXPECT: out == 63 - arange(4, i32)
# RUN: largest x='((arange(512, i32) * 37) % 64).reshape((8, 64)).to(f32)' out='empty((8, 1), f32)' M=8 N=64 K=1 descending=True --grid 1
# EXPECT: out == 63
# RUN: largest x='((arange(512, i32) * 37) % 64).reshape((8, 64)).to(f32)' out='empty((8, 64), f32)' M=8 N=64 K=64 descending=True --grid 1
# EXPECT: out == 63 - arange(64, i32)
# RUN: merge x='abs(arange(64, i32) - 20)' out='empty(64, i32)' N=64 descending=False --grid 1
# EXPECT: (out[1:64] >= out[0:63]) & (sum(out) == sum(x))
# RUN: merge x='40 - abs(arange(64, i32) - 20)' out='empty(64, i32)' N=64 descending=True --grid 1
# EXPECT: (out[1:64] <= out[0:63]) & (sum(out) == sum(x))
# RUN: flip x='randn((16, 32), f32)' out='empty((16, 32), f32)' M=16 N=32 dim=1 --grid 1
# EXPECT: out == x[:, ::-1]
# RUN: flip x='randn((16, 32), f16)' out='empty((16, 32), f16)' M=16 N=32 dim=0 --grid 1
# EXPECT: out == x[::-1, :]
# RUN: flip x='randint(-100, 100, (16, 32), i8)' out='empty((16, 32), i8)' M=16 N=32 dim=-1 --grid 1
# EXPECT: out == x[:, ::-1]
# RUN: flip x='randn((1, 32), f32)' out='empty((1, 32), f32)' M=1 N=32 dim=0 --grid 1
# EXPECT: out == x

import triton
import triton.language as tl


@triton.jit
def offsets(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def sort_rows(x, out, M: tl.constexpr, N: tl.constexpr, descending: tl.constexpr):
    at = offsets(M, N)
    tl.store(out + at, tl.sort(tl.load(x + at), 1, descending))


@triton.jit
def largest(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, descending: tl.constexpr):
    found = tl.topk(tl.load(x + offsets(M, N)), K, descending=descending)
    tl.store(out + offsets(M, K), found)


@triton.jit
def merge(x, out, N: tl.constexpr, descending: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.bitonic_merge(tl.load(x + i), descending=descending))


@triton.jit
def flip(x, out, M: tl.constexpr, N: tl.constexpr, dim: tl.constexpr):
    at = offsets(M, N)
    tl.store(out + at, tl.flip(tl.load(x + at), dim))
