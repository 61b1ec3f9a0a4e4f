"""Products of blocks whose elements share scales, against their sum in float32.

`m` is what a 4-bit float has without its sign, `group` repeats a scale for each element of K."""

# Two numbers in each byte along K, the low half first; one scale for 32.
# RUN: product x='randint(0, 256, (32, 32), u8)' xs='randint(120, 130, (32, 2), u8)' y='randn((64, 32), bf16)' ys=None \
#   z='empty((32, 32), f32)' M=32 N=32 K=64 FX='"e2m1"' FY='"bf16"' --grid 1 lo='x % 16' hi='x // 16' m='lo % 8' n='hi % 8' \
#   low='where(m < 4, m / 2, where(m < 6, m - 2.0, 2.0 * m - 8)) * where(lo < 8, 1.0, -1.0)' \
#   high='where(n < 4, n / 2, where(n < 6, n - 2.0, 2.0 * n - 8)) * where(hi < 8, 1.0, -1.0)' \
#   group='where((arange(32) // 16).reshape((1, 32)) == arange(2).reshape((2, 1)), 1.0, 0.0)' \
#   s='matmul(exp2(xs.to(f32) - 127), group)' w='y.to(f32)'
# EXPECT: allclose(z, matmul(low * s, w[::2, :]) + matmul(high * s, w[1::2, :]), 1e-5, 1e-4)
# Packed along N, on the right, with scales of [N, K / 32].
# RUN: product x='randn((32, 64), f16)' xs=None y='randint(0, 256, (64, 16), u8)' ys='randint(120, 130, (32, 2), u8)' \
#   z='empty((32, 32), f32)' M=32 N=32 K=64 FX='"fp16"' FY='"e2m1"' k_pack=False --grid 1 lo='y % 16' hi='y // 16' m='lo % 8' n='hi % 8' \
#   low='where(m < 4, m / 2, where(m < 6, m - 2.0, 2.0 * m - 8)) * where(lo < 8, 1.0, -1.0)' \
#   high='where(n < 4, n / 2, where(n < 6, n - 2.0, 2.0 * n - 8)) * where(hi < 8, 1.0, -1.0)' \
#   group='where((arange(64) // 32).reshape((64, 1)) == arange(2).reshape((1, 2)), 1.0, 0.0)' \
#   s='matmul(group, exp2(ys.to(f32) - 127).T)' w='x.to(f32)'
# EXPECT: allclose(z[:, ::2], matmul(w, low * s[:, ::2]), 1e-5, 1e-4) & allclose(z[:, 1::2], matmul(w, high * s[:, 1::2]), 1e-5, 1e-4)
# So many neighbours along N that pairs along K come after them in a thread.
# RUN: product x='ones((32, 64), bf16)' xs=None y='full((32, 128), 0x42, u8)' ys='full((128, 2), 128, u8)' \
#   z='empty((32, 128), f32)' M=32 N=128 K=64 FX='"bf16"' FY='"e2m1"' --grid 1
# EXPECT: z == 192
# Bytes of 8-bit floats on both sides, scales on both.
# RUN: product x='randint(0x38, 0x40, (32, 64), u8)' xs='randint(120, 130, (32, 2), u8)' y='randint(0x3c, 0x40, (64, 32), u8)' \
#   ys='randint(120, 130, (32, 2), u8)' z='empty((32, 32), f32)' M=32 N=32 K=64 FX='"e4m3"' FY='"e5m2"' --grid 1 \
#   group='where((arange(64) // 32).reshape((1, 64)) == arange(2).reshape((2, 1)), 1.0, 0.0)' \
#   s='matmul(exp2(xs.to(f32) - 127), group)' t='matmul(exp2(ys.to(f32) - 127), group)'
# EXPECT: allclose(z, matmul((x / 8 - 6) * s, (y / 4 - 14) * t.T), 1e-5, 1e-4)
# Scales that are floats, one for 16.
# RUN: product x='randint(0x22, 0x23, (32, 32), u8)' xs='randn((32, 4), fp8e4nv)' y='randn((64, 32), bf16)' ys=None \
#   z='empty((32, 32), f32)' M=32 N=32 K=64 FX='"e2m1"' FY='"bf16"' --grid 1 \
#   group='where((arange(64) // 16).reshape((1, 64)) == arange(4).reshape((4, 1)), 1.0, 0.0)'
# EXPECT: allclose(z, matmul(matmul(xs.to(f32), group), y.to(f32)), 1e-5, 1e-4)
# 255 is not a number, unless it need not be looked for: infinity then.
# RUN: product x='full((32, 64), 1.0, bf16)' xs='full((32, 2), 255, u8)' y='full((64, 32), 1.0, bf16)' ys=None \
#   z='empty((32, 32), f32)' M=32 N=32 K=64 FX='"bf16"' FY='"bf16"' --grid 1
# EXPECT: isnan(z)
# RUN: product x='full((32, 64), 1.0, bf16)' xs='full((32, 2), 255, u8)' y='full((64, 32), 1.0, bf16)' ys=None \
#   z='empty((32, 32), f32)' M=32 N=32 K=64 FX='"bf16"' FY='"bf16"' fast=True --grid 1
# EXPECT: z == float("inf")
# RUN: batches x='randn((2, 32, 64), bf16)' xs='randint(126, 129, (2, 32, 2), u8)' y='randn((2, 64, 32), bf16)' \
#   z='ones((2, 32, 32), f32)' --grid 1 group='where((arange(64) // 32).reshape((1, 64)) == arange(2).reshape((2, 1)), 1.0, 0.0)' \
#   s='matmul(exp2(xs.to(f32).reshape((64, 2)) - 127), group).reshape((2, 32, 64))'
# EXPECT: allclose(z[1, :, :], 1 + matmul(x[1, :, :].to(f32) * s[1, :, :], y[1, :, :].to(f32)), 1e-4, 1e-4)
# In tensor memory: scales for both sides, 128 rows and more. Eight-bit floats:
# RUN: product x='randint(0x38, 0x40, (128, 128), u8)' xs='randint(120, 130, (128, 4), u8)' y='randint(0x3c, 0x40, (128, 64), u8)' \
#   ys='randint(120, 130, (64, 4), u8)' z='empty((128, 64), f32)' M=128 N=64 K=128 FX='"e4m3"' FY='"e5m2"' --grid 1 --target cuda:100a \
#   group='where((arange(128) // 32).reshape((1, 128)) == arange(4).reshape((4, 1)), 1.0, 0.0)' \
#   s='matmul(exp2(xs.to(f32) - 127), group)' t='matmul(exp2(ys.to(f32) - 127), group)'
# EXPECT: allclose(z, matmul((x / 8 - 6) * s, (y / 4 - 14) * t.T), 1e-5, 1e-4)
# RUN: product x='randn((256, 64), gl.float8e5)' xs='randint(120, 130, (256, 2), u8)' y='randn((64, 128), gl.float8e4nv)' \
#   ys='randint(120, 130, (128, 2), u8)' z='empty((256, 128), f32)' M=256 N=128 K=64 FX='"e5m2"' FY='"e4m3"' --num-warps 8 --grid 1 --target cuda:100a \
#   group='where((arange(64) // 32).reshape((1, 64)) == arange(2).reshape((2, 1)), 1.0, 0.0)' \
#   s='matmul(exp2(xs.to(f32) - 127), group)' t='matmul(exp2(ys.to(f32) - 127), group)'
# EXPECT: allclose(z, matmul(x.to(f32) * s, y.to(f32) * t.T), 1e-5, 1e-3)
# Four bits, with powers of two for 32 and with floats for 16.
# RUN: product x='randint(0x22, 0x23, (128, 64), u8)' xs='randint(126, 129, (128, 4), u8)' y='randint(0x22, 0x23, (64, 64), u8)' \
#   ys='randint(126, 129, (64, 4), u8)' z='empty((128, 64), f32)' M=128 N=64 K=128 FX='"e2m1"' FY='"e2m1"' --grid 1 --target cuda:100a
# EXPECT: allclose(z, 32 * matmul(exp2(xs.to(f32) - 127), exp2(ys.to(f32) - 127).T), 1e-5, 1e-4)
# RUN: product x='randint(0x22, 0x23, (128, 64), u8)' xs='randint(1, 9, (128, 8), fp8e4nv)' y='randint(0x22, 0x23, (64, 64), u8)' \
#   ys='randint(1, 9, (64, 8), fp8e4nv)' z='empty((128, 64), f32)' M=128 N=64 K=128 FX='"e2m1"' FY='"e2m1"' --grid 1 --target cuda:100a
# EXPECT: allclose(z, 16 * matmul(xs.to(f32), ys.to(f32).T), 1e-5, 1e-4)
# RUN: product x='randint(0, 256, (128, 64), u8)' xs='full((128, 8), 1.0, fp8e4nv)' y='full((64, 64), 0x22, u8)' \
#   ys='full((64, 8), 1.0, fp8e4nv)' z='empty((128, 64), f32)' M=128 N=64 K=128 FX='"e2m1"' FY='"e2m1"' --grid 1 --target cuda:100a \
#   lo='x % 16' hi='x // 16' m='lo % 8' n='hi % 8' \
#   low='where(m < 4, m / 2, where(m < 6, m - 2.0, 2.0 * m - 8)) * where(lo < 8, 1.0, -1.0)' \
#   high='where(n < 4, n / 2, where(n < 6, n - 2.0, 2.0 * n - 8)) * where(hi < 8, 1.0, -1.0)'
# EXPECT: z == sum(low + high, 1).reshape((128, 1)) * ones((1, 64), f32)
# Four bits beside eight.
# RUN: product x='randn((128, 128), gl.float8e5)' xs='full((128, 4), 127, u8)' y='full((64, 64), 0x22, u8)' \
#   ys='randint(120, 130, (64, 4), u8)' z='empty((128, 64), f32)' M=128 N=64 K=128 FX='"e5m2"' FY='"e2m1"' --grid 1 --target cuda:100a \
#   group='where((arange(128) // 32).reshape((1, 128)) == arange(4).reshape((4, 1)), 1.0, 0.0)' \
#   t='matmul(exp2(ys.to(f32) - 127), group)'
# EXPECT: allclose(z, matmul(x.to(f32), t.T), 1e-5, 1e-3)
# A loop: scales come by turns into one place of tensor memory.
# RUN: steps x='randn((128, 512), gl.float8e5)' xs='randint(120, 130, (128, 16), u8)' y='randn((64, 512), gl.float8e5)' \
#   ys='randint(120, 130, (64, 16), u8)' z='empty((128, 64), f32)' K=512 FORMAT='"e5m2"' --grid 1 --target cuda:100a \
#   group='where((arange(512) // 32).reshape((1, 512)) == arange(16).reshape((16, 1)), 1.0, 0.0)' \
#   s='matmul(exp2(xs.to(f32) - 127), group)' t='matmul(exp2(ys.to(f32) - 127), group)'
# EXPECT: allclose(z, matmul(x.to(f32) * s, (y.to(f32) * t).T), 1e-5, 1e-2)
# RUN: steps x='full((128, 256), 0x22, u8)' xs='randint(1, 9, (128, 32), fp8e4nv)' y='full((64, 256), 0x22, u8)' \
#   ys='randint(1, 9, (64, 32), fp8e4nv)' z='empty((128, 64), f32)' K=512 FORMAT='"e2m1"' --num-warps 8 --num-stages 4 --grid 1 --target cuda:100a
# EXPECT: allclose(z, 16 * matmul(xs.to(f32), ys.to(f32).T), 1e-5, 1e-3)
# Sums that cannot all stay in tensor memory.
# RUN: three x='full((128, 64), 0x22, u8)' xs='randint(1, 9, (128, 8), fp8e4nv)' y='full((64, 256), 0x22, u8)' \
#   ys='randint(1, 9, (256, 8), fp8e4nv)' z='empty((3, 128, 256), f32)' n=2 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: allclose(z[0], 32 * matmul(xs.to(f32), ys.to(f32).T), 1e-5, 1e-3) & allclose(z[1], 32 * matmul(xs.to(f32), ys.to(f32).T), 1e-5, 1e-3) & allclose(z[2], 32 * matmul(xs.to(f32), ys.to(f32).T), 1e-5, 1e-3)

