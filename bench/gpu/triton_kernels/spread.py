"""Small kernels of many kinds, by which the performance model is judged and not made: each is limited by something else.

`CASES` is as in kernels.py.
"""

import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < count) * 3.0, at < count)


@triton.jit
def strided_kernel(x, out, count, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at * STRIDE, at < count), at < count)


@triton.jit
def transpose_kernel(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    at_m = tl.program_id(0) * M + tl.arange(0, M)
    at_n = tl.program_id(1) * N + tl.arange(0, N)
    tile = tl.load(x + at_m[:, None] * columns + at_n[None, :])
    tl.store(out + at_n[:, None] * rows + at_m[None, :], tl.trans(tile))


@triton.jit
def powers_kernel(x, out, count, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < count)
    for _ in range(TIMES):
        value = tl.exp2(value) - 1.0
    tl.store(out + at, value, at < count)


@triton.jit
def horner_kernel(x, out, count, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < count)
    total = value
    for _ in range(TIMES):
        total = total * value + 0.5
    tl.store(out + at, total, at < count)


@triton.jit
def gelu_kernel(x, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < count).to(tl.float32)
    inner = 0.7978845608 * (value + 0.044715 * value * value * value)
    tl.store(out + at, (value / (1.0 + tl.exp(-2.0 * inner))).to(tl.float16), at < count)


@triton.jit
def random_kernel(out, count, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.rand(seed, at), at < count)


@triton.jit
def column_sums_kernel(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    at_n = tl.program_id(0) * N + tl.arange(0, N)
    total = tl.zeros([N], tl.float32)
    for first in range(0, rows, M):
        at_m = first + tl.arange(0, M)
        total += tl.sum(tl.load(x + at_m[:, None] * columns + at_n[None, :]), 0)
    tl.store(out + at_n, total)


@triton.jit
def row_sums_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, columns, BLOCK):
        total += tl.load(x + row * columns + first + tl.arange(0, BLOCK))
    tl.store(out + row, tl.sum(total, 0))


@triton.jit
def vector_kernel(a, x, out, columns, M: tl.constexpr, N: tl.constexpr):
    at_m = tl.program_id(0) * M + tl.arange(0, M)
    total = tl.zeros([M], tl.float32)
    for first in range(0, columns, N):
        at_n = first + tl.arange(0, N)
        tile = tl.load(a + at_m[:, None] * columns + at_n[None, :]).to(tl.float32)
        total += tl.sum(tile * tl.load(x + at_n).to(tl.float32)[None, :], 1)
    tl.store(out + at_m, total)


@triton.jit
def scan_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(out + row * columns + at, tl.cumsum(tl.load(x + row * columns + at), 0))


@triton.jit
def gather_kernel(table, rows, out, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0)
    row = tl.load(rows + at)
    for first in range(0, columns, BLOCK):
        place = first + tl.arange(0, BLOCK)
        tl.store(out + at * columns + place, tl.load(table + row * columns + place))


@triton.jit
def add_up_kernel(x, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + at % 4096, tl.load(x + at, at < count), at < count)


@triton.jit
def small_products_kernel(a, b, c, K, M: tl.constexpr, N: tl.constexpr, DEPTH: tl.constexpr):
    batch = tl.program_id(0)
    at_m, at_n, at_k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, DEPTH)
    total = tl.zeros((M, N), tl.float32)
    for first in range(0, K, DEPTH):
        x = tl.load(a + batch * M * K + at_m[:, None] * K + first + at_k[None, :])
        y = tl.load(b + batch * N * K + (first + at_k)[:, None] * N + at_n[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + batch * M * N + at_m[:, None] * N + at_n[None, :], total)


def _flat(kernel, count, block, warps, reference, dtype="float32", inputs=1, **meta):
    def make(torch):
        x = torch.randn(count * inputs, device="cuda").to(getattr(torch, dtype))
        out = torch.empty(count, device="cuda", dtype=x.dtype)

        def run():
            kernel[(triton.cdiv(count, block),)](x, out, count, BLOCK=block, num_warps=warps, **meta)
            return out
        return run, lambda: reference(torch, x.double()), count
    return make


def _powers(times):
    def reference(torch, x):
        for _ in range(times):
            x = torch.exp2(x.clamp(max=4)) - 1
        return x
    return reference


def _horner(times):
    def reference(torch, x):
        total = x
        for _ in range(times):
            total = total * x + 0.5
        return total
    return reference


def _transpose(size, tile, warps):
    def make(torch):
        x = torch.randn(size, size, device="cuda")
        out = torch.empty_like(x)

        def run():
            transpose_kernel[(size // tile[0], size // tile[1])](x, out, size, size, *tile, num_warps=warps)
            return out
        return run, lambda: x.double().T, 8 * size * size
    return make


def _random(count):
    def make(torch):
        out = torch.empty(count, device="cuda")

        def run():
            random_kernel[(triton.cdiv(count, 1024),)](out, count, 7, BLOCK=1024)
            return out
        return run, lambda: out.double(), 4 * count
    return make


def _sums(kernel, rows, columns, grid, along, *tile, warps=4):
    def make(torch):
        x = torch.randn(rows, columns, device="cuda")
        out = torch.empty(columns if along == 0 else rows, device="cuda")

        def run():
            kernel[(grid,)](x, out, *((rows,) if along == 0 else ()), columns, *tile, num_warps=warps)
            return out
        return run, lambda: x.double().sum(along), 4 * rows * columns
    return make


def _vector(rows, columns, tile, warps):
    def make(torch):
        a = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
        x = torch.randn(columns, device="cuda", dtype=torch.float16)
        out = torch.empty(rows, device="cuda")

        def run():
            vector_kernel[(rows // tile[0],)](a, x, out, columns, *tile, num_warps=warps)
            return out
        return run, lambda: a.double() @ x.double(), 2 * rows * columns
    return make


def _scan(rows, columns):
    def make(torch):
        x = torch.randn(rows, columns, device="cuda")
        out = torch.empty_like(x)

        def run():
            scan_kernel[(rows,)](x, out, columns, BLOCK=columns)
            return out
        return run, lambda: x.double().cumsum(1), 8 * rows * columns
    return make


def _gather(count, columns):
    def make(torch):
        table = torch.randn(1 << 15, columns, device="cuda", dtype=torch.float16)
        rows = torch.randint(0, 1 << 15, (count,), device="cuda", dtype=torch.int32)
        out = torch.empty(count, columns, device="cuda", dtype=torch.float16)

        def run():
            gather_kernel[(count,)](table, rows, out, columns, BLOCK=512)
            return out
        return run, lambda: table[rows.long()].double(), 4 * count * columns
    return make


def _add_up(count):
    def make(torch):
        x = torch.ones(count, device="cuda")
        out = torch.zeros(4096, device="cuda")

        def run():
            add_up_kernel[(triton.cdiv(count, 1024),)](x, out, count, BLOCK=1024)
            return out
        return run, lambda: out.double(), 4 * count
    return make


def _small_products(batch, m, n, k, depth, warps):
    def make(torch):
        a = torch.randn(batch, m, k, device="cuda", dtype=torch.float16)
        b = torch.randn(batch, k, n, device="cuda", dtype=torch.float16)
        c = torch.empty(batch, m, n, device="cuda")

        def run():
            small_products_kernel[(batch,)](a, b, c, k, m, n, depth, num_warps=warps)
            return c
        return run, lambda: a.double() @ b.double(), 2 * batch * m * n * k
    return make


def _same(torch, x):
    return 3 * x


CASES = [
    *((f"scale 2^26 {block} w{warps}", _flat(scale_kernel, 1 << 26, block, warps, _same))
      for block, warps in ((128, 4), (1024, 4), (4096, 8))),
    *((f"strided {stride} 2^22", _flat(strided_kernel, 1 << 22, 1024, 4, lambda torch, x, s=stride: x[::s],
                                       inputs=stride, STRIDE=stride)) for stride in (2, 8, 32)),
    *((f"transpose 8192 {m}x{n} w{warps}", _transpose(8192, (m, n), warps))
      for m, n, warps in ((32, 32, 4), (64, 64, 4), (128, 16, 4))),
    *((f"powers {times} 2^22", _flat(powers_kernel, 1 << 22, 1024, 4, _powers(times), TIMES=times))
      for times in (4, 64)),
    *((f"horner {times} 2^22", _flat(horner_kernel, 1 << 22, 1024, 4, _horner(times), TIMES=times))
      for times in (16, 256)),
    ("gelu 2^26", _flat(gelu_kernel, 1 << 26, 1024, 4, lambda torch, x: torch.nn.functional.gelu(
        x, approximate="tanh"), dtype="float16")),
    ("random 2^26", _random(1 << 26)),
    ("column sums 8192x8192", _sums(column_sums_kernel, 8192, 8192, 128, 0, 32, 64)),
    ("row sums 8192x8192", _sums(row_sums_kernel, 8192, 8192, 8192, 1, 2048)),
    ("vector 16384x8192", _vector(16384, 8192, (16, 256), 4)),
    ("scan 16384x2048", _scan(16384, 2048)),
    ("gather 2^16x1024", _gather(1 << 16, 1024)),
    ("add up 2^24", _add_up(1 << 24)),
    ("small products 4096 64x64x512", _small_products(4096, 64, 64, 512, 64, 4)),
    ("small products 4096 16x64x512", _small_products(4096, 16, 64, 512, 64, 4)),
]
