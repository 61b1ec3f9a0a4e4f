"""Kernels of the Triton language that load through descriptors, with and without `warp_specialize`.

`CASES` has (name, make) for each; `make(torch, warps)` gives the function to time and the one that
says what should come out. `warps` says whether a warp of its own is to start the copies.
"""

import triton
import triton.language as tl
from kernels import tile_of


@triton.jit
def product_kernel(a, b, c, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
                   GROUP: tl.constexpr, WARPS: tl.constexpr):
    row, column = tile_of(tl.program_id(0), tl.cdiv(M, TILE_M), tl.cdiv(N, TILE_N), GROUP)
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in tl.range(0, K, TILE_K, warp_specialize=WARPS):
        x = a.load([row * TILE_M, k])
        y = b.load([column * TILE_N, k])
        total = tl.dot(x, y.T, total)
    c.store([row * TILE_M, column * TILE_N], total.to(c.dtype))


@triton.jit
def persistent_kernel(a, b, c, M, N, K, PROGRAMS: tl.constexpr, TILE_M: tl.constexpr,
                      TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr,
                      FLAT: tl.constexpr, WARPS: tl.constexpr):
    rows, columns = tl.cdiv(M, TILE_M), tl.cdiv(N, TILE_N)
    for number in tl.range(tl.program_id(0), rows * columns, PROGRAMS, flatten=FLAT,
                           warp_specialize=WARPS):
        row, column = tile_of(number, rows, columns, GROUP)
        total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
        for k in range(0, K, TILE_K):
            x = a.load([row * TILE_M, k])
            y = b.load([column * TILE_N, k])
            total = tl.dot(x, y.T, total)
        c.store([row * TILE_M, column * TILE_N], total.to(c.dtype))


@triton.jit
def attend(rows, k, v, head, total, weight, best, begin, end, first, scale, ROWS: tl.constexpr,
           KEYS: tl.constexpr, MASKED: tl.constexpr, WARPS: tl.constexpr):
    for start in tl.range(begin, end, KEYS, warp_specialize=WARPS):
        scores = tl.dot(rows, k.load([head + start, 0]).T)
        if MASKED:
            allowed = first + tl.arange(0, ROWS)[:, None] >= start + tl.arange(0, KEYS)[None, :]
            scores = tl.where(allowed, scores * scale, -1.0e6)
            newest = tl.maximum(best, tl.max(scores, 1))
            scores -= newest[:, None]
        else:
            newest = tl.maximum(best, tl.max(scores, 1) * scale)
            scores = scores * scale - newest[:, None]
        powers = tl.exp2(scores)
        fade = tl.exp2(best - newest)
        weight = weight * fade + tl.sum(powers, 1)
        values = v.load([head + start, 0])
        total = tl.dot(powers.to(values.dtype), values, total * fade[:, None])
        best = newest
    return total, weight, best


@triton.jit
def attention_kernel(q, k, v, out, length, scale, ROWS: tl.constexpr, KEYS: tl.constexpr,
                     DEPTH: tl.constexpr, CAUSAL: tl.constexpr, WARPS: tl.constexpr):
    head = tl.program_id(1) * length
    first = tl.program_id(0) * ROWS
    rows = q.load([head + first, 0])
    scale *= 1.44269504
    best = tl.full([ROWS], -float("inf"), tl.float32)
    weight = tl.zeros([ROWS], tl.float32)
    total = tl.zeros([ROWS, DEPTH], tl.float32)
    end = first if CAUSAL else length
    total, weight, best = attend(rows, k, v, head, total, weight, best, 0, end, first, scale, ROWS,
                                 KEYS, False, WARPS)
    if CAUSAL:
        total, weight, best = attend(rows, k, v, head, total, weight, best, first, first + ROWS,
                                     first, scale, ROWS, KEYS, True, WARPS)
    out.store([head + first, 0], (total / weight[:, None]).to(out.dtype))


