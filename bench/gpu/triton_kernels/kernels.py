"""Kernels of the Triton language that both compilers build, each with the launch that is measured.

`CASES` has (name, make) for each; `make(torch)` gives the function to time, the one that says what
should come out, and the work of a call: bytes or floating-point operations.
"""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, 0), inside)


@triton.jit
def norm_kernel(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + at, at < columns, other=0.0).to(tl.float32)
        total += values
        squares += values * values
    mean = tl.sum(total, 0) / columns
    scale = tl.rsqrt(tl.sum(squares, 0) / columns - mean * mean + eps)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x + row * columns + at, inside, other=0.0).to(tl.float32)
        gain = tl.load(weight + at, inside, other=0.0)
        shift = tl.load(bias + at, inside, other=0.0)
        tl.store(out + row * columns + at, (values - mean) * scale * gain + shift, inside)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, stride_a, stride_b, stride_c, TILE_M: tl.constexpr,
                  TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr):
    rows, columns = tl.cdiv(M, TILE_M), tl.cdiv(N, TILE_N)
    # Programs that run together share rows of a and columns of b in the cache.
    number = tl.program_id(0)
    band = number // (GROUP * columns)
    height = min(rows - band * GROUP, GROUP)
    row = band * GROUP + number % (GROUP * columns) % height
    column = number % (GROUP * columns) // height
    at_m = (row * TILE_M + tl.arange(0, TILE_M)) % M
    at_n = (column * TILE_N + tl.arange(0, TILE_N)) % N
    at_k = tl.arange(0, TILE_K)
    left = a + at_m[:, None] * stride_a + at_k[None, :]
    right = b + at_k[:, None] * stride_b + at_n[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, TILE_K)):
        x = tl.load(left, mask=at_k[None, :] < K - k * TILE_K, other=0.0)
        y = tl.load(right, mask=at_k[:, None] < K - k * TILE_K, other=0.0)
        total = tl.dot(x, y, total)
        left += TILE_K
        right += TILE_K * stride_b
    to_m = row * TILE_M + tl.arange(0, TILE_M)
    to_n = column * TILE_N + tl.arange(0, TILE_N)
    tl.store(c + to_m[:, None] * stride_c + to_n[None, :], total.to(c.dtype.element_ty),
             (to_m[:, None] < M) & (to_n[None, :] < N))


@triton.jit
def tile_of(number, rows, columns, GROUP: tl.constexpr):
    band = number // (GROUP * columns)
    height = min(rows - band * GROUP, GROUP)
    inside = number % (GROUP * columns)
    return band * GROUP + inside % height, inside // height


# One program for each multiprocessor, and all tiles among them.
@triton.jit
def persistent_kernel(a, b, c, M, N, K, PROGRAMS: tl.constexpr, TILE_M: tl.constexpr,
                      TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr,
                      FLAT: tl.constexpr):
    rows, columns = tl.cdiv(M, TILE_M), tl.cdiv(N, TILE_N)
    steps = tl.cdiv(K, TILE_K)
    at_k = tl.arange(0, TILE_K)
    stored = tl.program_id(0) - PROGRAMS
    for number in tl.range(tl.program_id(0), rows * columns, PROGRAMS, flatten=FLAT):
        row, column = tile_of(number, rows, columns, GROUP)
        at_m = row * TILE_M + tl.arange(0, TILE_M)
        at_n = column * TILE_N + tl.arange(0, TILE_N)
        at_m = tl.max_contiguous(tl.multiple_of(tl.where(at_m < M, at_m, 0), TILE_M), TILE_M)
        at_n = tl.max_contiguous(tl.multiple_of(tl.where(at_n < N, at_n, 0), TILE_N), TILE_N)
        total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
        for step in range(steps):
            k = step * TILE_K + at_k
            x = tl.load(a + at_m[:, None] * K + k[None, :], mask=k[None, :] < K, other=0.0)
            y = tl.load(b + k[:, None] * N + at_n[None, :], mask=k[:, None] < K, other=0.0)
            total = tl.dot(x, y, total)
        # Counted apart: what is loaded ahead is of another tile by now.
        stored += PROGRAMS
        row, column = tile_of(stored, rows, columns, GROUP)
        to_m = row * TILE_M + tl.arange(0, TILE_M)
        to_n = column * TILE_N + tl.arange(0, TILE_N)
        tl.store(c + to_m[:, None] * N + to_n[None, :], total.to(c.dtype.element_ty),
                 (to_m[:, None] < M) & (to_n[None, :] < N))


