"""Descriptors of kernels whose programs are clusters: the TMA brings each CTA its part of a block."""
# RUN: matmul a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (256, 192), f16)' c='empty((256, 256), f32)' \
#   M=256 N=256 K=192 BM=128 BN=128 BK=64 STAGES=3 --grid 2,2 --num-ctas 2 --target cuda:90a
# EXPECT: c == matmul(a, b.T)
# RUN: matmul a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (256, 192), f16)' c='empty((256, 256), f32)' \
#   M=256 N=256 K=192 BM=64 BN=256 BK=64 STAGES=3 --grid 4,1 --num-ctas 2 --target cuda:90a
# EXPECT: c == matmul(a, b.T)
# RUN: matmul a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (256, 192), f16)' c='empty((256, 256), f32)' \
#   M=256 N=256 K=192 BM=128 BN=256 BK=64 STAGES=3 --grid 2,1 --num-ctas 4 --num-warps 8 --target cuda:90a
# EXPECT: c == matmul(a, b.T)
# RUN: plain a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (192, 256), f16)' c='empty((256, 256), f32)' \
#   M=256 N=256 K=192 BM=128 BN=128 BK=64 STAGES=4 --grid 2,2 --num-ctas 2 --target cuda:90a
# EXPECT: c == matmul(a, b)
# RUN: plain a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (192, 256), f16)' c='empty((256, 256), f32)' \
#   M=256 N=256 K=192 BM=64 BN=256 BK=32 STAGES=3 --grid 4,1 --num-ctas 4 --target cuda:90a
# EXPECT: c == matmul(a, b)
# RUN: plain a='randint(-4, 5, (128, 192), f16)' b='randint(-4, 5, (192, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=192 BM=32 BN=64 BK=32 STAGES=3 --grid 4,1 --num-ctas 4 --target cuda:90a
# EXPECT: c == matmul(a, b)
# Their boxes are as large as what each CTA of a cluster has of the rows.
# RUN: hosted a='randint(-4, 5, (200, 96), f16)' b='randint(-4, 5, (96, 136), f16)' c='full((200, 136), 7, f32)' \
#   left='TensorDescriptor.from_tensor(a, [128, 32])' right='TensorDescriptor.from_tensor(b, [32, 64])' \
#   target='TensorDescriptor.from_tensor(c, [128, 64])' K=96 BM=128 BN=64 BK=32 --grid 2,3 --num-ctas 2 --target cuda:90a
# EXPECT: c == matmul(a, b)
# RUN: hosted a='randint(-4, 5, (100, 96), f16)' b='randint(-4, 5, (96, 256), f16)' c='full((100, 256), 7, f16)' \
#   left='TensorDescriptor.from_tensor(a, [64, 32])' right='TensorDescriptor.from_tensor(b, [32, 256])' \
#   target='TensorDescriptor.from_tensor(c, [64, 256])' K=96 BM=64 BN=256 BK=32 --grid 2,1 --num-ctas 4 --target cuda:90a
# EXPECT: c == matmul(a, b).to(f16)

import triton
import triton.language as tl


@triton.jit
def hosted(left, right, target, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(left.load([row, k]), right.load([k, column]), total)
    target.store([row, column], total.to(target.dtype))


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           STAGES: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, num_stages=STAGES):
        total = tl.dot(left.load([row, k]), right.load([column, k]).T, total)
    target.store([row, column], total)


@triton.jit
def plain(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
          STAGES: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, num_stages=STAGES):
        total = tl.dot(left.load([row, k]), right.load([k, column]), total)
    target.store([row, column], total)
