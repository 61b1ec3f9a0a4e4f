"""The kernels of examples/hopper_attention/backward.py, on descriptors that they make."""

# Two blocks of keys, the second cut off, and rows that no step divides; two heads of queries for one of keys.
# RUN: gradients q='randn((2, 72, 64), f16, 1)' k='randn((1, 140, 64), f16, 2)' v='randn((1, 140, 64), f16, 3)' do='randn((2, 72, 64), f16, 4)' \
#   qs='q.reshape((144, 64)).to(f32)' dos='do.reshape((144, 64)).to(f32)' s='qs @ k[0].to(f32).T * 0.125' \
#   p='exp(s) / exp(s).sum(1).reshape((144, 1))' d='(dos * (p @ v[0].to(f32))).sum(1)' lse='log2(exp(s).sum(1)).reshape((2, 72)) * 1.0' \
#   delta='d.reshape((2, 72)) * 1.0' dq='zeros((2, 72, 64), f32)' dk='empty((1, 140, 64), f16)' dv='empty((1, 140, 64), f16)' heads=1 \
#   rows=72 keys=140 group=2 D=64 CAUSAL=False --grid 2 --num-warps 8 --target cuda:90a \
#   g='p * (dos @ v[0].to(f32).T - d.reshape((144, 1)))'
# EXPECT: allclose(dq.reshape((144, 64)), g @ k[0].to(f32), 5e-3, 5e-3) and allclose(dk[0], 0.125 * (g.T @ qs), 5e-3, 5e-3) and allclose(dv[0], p.T @ dos, 5e-3, 5e-3)
# Causal, D 128, two blocks of keys.
# RUN: gradients q='randn((1, 160, 128), bf16, 1)' k='randn((1, 160, 128), bf16, 2)' v='randn((1, 160, 128), bf16, 3)' do='randn((1, 160, 128), bf16, 4)' \
#   s='where(arange(160, i32).reshape((160, 1)) >= arange(160, i32).reshape((1, 160)), q[0].to(f32) @ k[0].to(f32).T * 0.125, -100.0)' \
#   p='exp(s) / exp(s).sum(1).reshape((160, 1))' d='(do[0].to(f32) * (p @ v[0].to(f32))).sum(1)' \
#   lse='log2(exp(s).sum(1)).reshape((1, 160)) * 1.0' delta='d.reshape((1, 160)) * 1.0' dq='zeros((1, 160, 128), f32)' \
#   dk='empty((1, 160, 128), bf16)' dv='empty((1, 160, 128), bf16)' heads=1 rows=160 keys=160 group=1 D=128 CAUSAL=True \
#   --grid 2 --num-warps 8 --target cuda:90a g='p * (do[0].to(f32) @ v[0].to(f32).T - d.reshape((160, 1)))'
# EXPECT: allclose(dq[0], g @ k[0].to(f32), 5e-2, 5e-2) and allclose(dk[0], 0.125 * (g.T @ q[0].to(f32)), 5e-2, 5e-2) and allclose(dv[0], p.T @ do[0].to(f32), 5e-2, 5e-2)

# RUN: row_products delta='empty(40, f32)' o='randn((40, 64), f16, 1)' do='randn((40, 64), f16, 2)' rows=40 D=64 --grid 2 --target cuda:90a
# EXPECT: allclose(delta, (o.to(f32) * do.to(f32)).sum(1), 1e-4, 1e-4)
# RUN: round_scaled to='empty(1000, bf16)' sums='randn(1000, f32, 1)' scale=0.5 count=1000 BLOCK=512 --grid 2 --target cuda:90a
# EXPECT: all(to == (sums * 0.5).to(bf16))

from hopper_attention.backward import backward, round_scaled, row_products
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma


@gluon.jit
def described(pointer, heads, rows, ROWS: gl.constexpr, D: gl.constexpr):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, pointer.dtype.element_ty.primitive_bitwidth, 3)
    return tma.make_tensor_descriptor(pointer, [heads, rows, D], [rows * D, D, 1], [1, ROWS, D], layout)


@gluon.jit
def of_rows(pointer, heads, rows):
    layout: gl.constexpr = gl.NVMMASharedLayout(0, 32, 2)
    return tma.make_tensor_descriptor(pointer, [heads, rows], [rows, 1], [1, 64], layout)


@gluon.jit
def gradients(q, k, v, do, lse, delta, dq, dk, dv, heads, rows, keys, group, D: gl.constexpr, CAUSAL: gl.constexpr):
    backward(described(q, heads * group, rows, 64, D), described(k, heads, keys, 128, D), described(v, heads, keys, 128, D),
             described(do, heads * group, rows, 64, D), of_rows(lse, heads * group, rows), of_rows(delta, heads * group, rows),
             described(dq, heads * group, rows, 64, D), described(dk, heads, keys, 128, D), described(dv, heads, keys, 128, D),
             0.125 * 1.4426950408889634, 0.125, rows, keys, group, CAUSAL, 2)
