"""Loads from tensor memory that also give the least or greatest of each row."""

# RUN: least src='randn((128, 64), f32)' dst='empty((128, 64), f32)' rows='empty(128, f32)' M=128 N=64 --grid 1 --target cuda:103a
# EXPECT: all(dst == src) and all(rows == src.min(1))
# RUN: least src='randn((128, 64), f32)' dst='empty((128, 64), f32)' rows='empty(128, f32)' M=128 N=64 --grid 1 --target cuda:110a
# EXPECT: all(dst == src) and all(rows == src.min(1))
# RUN: greatest src='randn((128, 64), f32)' dst='empty((128, 64), f32)' rows='empty(128, f32)' M=128 N=64 --grid 1 --target cuda:103a
# EXPECT: all(dst == src) and all(rows == src.max(1))
# RUN: least src='randn((128, 256), f32)' dst='empty((128, 256), f32)' rows='empty(128, f32)' M=128 N=256 --grid 1 --target cuda:103a
# EXPECT: all(dst == src) and all(rows == src.min(1))
# RUN: greatest src='randn((128, 2), f32)' dst='empty((128, 2), f32)' rows='empty(128, f32)' M=128 N=2 --grid 1 --target cuda:110a
# EXPECT: all(dst == src) and all(rows == src.max(1))
# RUN: least src='randn((128, 128), f32)' dst='empty((128, 128), f32)' rows='empty(128, f32)' M=128 N=128 ABS=True --grid 1 --target cuda:103a
# EXPECT: all(dst == src) and all(rows == abs(src).min(1))
# RUN: greatest src='randn((128, 256), f32)' dst='empty((128, 256), f32)' rows='empty(128, f32)' M=128 N=256 ABS=True NAN=True --grid 1 --target cuda:103a
# EXPECT: all(dst == src) and all(rows == abs(src).max(1))
# RUN: greatest src='where(arange(8192, i32).reshape((128, 64)) % 65 == 0, 0.0 / zeros((128, 64), f32), arange(8192, f32).reshape((128, 64)))' dst='empty((128, 64), f32)' rows='empty(128, f32)' M=128 N=64 --grid 1 --target cuda:103a
# EXPECT: rows == arange(128, f32) * 64 + where(arange(128, i32) == 63, 62, 63)
# RUN: least src='where(arange(8192, i32).reshape((128, 64)) % 4096 == 130, 0.0 / zeros((128, 64), f32), arange(8192, f32).reshape((128, 64)))' dst='empty((128, 64), f32)' rows='empty(128, f32)' M=128 N=64 NAN=True --grid 1 --target cuda:103a
# EXPECT: isnan(rows) == (arange(128, i32) % 64 == 2) and where(isnan(rows), 0, rows) == where(arange(128, i32) % 64 == 2, 0, arange(128, f32) * 64)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory


@gluon.jit
def reduced(src, dst, rows, M: gl.constexpr, N: gl.constexpr, ABS: gl.constexpr, NAN: gl.constexpr,
            MIN: gl.constexpr):
    wide: gl.constexpr = gl.BlockedLayout([1, 2], [32, 1], [4, 1], [1, 0])
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, M, gl.SliceLayout(1, wide))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, wide))[None, :]
    tmem = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([128, N], 1))
    tmem.store(gl.convert_layout(gl.load(src + at), tmem.get_reg_layout()))
    propagate: gl.constexpr = gl.PropagateNan.ALL if NAN else gl.PropagateNan.NONE
    if MIN:
        value, extreme = tmem.load_min(abs=ABS, propagate_nan=propagate)
    else:
        value, extreme = tmem.load_max(tmem.get_reg_layout(), abs=ABS, propagate_nan=propagate)
    gl.store(dst + at, gl.convert_layout(value, wide))
    gl.store(rows + gl.arange(0, M, line), gl.convert_layout(extreme, line))


@gluon.jit
def least(src, dst, rows, M: gl.constexpr, N: gl.constexpr, ABS: gl.constexpr = False, NAN: gl.constexpr = False):
    reduced(src, dst, rows, M, N, ABS, NAN, True)


@gluon.jit
def greatest(src, dst, rows, M: gl.constexpr, N: gl.constexpr, ABS: gl.constexpr = False, NAN: gl.constexpr = False):
    reduced(src, dst, rows, M, N, ABS, NAN, False)