import triton
import triton.language as tl


@triton.jit
def at(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def scales(pointer, M: tl.constexpr, K: tl.constexpr):
    if pointer is None:
        return None
    elif pointer.dtype.element_ty == tl.float8e4nv:
        return tl.load(pointer + at(M, K // 16))
    else:
        return tl.load(pointer + at(M, K // 32))


@triton.jit
def product(x, xs, y, ys, z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FX: tl.constexpr, FY: tl.constexpr,
            fast: tl.constexpr = False, k_pack: tl.constexpr = True):
    a = tl.load(x + at(M, K // 2 if FX == "e2m1" else K))
    if FY != "e2m1":
        b = tl.load(y + at(K, N))
    elif k_pack:
        b = tl.load(y + at(K // 2, N))
    else:
        b = tl.load(y + at(K, N // 2))
    both = tl.dot_scaled(a, scales(xs, M, K), FX, b, scales(ys, N, K), FY, fast_math=fast, rhs_k_pack=k_pack)
    tl.store(z + at(M, N), both)


@triton.jit
def batches(x, xs, y, z):
    a = tl.load(x + tl.arange(0, 2)[:, None, None] * 2048 + at(32, 64)[None, :, :])
    s = tl.load(xs + tl.arange(0, 2)[:, None, None] * 64 + at(32, 2)[None, :, :])
    b = tl.load(y + tl.arange(0, 2)[:, None, None] * 2048 + at(64, 32)[None, :, :])
    out = z + tl.arange(0, 2)[:, None, None] * 1024 + at(32, 32)[None, :, :]
    tl.store(out, tl.dot_scaled(a, s, "bf16", b, None, "bf16", tl.load(out)))


@triton.jit
def steps(x, xs, y, ys, z, K: tl.constexpr, FORMAT: tl.constexpr):
    m, n = tl.arange(0, 128)[:, None], tl.arange(0, 64)
    PACKED: tl.constexpr = 2 if FORMAT == "e2m1" else 1
    GROUP: tl.constexpr = 16 if FORMAT == "e2m1" else 32
    bytes, groups = tl.arange(0, 128 // PACKED), tl.arange(0, 128 // GROUP)
    sums = tl.zeros((128, 64), tl.float32)
    for k in range(0, K, 128):
        a = tl.load(x + m * (K // PACKED) + k // PACKED + bytes)
        b = tl.load(y + n[None, :] * (K // PACKED) + k // PACKED + bytes[:, None])
        a_scale = tl.load(xs + m * (K // GROUP) + k // GROUP + groups)
        b_scale = tl.load(ys + n[:, None] * (K // GROUP) + k // GROUP + groups)
        sums = tl.dot_scaled(a, a_scale, FORMAT, b, b_scale, FORMAT, sums)
    tl.store(z + m * 64 + n, sums)


@triton.jit
def three(x, xs, y, ys, z, n):
    a, b = tl.load(x + at(128, 64)), tl.load(y + at(64, 256))
    a_scale, b_scale = tl.load(xs + at(128, 8)), tl.load(ys + at(256, 8))
    first, second = tl.zeros((128, 256), tl.float32), tl.zeros((128, 256), tl.float32)
    third = tl.zeros((128, 256), tl.float32)
    for _ in range(n):
        first = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", first)
        second = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", second)
        third = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", third)
    tl.store(z + at(128, 256), first)
    tl.store(z + 128 * 256 + at(128, 256), second)
    tl.store(z + 2 * 128 * 256 + at(128, 256), third)
