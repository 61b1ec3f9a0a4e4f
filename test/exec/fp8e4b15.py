"""float8e4b15: what float16 is without its highest exponent bit, in bytes. NVIDIA's targets only.

Numbers below are its spelling: bits 7, 6..3 and 2..0 are sign, exponent with bias 15, mantissa. The
largest magnitude, 1.75, has bits 0x7e; 1.875 (0x7f) is read but never written."""

# RUN: widen src='arange(256, dtype=u8)' dst='empty(256, f32)' wide=gl.float32 --grid 1
# EXPECT: dst[:8] == arange(8) / 131072
# RUN: widen src='arange(256, dtype=u8)' dst='empty(256, f32)' wide=gl.float32 --grid 1
# EXPECT: dst[8:16] == (8 + arange(8)) / 131072
# RUN: widen src='arange(256, dtype=u8)' dst='empty(256, f32)' wide=gl.float32 --grid 1
# EXPECT: dst[120:128] == 1 + arange(8) / 8
# RUN: widen src='arange(256, dtype=u8)' dst='empty(256, f32)' wide=gl.float32 --grid 1
# EXPECT: dst[128:] == -1 * dst[:128]
# RUN: widen src='arange(256, dtype=u8)' dst='empty(256, f16)' wide=gl.float16 --grid 1
# EXPECT: dst[64:72] == (8 + arange(8)) / 1024
# RUN: widen src='arange(256, dtype=u8)' dst='empty(256, bf16)' wide=gl.bfloat16 --grid 1
# EXPECT: dst[64:72] == (8 + arange(8)) / 1024
# RUN: widen src='arange(256, dtype=u8)' dst='empty(256, f64)' wide=gl.float64 --grid 1
# EXPECT: dst[120:128] == 1 + arange(8) / 8
# RUN: around src='arange(256, dtype=u8)' dst='empty(256, u8)' wide=gl.float16 --grid 1
# EXPECT: dst[:127] == src[:127]
# RUN: around src='arange(256, dtype=u8)' dst='empty(256, u8)' wide=gl.float16 --grid 1
# EXPECT: dst[127] == 126
# RUN: around src='arange(256, dtype=u8)' dst='empty(256, u8)' wide=gl.float16 --grid 1
# EXPECT: dst[128:255] == src[128:255]
# RUN: around src='arange(256, dtype=u8)' dst='empty(256, u8)' wide=gl.float16 --grid 1
# EXPECT: dst[255] == 254
# RUN: around src='arange(256, dtype=u8)' dst='empty(256, u8)' wide=gl.float32 --grid 1
# EXPECT: dst[:127] == src[:127]
# RUN: around src='arange(256, dtype=u8)' dst='empty(256, u8)' wide=gl.bfloat16 --grid 1
# EXPECT: dst[:127] == src[:127]
# Every float16: halves round away from zero, 1.75 is the end, and NaN is no number but that.
# RUN: narrow_all dst='empty(65536, u8)' ref='empty(65536, u8)' --grid 256
# EXPECT: dst == ref
# RUN: narrow src='full(128, 1.8125, f32)' dst='empty(128, u8)' --grid 1
# EXPECT: dst == 126
# RUN: narrow src='full(128, -1e30, f32)' dst='empty(128, u8)' --grid 1
# EXPECT: dst == 254
# float32 is cut to float16 before it is rounded: 1.0625 - 2^-23 is below the half.
# RUN: narrow src='full(128, 1.0624998807907104, f32)' dst='empty(128, u8)' --grid 1
# EXPECT: dst == 120
# RUN: narrow src='full(128, 1.0625, f32)' dst='empty(128, u8)' --grid 1
# EXPECT: dst == 121
# RUN: narrow src='full(128, 1.0625, f64)' dst='empty(128, u8)' --grid 1
# EXPECT: dst == 121
# RUN: narrow src='full(128, 0.4375, fp8e5)' dst='empty(128, u8)' --grid 1
# EXPECT: dst == 110

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def widen(src, dst, wide: gl.constexpr):
    at = gl.arange(0, 256, layout=gl.BlockedLayout([4], [32], [4], [0]))
    small = gl.load(src + at).to(gl.float8e4b15, bitcast=True)
    gl.store(dst + at, small.to(wide))


@gluon.jit
def around(src, dst, wide: gl.constexpr):
    at = gl.arange(0, 256, layout=gl.BlockedLayout([4], [32], [4], [0]))
    small = gl.load(src + at).to(gl.float8e4b15, bitcast=True)
    gl.store(dst + at, small.to(wide).to(gl.float8e4b15).to(gl.uint8, bitcast=True))


@gluon.jit
def narrow(src, dst):
    at = gl.arange(0, 128, layout=gl.BlockedLayout([4], [32], [4], [0]))
    gl.store(dst + at, gl.load(src + at).to(gl.float8e4b15).to(gl.uint8, bitcast=True))


@gluon.jit
def narrow_all(dst, ref):
    at = gl.program_id(0) * 256 + gl.arange(0, 256, layout=gl.BlockedLayout([4], [32], [4], [0]))
    half = at.to(gl.int16).to(gl.float16, bitcast=True)
    gl.store(dst + at, half.to(gl.float8e4b15).to(gl.uint8, bitcast=True))
    # The same in numbers: steps of a mantissa of three bits, counted from the exponent's first.
    magnitude = gl.minimum(gl.abs(half.to(gl.float32)), 1.75)
    magnitude = gl.where(half == half, magnitude, 1.75)
    bits = magnitude.to(gl.int32, bitcast=True)
    exponent = gl.maximum((bits >> 23) - 127, -14)
    step = ((exponent + 127 - 3) << 23).to(gl.float32, bitcast=True)
    steps = gl.floor(magnitude / step + 0.5).to(gl.int32)
    code = steps + gl.where(exponent > -14, (exponent + 14) * 8, 0)
    gl.store(ref + at, (code | gl.where((at & 0x8000) != 0, 128, 0)).to(gl.uint8))
