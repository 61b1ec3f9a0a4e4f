"""Random numbers of Triton: Philox's known answers, and what distributions they have."""

# Known answers of Philox 4x32-10 (Random123), of the counter and key 0 and of digits of pi.
# RUN: words out='empty(4, u32)' seed=0 c0=0 c1=0 c2=0 c3=0 --grid 1
# EXPECT: out == tensor([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8], u32)
# RUN: words out='empty(4, u32)' seed=0x299f31d0a4093822 c0=0x243f6a88 c1=0x85a308d3 c2=0x13198a2e c3=0x03707344 --grid 1
# EXPECT: out == tensor([0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1], u32)
# The same of 4x64-10, in halves.
# RUN: wide_words low='empty(4, u32)' high='empty(4, u32)' seed=0 c0=0 c1=0 c2=0 c3=0 --grid 1
# EXPECT: (low == tensor([0xca36314c, 0x672d0fdc, 0xe186176b, 0xec7ba23b], u32)) & (high == tensor([0x16554d9e, 0xdb20fe9d, 0xd7e772ce, 0x7e68b68a], u32))
# RUN: wide_words low='empty(4, u32)' high='empty(4, u32)' seed=9 c0=5 c1=6 c2=7 c3=8 --grid 1
# EXPECT: (low == tensor([3485110054, 2533693711, 2702165061, 3001865329], u32)) & (high == tensor([1430144540, 2366073908, 3897716012, 684227182], u32))
# RUN: integers out='empty(256, u32)' seed=42 first=0 rounds=10 N=256 --grid 1
# EXPECT: out[0:8] == tensor([2632642643, 4242219303, 3547071013, 3133604981, 1401955260, 1352259593, 968438092, 1539146673], u32)
# RUN: integers out='empty(256, u32)' seed='2 ** 40 + 7' first='2 ** 33' rounds=10 N=256 --grid 1
# EXPECT: out[0:8] == tensor([1339368186, 417035615, 47538205, 3968613133, 438146947, 501852170, 14785488, 3743496764], u32)
# RUN: integers out='empty(256, u32)' seed=42 first=0 rounds=7 N=256 --grid 1
# EXPECT: out[0:8] == tensor([2462826906, 1431885946, 3087818353, 2657569951, 3073656070, 2077794628, 390734252, 1352054279], u32)
# RUN: uniform bits='empty(4096, u32)' out='empty(4096, f32)' seed=3 N=1024 --grid 4
# EXPECT: allclose(out, where(bits < 2147483648, bits, 4294967295 - bits) * 4.6566127342e-10, rtol=1e-6) & (min(out) >= 0) & (max(out) < 1) & (abs(mean(out) - 0.5) < 0.02)
# RUN: normal u='empty((4, 1024), f32)' out='empty((4, 1024), f32)' seed=5 N=1024 --grid 1
# EXPECT: allclose(out[0, :], sqrt(-2 * log(maximum(u[0, :], 1e-7))) * cos(6.283185307179586 * u[1, :]), rtol=1e-3, atol=1e-4) & allclose(out[1, :], sqrt(-2 * log(maximum(u[0, :], 1e-7))) * sin(6.283185307179586 * u[1, :]), rtol=1e-3, atol=1e-4)
# RUN: normal u='empty((4, 1024), f32)' out='empty((4, 1024), f32)' seed=6 N=1024 --grid 1
# EXPECT: (abs(mean(out)) < 0.06) & (abs(mean(out * out) - 1) < 0.1)
# RUN: first_of_each out='empty((4, 256), f32)' seed=6 N=256 --grid 1
# EXPECT: (out[0, :] == out[1, :]) & (out[2, :] == out[3, :])
# RUN: dropout x='ones(4096, f32)' out='empty(4096, f32)' p=0.25 seed=11 N=1024 --grid 4
# EXPECT: allclose(out * (out - 1 / 0.75), zeros(4096, f32), atol=1e-5) & (abs(mean(out) - 1) < 0.03)

import triton
import triton.language as tl


@triton.jit
def words(out, seed, c0, c1, c2, c3):
    c = tl.philox(
        seed, tl.to_tensor(c0).to(tl.uint32), tl.to_tensor(c1).to(tl.uint32),
        tl.to_tensor(c2).to(tl.uint32), tl.to_tensor(c3).to(tl.uint32)
    )
    for i in tl.static_range(4):
        tl.store(out + i, c[i])


@triton.jit
def wide_words(low, high, seed, c0, c1, c2, c3):
    c = tl.philox(
        seed, tl.to_tensor(c0).to(tl.uint64), tl.to_tensor(c1).to(tl.uint64),
        tl.to_tensor(c2).to(tl.uint64), tl.to_tensor(c3).to(tl.uint64)
    )
    for i in tl.static_range(4):
        tl.store(low + i, c[i].to(tl.uint32))
        tl.store(high + i, (c[i] >> 32).to(tl.uint32))


@triton.jit
def integers(out, seed, first: tl.int64, rounds: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.randint(seed, first + i, rounds))


@triton.jit
def uniform(bits, out, seed, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(bits + i, tl.randint(seed, i))
    tl.store(out + i, tl.rand(seed, i))


@triton.jit
def normal(u, out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    uniform = tl.rand4x(seed, i)
    drawn = tl.randn4x(seed, i)
    for k in tl.static_range(4):
        tl.store(u + k * N + i, uniform[k])
        tl.store(out + k * N + i, drawn[k])


@triton.jit
def first_of_each(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.randn(seed, i))
    tl.store(out + N + i, tl.randn4x(seed, i)[0])
    tl.store(out + 2 * N + i, tl.rand(seed, i))
    tl.store(out + 3 * N + i, tl.random.rand4x(seed, i)[0])


@triton.jit
def dropout(x, out, p, seed, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i) / (1 - p), 0.0))
