"""Integers that overflow: debug builds say so, unless they are told not to."""

# RUN: arithmetic x='full(32, 100000, i32)' y='empty(32, i32)' OP='"mul"' SANITIZE=True
# EXPECT: y == 1410065408
# RUN: arithmetic x='full(32, 100000, i32)' y='empty(32, i32)' OP='"mul"' SANITIZE=True --debug
# FAULT: DeviceAssertFailed
# RUN: arithmetic x='full(32, 2147483647, i32)' y='empty(32, i32)' OP='"add"' SANITIZE=True --debug
# FAULT: DeviceAssertFailed
# RUN: arithmetic x='full(32, -2147483647, i32)' y='empty(32, i32)' OP='"sub"' SANITIZE=True --debug
# FAULT: DeviceAssertFailed
# RUN: arithmetic x='full(32, 100, i8)' y='empty(32, i8)' OP='"add"' SANITIZE=True --debug
# FAULT: DeviceAssertFailed
# RUN: arithmetic x='full(32, 100000, i32)' y='empty(32, i32)' OP='"mul"' SANITIZE=False --debug
# EXPECT: y == 1410065408
# RUN: arithmetic x='full(32, 4294967295, u32)' y='empty(32, u32)' OP='"add"' SANITIZE=True --debug
# EXPECT: y == 4294967294
# RUN: arithmetic x='arange(32, i64) * 1099511627776' y='empty(32, i64)' OP='"mul"' SANITIZE=True --debug
# EXPECT: y == 0
# RUN: operators x='arange(64, i32)' y='zeros(4, i32)' n=5 BIG=0 --debug
# EXPECT: (y[0] == 2016) & (y[1] == 2016) & (y[2] == 128) & (y[3] == 10)
# RUN: operators x='arange(64, i32)' y='zeros(4, i32)' n=5 BIG=2147483647 --debug
# FAULT: DeviceAssertFailed

import triton
import triton.language as tl


@triton.jit
def arithmetic(x, y, OP: tl.constexpr, SANITIZE: tl.constexpr):
    at = tl.arange(0, 32)
    v = tl.load(x + at)
    if SANITIZE:
        if OP == "mul":
            v = v * v
        elif OP == "add":
            v += v
        else:
            v = v - 2
    elif OP == "mul":
        v = tl.mul(v, v, sanitize_overflow=False)
    tl.store(y + at, v)


@triton.jit
def doubled(v):
    return v + v


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def operators(x, y, n, BIG: tl.constexpr):
    """Within reductions, scans and code per element nothing is asserted; in loops it is."""
    v = tl.load(x + tl.arange(0, 64))
    tl.store(y, tl.sum(v, 0))
    tl.store(y + 1, tl.max(tl.associative_scan(v, 0, add), 0))
    tl.store(y + 2, tl.max(tl.map_elementwise(doubled, v + 1), 0))
    total = 0
    for i in range(n):
        total += i + BIG
    tl.store(y + 3, total)
