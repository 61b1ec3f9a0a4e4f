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
# RUN: described_product a='randn((128, 160), f16)' b='randn((96, 160), f16)' c='full((128, 96), 7.0, f16)' M=128 N=96 K=160 STAGES=1 --grid '(2, 2)'
# EXPECT: allclose(c, a @ b.T, rtol=1e-2, atol=2e-2)
# RUN: described_product a='randn((128, 160), f16)' b='randn((96, 160), f16)' c='full((128, 96), 7.0, f16)' M=128 N=96 K=160 STAGES=2 --grid '(2, 2)'
# EXPECT: allclose(c, a @ b.T, rtol=1e-2, atol=2e-2)
# RUN: described_product a='randn((128, 160), f16)' b='randn((96, 160), f16)' c='full((128, 96), 7.0, f16)' M=128 N=96 K=160 STAGES=4 --grid '(2, 2)'
# EXPECT: allclose(c, a @ b.T, rtol=1e-2, atol=2e-2)
# RUN: batched_product a='randn((2, 64, 160), f16)' b='randn((2, 160, 64), f16)' c='full((2, 64, 64), 7.0, f16)' K=160 --grid 2
# EXPECT: allclose(c, a @ b, rtol=1e-2, atol=2e-2)
# RUN: described_attention q='randn((64, 32), f16)' k='randn((128, 32), f16)' v='randn((128, 32), f16)' out='empty((64, 32), f32)' length=128 --grid 1
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T) / sum(exp(q.to(f32) @ k.to(f32).T), 1).reshape((64, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: stored_twice x='randn((32, 64), f32)' columns='empty((64, 32), f32)' rows='empty((32, 64), f32)' --grid 1
# EXPECT: all(columns == x.T) & all(rows == x)
# Fewer elements than threads: the load is made again where the block is summed.
# RUN: stored_then_summed x='randint(-9, 10, (32, 16), f32)' out='empty((32, 16), i32)' n=5 --num-warps 8 --grid 1
# EXPECT: out == x.to(i32) + sum(x.to(i32), 0)[None, :]
# RUN: scaled_in_place x='arange(64 * 256, f32).reshape((64, 256)) % 61' columns=256 --grid 1
# EXPECT: x == 4 * (arange(64 * 256, f32).reshape((64, 256)) % 61)
# RUN: carried_descriptor x='zeros((32, 256), f32)' columns=256 --grid 1
# EXPECT: x == 10
# RUN: tiles_in_turn x='randn((96, 128), f32)' out='empty((96, 128), f32)' sums='empty((96, 128), f32)' --grid 1
# EXPECT: all(out == 2 * x) & all(sums == 4 * x)
# RUN: small_boxes x='randn(12, f32)' out='empty(12, f32)' --grid 1
# EXPECT: out == x
# RUN: through_function x='randn((32, 64), f32)' out='empty((32, 64), f32)' --grid 1
# EXPECT: out == 2 * x
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
def described_product(a, b, c, M, N, K, STAGES: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [64, 64])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [64, 64])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [64, 64])
    row, column = tl.program_id(0) * 64, tl.program_id(1) * 64
    total = tl.zeros((64, 64), tl.float32)
    for k in tl.range(0, K, 64, num_stages=STAGES):
        total = tl.dot(left.load([row, k]), right.load([column, k]).T, total)
    target.store([row, column], total.to(tl.float16))


@triton.jit
def batched_product(a, b, c, K: tl.constexpr):
    one = tl.program_id(0)
    a_desc = tl.make_tensor_descriptor(a, [2, 64, K], [64 * K, K, 1], [1, 64, 32])
    b_desc = tl.make_tensor_descriptor(b, [2, K, 64], [K * 64, 64, 1], [1, 32, 64])
    c_desc = tl.make_tensor_descriptor(c, [2, 64, 64], [64 * 64, 64, 1], [1, 64, 64])
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 32):
        acc = tl.dot(a_desc.load([one, 0, k]).reshape(64, 32), b_desc.load([one, k, 0]).reshape(32, 64), acc)
    c_desc.store([one, 0, 0], acc.to(tl.float16).reshape(1, 64, 64))


