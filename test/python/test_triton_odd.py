"""Kernels of the Triton language as people write them now and then, on three chips, against NumPy."""

from collections import namedtuple

import numpy as np
import pytest
from gluonc._jit import triton_jit
from gluonc._triton import _language as tl
from gluonc._triton.tools.tensor_descriptor import TensorDescriptor

RNG = np.random.default_rng(0)


@pytest.fixture(params=["sm80", "sm90a", "sm100a"])
def arch(request):
    return request.param


def floats(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def assert_close(got, want, tolerance=1e-4):
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@triton_jit
def rows_until(x, out, rows, cols, limit, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = 0
    p = x
    while row < rows:
        total = tl.zeros([BLOCK], tl.float32)
        col = 0
        stop = False
        while (col < cols) and (not stop):
            total += tl.load(p + col + at, mask=col + at < cols, other=0.0)
            stop = tl.sum(total, 0) > limit
            col += BLOCK
        tl.store(out + row, tl.sum(total, 0))
        p += cols
        row += 1


def test_loops_in_loops_end_early(arch):
    x, out = RNG.random((5, 70), dtype=np.float32), np.zeros(5, np.float32)
    rows_until[(1,)](x, out, 5, 70, 15.0, BLOCK=16, arch=arch)
    for row, got in zip(x, out):
        parts = np.add.accumulate([row[i:i + 16].sum() for i in range(0, 70, 16)])
        assert_close(got, parts[np.argmax(parts > 15)] if (parts > 15).any() else parts[-1])


@triton_jit
def follow(nexts, values, out, start, B: tl.constexpr):
    at = tl.arange(0, B)
    node = start
    total = tl.zeros([B], tl.float32)
    while node >= 0:
        total += tl.load(values + at + node * B)
        node = tl.load(nexts + node)
    tl.store(out + at, total)


def test_a_list_in_memory_is_followed(arch):
    nexts, values, out = np.array([3, 4, -1, 1, 2], np.int32), floats(5, 16), np.zeros(16, np.float32)
    follow[(1,)](nexts, values, out, 0, B=16, arch=arch)
    assert_close(out, values.sum(0))


@triton_jit
def square(x):
    return x * x


@triton_jit
def step(state, v, f):
    low, high, (total, count) = state
    return tl.minimum(low, v), tl.maximum(high, v), (total + f(v), count + 1)


@triton_jit
def tuples(x, out, n, B: tl.constexpr, F: tl.constexpr):
    at = tl.arange(0, B)
    first = tl.load(x + at)
    state = (first, first, (tl.zeros_like(first), 0))
    for i in range(0, n):
        state = step(state, tl.load(x + i * B + at), F)
    tl.store(out + at, state[0])
    tl.store(out + B + at, state[1])
    tl.store(out + 2 * B + at, state[2][0] / state[2][1])


def test_loops_carry_tuples_of_tuples_and_functions_are_arguments(arch):
    x, out = floats(6, 32), np.zeros((3, 32), np.float32)
    tuples[(1,)](x, out, 6, B=32, F=square, arch=arch)
    assert_close(out, np.stack([x.min(0), x.max(0), (x * x).mean(0)]))


Mean = namedtuple("Mean", ["value", "count"])


@triton_jit
def joined(a, b):
    count = a.count + b.count
    return Mean(a.value + (b.value - a.value) * b.count / count, count)


@triton_jit
def means(x, out, n, B: tl.constexpr):
    at = tl.arange(0, B)
    mean = Mean(tl.load(x + at), tl.full([B], 1.0, tl.float32))
    for i in range(1, n):
        mean = joined(mean, Mean(tl.load(x + i * B + at), tl.full([B], 1.0, tl.float32)))
    tl.store(out + at, mean.value)


def test_loops_carry_named_tuples(arch):
    x, out = floats(7, 32), np.zeros(32, np.float32)
    means[(1,)](x, out, 7, B=32, arch=arch)
    assert_close(out, x.mean(0))


@triton_jit
def collatz(n, most):
    steps = 0
    while (n != 1) and (steps < most):
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps, n


@triton_jit
def mapped(x, steps, ends, B: tl.constexpr):
    at = tl.arange(0, B)
    count, end = tl.map_elementwise(collatz, tl.load(x + at), tl.full([B], 50, tl.int32))
    tl.store(steps + at, count)
    tl.store(ends + at, end)


def test_code_per_element_has_loops_branches_and_two_results(arch):
    x, steps, ends = np.arange(1, 65, dtype=np.int32), np.zeros(64, np.int32), np.zeros(64, np.int32)
    mapped[(1,)](x, steps, ends, B=64, arch=arch)
    for n, count, end in zip(x.tolist(), steps, ends):
        made = 0
        while n != 1 and made < 50:
            n, made = n // 2 if n % 2 == 0 else 3 * n + 1, made + 1
        assert (count, end) == (made, n)


@triton_jit
def moments(m1, s1, n1, m2, s2, n2):
    d = m2 - m1
    n = n1 + n2
    return m1 + d * n2 / n, s1 + s2 + d * d * n1 * n2 / n, n


@triton_jit
def variances(x, mean, variance, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    m, s, n = tl.reduce((v, tl.zeros_like(v), tl.full([M, N], 1.0, tl.float32)), AXIS, moments)
    k = tl.arange(0, N if AXIS == 0 else M)
    tl.store(mean + k, m)
    tl.store(variance + k, s / n)


@pytest.mark.parametrize("shape, axis", [((8, 64), 0), ((64, 16), 1), ((1, 32), 0), ((128, 2), 1)])
def test_three_values_are_reduced_at_once(arch, shape, axis):
    x = floats(*shape)
    mean, variance = np.zeros(shape[1 - axis], np.float32), np.zeros(shape[1 - axis], np.float32)
    variances[(1,)](x, mean, variance, M=shape[0], N=shape[1], AXIS=axis, arch=arch)
    assert_close(mean, x.mean(axis))
    assert_close(variance, x.var(axis))


@triton_jit
def linear(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton_jit
def recurrence(a, b, out, M: tl.constexpr, N: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    _, h = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, linear, reverse=REVERSE)
    tl.store(out + at, h)


@pytest.mark.parametrize("reverse", [False, True])
def test_two_values_are_scanned_either_way(arch, reverse):
    a, b, out = RNG.random((32, 8), dtype=np.float32), floats(32, 8), np.zeros((32, 8), np.float32)
    recurrence[(1,)](a, b, out, M=32, N=8, REVERSE=reverse, arch=arch)
    want, now = np.zeros_like(b), np.zeros(8, np.float32)
    for i in range(31, -1, -1) if reverse else range(32):
        want[i] = now = now * a[i] + b[i]
    assert_close(out, want)


@triton_jit
def counts(x, out, n, B: tl.constexpr, BINS: tl.constexpr):
    at = tl.arange(0, B)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(v, BINS, mask=(at < n) & (v % 3 != 0)))


def test_histograms_leave_out_what_a_mask_does(arch):
    x, out = RNG.integers(0, 64, 1024).astype(np.int32), np.zeros(64, np.int32)
    counts[(1,)](x, out, 1000, B=1024, BINS=64, arch=arch)
    seen = x[:1000]
    assert (out == np.bincount(seen[seen % 3 != 0], minlength=64)).all()


@triton_jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    pa = tl.make_block_ptr(a, (M, K), (1, M), (m, 0), (BM, BK), (0, 1))
    pb = tl.make_block_ptr(b, (K, N), (N, 1), (0, n), (BK, BN), (1, 0))
    total = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, K, BK):
        x = tl.load(pa, boundary_check=(0, 1), padding_option="zero")
        total = tl.dot(x, tl.load(pb, boundary_check=(1, 0), padding_option="zero"), total)
        pa = tl.advance(pa, (0, BK))
        pb = tl.advance(pb, (BK, 0))
    pc = tl.make_block_ptr(c, (M, N), (N, 1), (m, n), (BM, BN), (1, 0))
    tl.store(pc, total, boundary_check=(0, 1))


@pytest.mark.parametrize("num_ctas", [1, 2])
def test_block_pointers_have_columns_first(arch, num_ctas):
    if arch == "sm80" and num_ctas > 1:
        pytest.skip("no clusters")
    a, b = floats(100, 50, dtype=np.float16), floats(50, 72, dtype=np.float16)
    c = np.zeros((100, 72), np.float32)
    product[(2, 3)](np.ascontiguousarray(a.T), b, c, 100, 72, 50, BM=64, BN=32, BK=16,
                    num_ctas=num_ctas, arch=arch)
    assert_close(c, a.astype(np.float32) @ b.astype(np.float32), 1e-2)


@triton_jit
def described_product(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([m, k]), b.load([k, n]), total)
    c.store([m, n], total)


@pytest.mark.parametrize("num_ctas", [1, 2, 4])
def test_descriptors_of_the_host_serve_clusters(arch, num_ctas):
    if arch == "sm80" and num_ctas > 1:
        pytest.skip("no clusters")
    a, b = floats(200, 104, dtype=np.float16), floats(104, 136, dtype=np.float16)
    c = np.zeros((200, 136), np.float32)
    BM, BN, BK = 128, 64, 32
    described_product[(2, 3)](
        TensorDescriptor.from_tensor(a, [BM, BK]), TensorDescriptor.from_tensor(b, [BK, BN]),
        TensorDescriptor.from_tensor(c, [BM, BN]), 104, BM, BN, BK, num_ctas=num_ctas, arch=arch)
    assert_close(c, a.astype(np.float32) @ b.astype(np.float32), 1e-2)


@triton_jit
def tree(x, N: tl.constexpr):
    if N == 1:
        return tl.reshape(x, [1])
    a, b = tl.split(tl.reshape(x, [N // 2, 2]))
    return tree(a + b, N // 2)


@triton_jit
def chosen(x, c):
    if c == 0:
        return x + 1.0
    if c == 1:
        return x * 2.0
    return x - 3.0


@triton_jit
def recursive(x, out, c, N: tl.constexpr):
    tl.store(out + tl.arange(0, 1), tree(chosen(tl.load(x + tl.arange(0, N)), c), N))


def test_functions_call_themselves_and_return_early(arch):
    x = floats(32)
    for c, want in enumerate((x + 1, x * 2, x - 3)):
        out = np.zeros(1, np.float32)
        recursive[(1,)](x, out, c, N=32, arch=arch)
        assert_close(out[0], want.sum())
