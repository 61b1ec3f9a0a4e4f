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
