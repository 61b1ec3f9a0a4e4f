"""Block pointers and tensor descriptors of Triton, which become pointers and masks."""

# RUN: copy_block x='randn((40, 70), f32)' out='full((32, 64), 7.0)' row=0 column=0 padding="'zero'" M=32 N=64 --grid 1
# EXPECT: out == x[0:32, 0:64]
# RUN: copy_block x='randn((40, 70), f32)' out='full((32, 64), 7.0)' row=16 column=32 padding="'zero'" M=32 N=64 --grid 1
# EXPECT: all(out[0:24, 0:38] == x[16:40, 32:70]) & all(out[24:32, :] == 0) & all(out[:, 38:64] == 0)
# RUN: copy_block x='randn((40, 70), f16)' out='full((32, 64), 7.0, f16)' row=-8 column=-16 padding="'nan'" M=32 N=64 --grid 1
# EXPECT: all(out[8:32, 16:64] == x[0:24, 0:48]) & all(isnan(out[0:8, :])) & all(isnan(out[:, 0:16]))
# RUN: sum_blocks x='randn((30, 200), f32)' out='zeros(32, f32)' columns=200 --grid 1
# EXPECT: allclose(out[0:30], sum(x, 1), rtol=1e-4, atol=1e-4) & (out[30:32] == 0)
# RUN: store_block out='full((40, 70), 7.0)' row=16 column=32 --grid 1
# EXPECT: all(out[16:40, 32:70] == 1) & all(out[0:16, :] == 7) & all(out[:, 0:32] == 7)
# RUN: transposed x='randn((32, 16), f32)' out='empty((16, 32), f32)' --grid 1
# EXPECT: out == x.T
# RUN: one_of_two x='randn(64, f32)' y='randn(64, f32)' out='empty(64, f32)' first=1 --grid 1
# EXPECT: out == x
# RUN: one_of_two x='randn(64, f32)' y='randn(64, f32)' out='empty(64, f32)' first=0 --grid 1
# EXPECT: out == y
# RUN: described x='randn((40, 72), f32)' out='full((40, 72), 7.0)' row=16 column=32 --grid 1
# EXPECT: all(out[16:40, 32:72] == 2 * x[16:40, 32:72]) & all(out[0:16, :] == 7) & all(out[:, 0:32] == 7)
# RUN: described_sum x='randn((3, 32, 200), f32)' out='empty((3, 32), f32)' --grid 3
# EXPECT: allclose(out, sum(x, 2), rtol=1e-4, atol=1e-4)
# RUN: padded x='randn((8, 8), f32)' out='empty((16, 16), f32)' --grid 1
# EXPECT: all(out[0:8, 0:8] == x) & all(isnan(out[8:16, :])) & all(isnan(out[:, 8:16]))
# RUN: rows x='randn((64, 32), f32)' index='(arange(16, i32) * 5) % 64' out='zeros((64, 32), f32)' --grid 1
# EXPECT: all(out[3, 8:24] == x[0, 0:16]) & all(out[8, 8:24] == x[5, 0:16]) & all(out[63, 8:24] == x[60, 0:16]) & all(out[5, :] == 0)
# RUN: reductions out='full((5, 16), 6, i32)' --grid 2
# EXPECT: all(out[0, :] == 12) & all(out[1, :] == 3) & all(out[2, :] == 6) & all(out[3, :] == 2) & all(out[4, :] == 7)

import triton
import triton.language as tl


@triton.jit
def block(p, rows, columns, row, column, M: tl.constexpr, N: tl.constexpr):
    return tl.make_block_ptr(p, (rows, columns), (columns, 1), (row, column), (M, N), (1, 0))


@triton.jit
def copy_block(x, out, row, column, padding: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    source = block(x, 40, 70, row, column, M, N)
    v = tl.load(source, boundary_check=(0, 1), padding_option=padding)
    tl.store(block(out, M, N, 0, 0, M, N), v.to(source.dtype.element_ty))


@triton.jit
def sum_blocks(x, out, columns):
    p = block(x, 30, columns, 0, 0, 32, 64)
    acc = tl.zeros((32, 64), tl.float32)
    for _ in range(0, columns, 64):
        acc += tl.load(p, boundary_check=[0, 1], padding_option="zero")
        p = tl.advance(p, (0, 64))
    q = tl.make_block_ptr(base=out, shape=(32,), strides=(1,), offsets=(0,), block_shape=(32,), order=(0,))
    tl.store(q, tl.sum(acc, 1))


@triton.jit
def store_block(out, row, column):
    tl.store(block(out, 40, 70, row, column, 32, 64), 1.0, boundary_check=(0, 1))


@triton.jit
def transposed(x, out):
    p = tl.make_block_ptr(x, (16, 32), (1, 16), (0, 0), (16, 32), (0, 1))
    tl.store(block(out, 16, 32, 0, 0, 16, 32), tl.load(p))


@triton.jit
def one_of_two(x, y, out, first: tl.int32):
    p = tl.make_block_ptr(x, (64), (1), (16), (64), (0))
    p = tl.advance(p, -16)
    if first == 0:
        p = tl.make_block_ptr(y, (64,), (1,), (0,), (64,), (0,))
    tl.store(out + tl.arange(0, 64), p.load(boundary_check=(0,)))


@triton.jit
def described(x, out, row, column):
    source = tl.make_tensor_descriptor(x, [40, 72], [72, 1], [32, 64])
    target = tl.make_tensor_descriptor(out, [40, 72], [72, 1], [32, 64])
    target.store([row, column], 2 * source.load([row, column]))


@triton.jit
def described_sum(x, out):
    d = tl.make_tensor_descriptor(x, [3, 32, 200], [32 * 200, 200, 1], [1, 32, 64])
    acc = tl.zeros([32], tl.float32)
    for k in range(0, 200, 64):
        acc += tl.sum(tl.load_tensor_descriptor(d, [tl.program_id(0), 0, k]).reshape(32, 64), 1)
    tl.store(out + tl.program_id(0) * 32 + tl.arange(0, 32), acc)


@triton.jit
def padded(x, out):
    source = tl.make_tensor_descriptor(x, [8, 8], [8, 1], [16, 16], padding_option="nan")
    target = tl.make_tensor_descriptor(out, [16, 16], [16, 1], [16, 16])
    tl.store_tensor_descriptor(target, [0, 0], source.load([0, 0]))


@triton.jit
def rows(x, index, out):
    i = tl.load(index + tl.arange(0, 16))
    source = tl.make_tensor_descriptor(x, [64, 32], [32, 1], [1, 16])
    target = tl.make_tensor_descriptor(out, [64, 32], [32, 1], [1, 16])
    target.scatter(source.gather(i, 0), i + 3, 8)


@triton.jit
def reductions(out):
    d = tl.make_tensor_descriptor(out, [5, 16], [16, 1], [1, 16])
    three = tl.full([1, 16], 3, tl.int32)
    d.atomic_add([0, 0], three)
    d.atomic_min([1, 0], three)
    d.atomic_max([2, 0], three)
    d.atomic_and([3, 0], three)
    d.atomic_or([4, 0], three)
