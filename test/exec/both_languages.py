"""The kernel of examples/hopper_attention/gated.py, Triton around a loop of Gluon, on descriptors that it makes."""

# The second of two heads; rows that no tile divides, blocks of keys that divide nothing.
# RUN: attention q='randn((2, 200, 64), f16, 1)' k='randn((2, 300, 64), f16, 2)' v='randn((2, 300, 64), f16, 3)' \
#   gate='randn((2, 200, 64), f16, 4)' o='empty((2, 200, 64), f16)' weight='randn(64, f32, 5)' \
#   cosines='cos(arange(6400, f32)).reshape((200, 32))' sines='sin(arange(6400, f32)).reshape((200, 32))' heads=2 rows=200 \
#   keys=300 D=64 KEYS=64 CAUSAL=False STAGES=3 x='q[1].to(f32)' \
#   n='(x * rsqrt(sum(x * x, 1) / 64 + 1e-6)[:, None] * weight).reshape((200, 32, 2))' kp='k[1].to(f32).reshape((300, 32, 2))' \
#   s='(n[:, :, 0] * cosines - n[:, :, 1] * sines) @ kp[:, :, 0].T + (n[:, :, 0] * sines + n[:, :, 1] * cosines) @ kp[:, :, 1].T' \
#   p='exp(0.125 * s)' --grid 3
# EXPECT: allclose(o[1], p @ v[1].to(f32) / sum(p, 1)[:, None] / (1 + exp(-gate[1].to(f32))), 2e-3, 2e-3)
# RUN: attention q='randn((1, 300, 128), bf16, 1)' k='randn((1, 300, 128), bf16, 2)' v='randn((1, 300, 128), bf16, 3)' \
#   gate='randn((1, 300, 128), bf16, 4)' o='empty((1, 300, 128), bf16)' weight='randn(128, f32, 5)' \
#   cosines='cos(arange(19200, f32)).reshape((300, 64))' sines='sin(arange(19200, f32)).reshape((300, 64))' heads=1 rows=300 \
#   keys=300 D=128 KEYS=128 CAUSAL=True STAGES=2 x='q[0].to(f32)' i='arange(300).reshape((300, 1))' \
#   n='(x * rsqrt(sum(x * x, 1) / 128 + 1e-6)[:, None] * weight).reshape((300, 64, 2))' kp='k[0].to(f32).reshape((300, 64, 2))' \
#   s='(n[:, :, 0] * cosines - n[:, :, 1] * sines) @ kp[:, :, 0].T + (n[:, :, 0] * sines + n[:, :, 1] * cosines) @ kp[:, :, 1].T' \
#   p='where(i.T <= i, exp(0.125 * s), 0.0)' --grid 1 --schedule-seed 1
# EXPECT: allclose(o[0], p @ v[0].to(f32) / sum(p, 1)[:, None] / (1 + exp(-gate[0].to(f32))), 2e-2, 2e-2)

import triton
import triton.language as tl
from hopper_attention.gated import attention as attend
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma


@gluon.jit
def described(pointer, heads, rows, D: gl.constexpr, ROWS: gl.constexpr):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, rank=3)
    return tma.make_tensor_descriptor(pointer, [heads, rows, D], [rows * D, D, 1], [1, ROWS, D], layout)


@triton.jit
def attention(q, k, v, gate, o, weight, cosines, sines, heads, rows, keys, D: tl.constexpr, KEYS: tl.constexpr,
              CAUSAL: tl.constexpr, STAGES: tl.constexpr):
    attend(described(q, heads, rows, D, 64), described(k, heads, keys, D, KEYS), described(v, heads, keys, D, KEYS),
           described(gate, heads, rows, D, 64), described(o, heads, rows, D, 64), weight, cosines, sines, 1e-6,
           0.125 * 1.4426950408889634, heads, rows, keys, CAUSAL, True, STAGES, 32, 192)
