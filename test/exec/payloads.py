"""gl.fpsan.embed and unembed: the payloads of floats, as arithmetic of integers on every target."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

# RUN: there_and_back x='tensor([0.0, 1.0, -1.0, 2.5, -3.25, 1e-3, 65504.0, -0.0] * 32)' p='empty(256, i32)' y='empty(256, f32)' F='gl.float32'
# EXPECT: y == x
# RUN: there_and_back x='tensor([0.0, 1.0, -1.0, 2.5, -3.25, 1e-3, 65504.0, -0.0] * 32).to(f16)' p='empty(256, i16)' y='empty(256, f16)' F='gl.float16'
# EXPECT: y == x
# RUN: there_and_back x='randn(256, f64)' p='empty(256, i64)' y='empty(256, f64)' F='gl.float64'
# EXPECT: y == x
# RUN: there_and_back x='randn(256, f32).to(gl.float8e5)' p='empty(256, i8)' y='empty(256, gl.float8e5)' F='gl.float8e5'
# EXPECT: y.to(f32) == x.to(f32)

# 0, 1 and -1 are those of the integers.
# RUN: there_and_back x='tensor([0.0, 1.0, -1.0, 1.0] * 64)' p='empty(256, i32)' y='empty(256, f32)' F='gl.float32'
# EXPECT: p == tensor([0, 1, -1, 1] * 64).to(i32)
# RUN: there_and_back x='tensor([0.0, 1.0, -1.0, 1.0] * 64).to(bf16)' p='empty(256, i16)' y='empty(256, bf16)' F='gl.bfloat16'
# EXPECT: p == tensor([0, 1, -1, 1] * 64).to(i16)


@gluon.jit
def there_and_back(x, p, y, F: gl.constexpr):
    offsets = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    payload = gl.fpsan.embed(gl.load(x + offsets))
    gl.store(p + offsets, payload)
    gl.store(y + offsets, gl.fpsan.unembed(payload, F))