def _described(blocks):
    from triton.tools.tensor_descriptor import TensorDescriptor
    return [TensorDescriptor.from_tensor(tensor, block) for tensor, block in blocks]


def _product(size, tile, warps_of_tile, stages, programs=False, flat=False):
    def make(torch, warps):
        a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
        c = torch.empty_like(a)
        m, n, k = tile
        blocks = _described(((a, [m, k]), (b, [n, k]), (c, [m, n])))
        tiles = triton.cdiv(size, m) * triton.cdiv(size, n)
        count = torch.cuda.get_device_properties("cuda").multi_processor_count
        options = dict(GROUP=8, WARPS=warps, num_warps=warps_of_tile, num_stages=stages)

        def run():
            if programs:
                persistent_kernel[(min(count, tiles),)](*blocks, size, size, size, count, *tile,
                                                        FLAT=flat, **options)
            else:
                product_kernel[(tiles,)](*blocks, size, size, size, *tile, **options)
            return c
        return run, lambda: a.double() @ b.double().T
    return make


def _attention(batch, length, depth, causal, tile, warps_of_tile, stages):
    def make(torch, warps):
        q, k, v = (torch.randn(batch, length, depth, device="cuda", dtype=torch.float16)
                   for _ in range(3))
        out = torch.empty_like(q)
        flat = [tensor.view(-1, depth) for tensor in (q, k, v, out)]
        heights = (tile[0], tile[1], tile[1], tile[0])
        blocks = _described((tensor, [height, depth]) for tensor, height in zip(flat, heights))

        def run():
            attention_kernel[(length // tile[0], batch)](
                *blocks, length, depth ** -0.5, *tile, depth, causal, WARPS=warps,
                num_warps=warps_of_tile, num_stages=stages)
            return out
        return run, lambda: torch.nn.functional.scaled_dot_product_attention(
            q.double(), k.double(), v.double(), is_causal=causal)
    return make


def _shape(tile):
    return "x".join(map(str, tile))


CASES = [
    *((f"product {size} {_shape(tile)} w{warps} s{stages}", _product(size, tile, warps, stages))
      for size, tile, warps, stages in (
          (4096, (128, 128, 64), 4, 3), (4096, (128, 128, 64), 4, 4), (4096, (128, 128, 64), 8, 4),
          (4096, (128, 256, 64), 8, 3), (4096, (128, 256, 64), 8, 4), (8192, (128, 256, 64), 8, 3))),
    *((f"persistent {'flat ' if flat else ''}{size} {_shape(tile)} w{warps} s{stages}",
       _product(size, tile, warps, stages, True, flat))
      for size, tile, warps, stages, flat in (
          (4096, (128, 256, 64), 8, 3, False), (8192, (128, 256, 64), 8, 3, False),
          (4096, (128, 256, 64), 8, 3, True), (8192, (128, 128, 64), 8, 4, False))),
    *((f"attention {'causal ' if causal else ''}{batch}x{length}x{depth} {_shape(tile)} w{warps} "
       f"s{stages}", _attention(batch, length, depth, causal, tile, warps, stages))
      for batch, length, depth, causal, tile, warps, stages in (
          (64, 4096, 64, False, (128, 64), 4, 3), (64, 4096, 64, False, (128, 128), 8, 3),
          (64, 4096, 64, True, (128, 64), 4, 3), (64, 4096, 64, True, (128, 128), 8, 3),
          (64, 4096, 128, False, (128, 64), 8, 3), (64, 4096, 128, False, (128, 64), 8, 4),
          (64, 4096, 128, False, (128, 128), 8, 2), (64, 4096, 128, False, (128, 128), 8, 3),
          (64, 4096, 128, True, (128, 64), 8, 3), (64, 4096, 128, True, (128, 128), 8, 3),
          (64, 4096, 128, False, (128, 64), 4, 3))),
]
