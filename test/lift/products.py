"""A product in blocks with an epilogue, and attention."""

# RUN: matmul a='randn((96, 80), f16, 1)' b='randn((80, 64), f16, 2)' c='empty((96, 64), f16)' M=96 N=64 K=80 \
#   BM=64 BN=64 BK=32 GROUP=2 --grid 2
# EXPECT: allclose(c, maximum(matmul(a, b), 0), 2e-2, 2e-2)
# RUN: matmul a='randn((128, 128), f16, 1)' b='randn((128, 128), f16, 2)' c='empty((128, 128), f16)' M=128 N=128 \
#   K=128 BM=128 BN=64 BK=64 GROUP=4 --grid 2 --num-stages 4
# EXPECT: allclose(c, maximum(matmul(a, b), 0), 2e-2, 2e-2)
# RUN: attention q='0.3 * randn((128, 64), f16, 1)' k='0.3 * randn((128, 64), f16, 2)' v='randn((128, 64), f16, 3)' \
#   out='empty((128, 64), f16)' n=128 scale=0.125 BM=64 BN=32 D=64 CAUSAL=True --grid 2 \
#   s='where(arange(128)[:, None] >= arange(128)[None, :], 0.125 * matmul(q, k.T), full((128, 128), -1.0e30))' \
#   p='exp2(s - max(s, 1)[:, None])'
# EXPECT: allclose(out, matmul(p, v) / sum(p, 1)[:, None], 2e-2, 2e-2)
# RUN: attention q='0.3 * randn((128, 64), f16, 1)' k='0.3 * randn((128, 64), f16, 2)' v='randn((128, 64), f16, 3)' \
#   out='empty((128, 64), f16)' n=128 scale=0.125 BM=64 BN=64 D=64 CAUSAL=False --grid 2 \
#   s='0.125 * matmul(q, k.T)' p='exp2(s - max(s, 1)[:, None])'
# EXPECT: allclose(out, matmul(p, v) / sum(p, 1)[:, None], 2e-2, 2e-2)

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    rows = tl.cdiv(M, BM)
    per_group = GROUP * tl.cdiv(N, BN)
    first = pid // per_group * GROUP
    size = min(rows - first, GROUP)
    pid_m = first + pid % per_group % size
    pid_n = pid % per_group // size
    m = pid_m * BM + tl.arange(0, BM)
    n = pid_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a + m[:, None] * K + k[None, :]
    b_ptrs = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a_ptrs, (m[:, None] < M) & (k[None, :] < K - start), other=0.0)
        right = tl.load(b_ptrs, (k[:, None] < K - start) & (n[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
        a_ptrs += BK
        b_ptrs += BK * N
    acc = tl.maximum(acc, 0.0)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16), (m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, out, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    d = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + d[None, :])
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else n
    for start in range(0, end, BN):
        at = start + columns
        keys = tl.load(k + at[None, :] * D + d[:, None])
        scores = tl.dot(queries, keys) * scale
        if CAUSAL:
            scores = tl.where(rows[:, None] >= at[None, :], scores, -1.0e30)
        larger = tl.maximum(largest, tl.max(scores, 1))
        powers = tl.exp2(scores - larger[:, None])
        shrinks = tl.exp2(largest - larger)
        total = total * shrinks + tl.sum(powers, 1)
        values = tl.load(v + at[:, None] * D + d[None, :])
        acc = tl.dot(powers.to(tl.float16), values, acc * shrinks[:, None])
        largest = larger
    tl.store(out + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def shifted(a, b):
    b.store([0, 0], a.load([0, 0]) + 1.0)