@triton.jit
def described_attention(q, k, v, out, length):
    queries = tl.make_tensor_descriptor(q, [64, 32], [32, 1], [64, 32]).load([0, 0])
    keys = tl.make_tensor_descriptor(k, [length, 32], [32, 1], [32, 32])
    values = tl.make_tensor_descriptor(v, [length, 32], [32, 1], [32, 32])
    top = tl.full((64,), -1e30, tl.float32)
    sums, total = tl.zeros((64,), tl.float32), tl.zeros((64, 32), tl.float32)
    for start in range(0, length, 32):
        scores = tl.dot(queries, keys.load([start, 0]).T)
        higher = tl.maximum(top, tl.max(scores, 1))
        powers = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        sums = sums * shrink + tl.sum(powers, 1)
        total = tl.dot(powers.to(tl.float16), values.load([start, 0]), total * shrink[:, None])
        top = higher
    tl.make_tensor_descriptor(out, [64, 32], [32, 1], [64, 32]).store([0, 0], total / sums[:, None])


# What is stored through a descriptor is there when it is loaded again.
@triton.jit
def stored_twice(x, columns, rows):
    block = tl.make_tensor_descriptor(x, [32, 64], [64, 1], [32, 64]).load([0, 0])
    row, column = tl.arange(0, 32)[:, None], tl.arange(0, 64)[None, :]
    tl.store(columns + column * 32 + row, block)
    tl.store(rows + row * 64 + column, block)


@triton.jit
def stored_then_summed(x, out, n):
    i, j = tl.arange(0, 32)[:, None], tl.arange(0, 16)[None, :]
    block = tl.make_tensor_descriptor(x, [32, 16], [16, 1], [32, 16])
    block.store([0, 0], 2 * tl.load(x + i * 16 + j))
    value = block.load([0, 0]).to(tl.int32)
    if n > 3:
        value += tl.sum(value, 0)
    tl.store(out + i * 16 + j, value)


@triton.jit
def scaled_in_place(x, columns):
    tile = tl.make_tensor_descriptor(x, [64, columns], [columns, 1], [64, 32])
    for _ in range(2):
        for column in tl.range(0, columns, 32, num_stages=3):
            tile.store([0, column], 2 * tile.load([0, column]))


@triton.jit
def carried_descriptor(x, columns):
    tile = tl.make_tensor_descriptor(x, [32, columns], [columns, 1], [32, 32])
    for column in range(0, columns, 32):
        if column % 96 == 0:
            tile = tl.make_tensor_descriptor(x, [32, columns], [columns, 1], [32, 32])
        tile.store([0, column], tile.load([0, column]) + 10)


@triton.jit
def tiles_in_turn(x, out, sums):
    source = tl.make_tensor_descriptor(x, [96, 128], [128, 1], [32, 32])
    one = tl.make_tensor_descriptor(out, [96, 128], [128, 1], [32, 32])
    two = tl.make_tensor_descriptor(sums, [96, 128], [128, 1], [32, 32])
    for row in range(0, 96, 32):
        for column in tl.range(0, 128, 32, num_stages=2):
            tile = source.load([row, column])
            one.store([row, column], 2 * tile)
            two.store([row, column], 4 * tile)


@triton.jit
def small_boxes(x, out):
    # A ring of them has places where the copy engine cannot copy to.
    source = tl.make_tensor_descriptor(x, [12], [1], [4])
    for start in tl.range(0, 12, 4, num_stages=3):
        tl.store(out + start + tl.arange(0, 4), source.load([start]))


@triton.jit(noinline=True)
def double_block(source, target):
    target.store([0, 0], 2 * source.load([0, 0]))


@triton.jit
def through_function(x, out):
    double_block(tl.make_tensor_descriptor(x, [32, 64], [64, 1], [32, 64]),
                 tl.make_tensor_descriptor(out, [32, 64], [64, 1], [32, 64]))


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