@triton.jit
def blocks_kernel(a, b, c, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
                  TILE_K: tl.constexpr, GROUP: tl.constexpr):
    row, column = tile_of(tl.program_id(0), tl.cdiv(M, TILE_M), tl.cdiv(N, TILE_N), GROUP)
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(0, K, TILE_K):
        x = a.load([row * TILE_M, k])
        y = b.load([column * TILE_N, k])
        total = tl.dot(x, y.T, total)
    c.store([row * TILE_M, column * TILE_N], total.to(c.dtype))


@triton.jit
def attention_kernel(q, k, v, out, length, scale, ROWS: tl.constexpr, KEYS: tl.constexpr,
                     DEPTH: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1) * length * DEPTH
    first = tl.program_id(0) * ROWS
    at_row = first + tl.arange(0, ROWS)
    at_key = tl.arange(0, KEYS)
    at_depth = tl.arange(0, DEPTH)
    rows = tl.load(q + head + at_row[:, None] * DEPTH + at_depth[None, :])
    best = tl.full([ROWS], -float("inf"), tl.float32)
    weight = tl.zeros([ROWS], tl.float32)
    total = tl.zeros([ROWS, DEPTH], tl.float32)
    end = first + ROWS if CAUSAL else length
    for start in range(0, end, KEYS):
        keys = tl.load(k + head + (start + at_key)[None, :] * DEPTH + at_depth[:, None])
        scores = tl.dot(rows, keys) * (scale * 1.44269504)
        if CAUSAL:
            scores = tl.where(at_row[:, None] >= (start + at_key)[None, :], scores, -float("inf"))
        newest = tl.maximum(best, tl.max(scores, 1))
        powers = tl.exp2(scores - newest[:, None])
        fade = tl.exp2(best - newest)
        weight = weight * fade + tl.sum(powers, 1)
        values = tl.load(v + head + (start + at_key)[:, None] * DEPTH + at_depth[None, :])
        total = tl.dot(powers.to(values.dtype), values, total * fade[:, None])
        best = newest
    tl.store(out + head + at_row[:, None] * DEPTH + at_depth[None, :],
             (total / weight[:, None]).to(out.dtype.element_ty))


def _add(count):
    def make(torch):
        x, y = (torch.randn(count, device="cuda") for _ in range(2))
        out = torch.empty_like(x)

        def run():
            add_kernel[(triton.cdiv(count, 1024),)](x, y, out, count, BLOCK=1024)
            return out
        return run, lambda: x.double() + y.double(), 12 * count
    return make


def _softmax(rows, columns):
    def make(torch):
        x = torch.randn(rows, columns, device="cuda")
        out = torch.empty_like(x)
        block = triton.next_power_of_2(columns)

        def run():
            softmax_kernel[(rows,)](x, out, columns, BLOCK=block, num_warps=8 if block >= 2048 else 4)
            return out
        return run, lambda: torch.softmax(x.double(), 1), 8 * rows * columns
    return make


def _norm(rows, columns):
    def make(torch):
        x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
        weight, bias = (torch.randn(columns, device="cuda") for _ in range(2))
        out = torch.empty_like(x)

        def run():
            norm_kernel[(rows,)](x, weight, bias, out, columns, 1e-5, BLOCK=2048, num_warps=8)
            return out
        return run, lambda: torch.nn.functional.layer_norm(
            x.double(), (columns,), weight.double(), bias.double(), 1e-5), 4 * rows * columns
    return make


def _matmul(m, n, k, dtype, tile, warps, stages):
    def make(torch):
        a = torch.randn(m, k, device="cuda").to(getattr(torch, dtype))
        b = torch.randn(k, n, device="cuda").to(getattr(torch, dtype))
        c = torch.empty(m, n, device="cuda", dtype=getattr(torch, dtype))
        grid = (triton.cdiv(m, tile[0]) * triton.cdiv(n, tile[1]),)

        def run():
            matmul_kernel[grid](a, b, c, m, n, k, k, n, n, *tile, GROUP=8, num_warps=warps,
                                num_stages=stages)
            return c
        return run, lambda: a.double() @ b.double(), 2 * m * n * k
    return make


def _persistent(size, tile, warps, stages, flat):
    def make(torch):
        a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
        c = torch.empty_like(a)
        programs = torch.cuda.get_device_properties("cuda").multi_processor_count

        def run():
            persistent_kernel[(programs,)](a, b, c, size, size, size, programs, *tile, GROUP=8,
                                           FLAT=flat, num_warps=warps, num_stages=stages)
            return c
        return run, lambda: a.double() @ b.double(), 2 * size ** 3
    return make


def _blocks(size, tile, warps, stages):
    def make(torch):
        from triton.tools.tensor_descriptor import TensorDescriptor
        a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
        c = torch.empty_like(a)
        m, n, k = tile
        blocks = [TensorDescriptor.from_tensor(tensor, block)
                  for tensor, block in ((a, [m, k]), (b, [n, k]), (c, [m, n]))]
        grid = (triton.cdiv(size, m) * triton.cdiv(size, n),)

        def run():
            blocks_kernel[grid](*blocks, size, size, size, *tile, GROUP=8, num_warps=warps,
                                num_stages=stages)
            return c
        return run, lambda: a.double() @ b.double().T, 2 * size ** 3
    return make


def _attention(batch, length, depth, causal, tile, warps, stages):
    def make(torch):
        q, k, v = (torch.randn(batch, length, depth, device="cuda", dtype=torch.float16)
                   for _ in range(3))
        out = torch.empty_like(q)
        grid = (triton.cdiv(length, tile[0]), batch)

        def run():
            attention_kernel[grid](q, k, v, out, length, depth ** -0.5, *tile, depth, causal,
                                   num_warps=warps, num_stages=stages)
            return out
        return run, lambda: torch.nn.functional.scaled_dot_product_attention(
            q.double(), k.double(), v.double(), is_causal=causal), \
            4 * batch * length * length * depth // (2 if causal else 1)
    return make


CASES = [
    ("add 2^26", _add(1 << 26)),
    *((f"softmax 8192x{columns}", _softmax(8192, columns)) for columns in (781, 2048, 8192)),
    *((f"layer norm 8192x{columns}", _norm(8192, columns)) for columns in (4096, 8192)),
    *((f"matmul {dtype} {size} {'x'.join(map(str, tile))} w{warps} s{stages}",
       _matmul(size, size, size, dtype, tile, warps, stages))
      for dtype, size, tile, warps, stages in (
          ("float16", 4096, (128, 128, 64), 4, 3), ("float16", 4096, (128, 256, 64), 8, 3),
          ("float16", 4096, (128, 256, 64), 8, 4), ("float16", 4096, (64, 128, 32), 4, 4),
          ("float16", 8192, (128, 256, 64), 8, 3), ("bfloat16", 4096, (128, 128, 64), 8, 3),
          ("float32", 2048, (128, 128, 32), 8, 3))),
    *((f"persistent {'flat ' if flat else ''}{size} {'x'.join(map(str, tile))} w{warps} s{stages}",
       _persistent(size, tile, warps, stages, flat))
      for size, tile, warps, stages, flat in (
          (4096, (128, 256, 64), 8, 3, False), (4096, (128, 256, 64), 8, 3, True),
          (4096, (128, 128, 64), 4, 3, True))),
    *((f"descriptors {size} {'x'.join(map(str, tile))} w{warps} s{stages}",
       _blocks(size, tile, warps, stages))
      for size, tile, warps, stages in (
          (4096, (128, 256, 64), 8, 3), (4096, (128, 128, 64), 4, 4),
          (8192, (128, 256, 64), 8, 4))),
    *((f"attention {'causal ' if causal else ''}{batch}x{length}x{depth} {tile[0]}x{tile[1]} w{warps} "
       f"s{stages}", _attention(batch, length, depth, causal, tile, warps, stages))
      for batch, length, depth, causal, tile, warps, stages in (
          (64, 4096, 64, False, (128, 64), 4, 3), (64, 4096, 128, False, (128, 64), 8, 3),
          (64, 4096, 128, True, (128, 64), 8, 3), (64, 4096, 64, False, (64, 64), 4, 2))),
]
