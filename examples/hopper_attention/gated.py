"""Attention in both languages: what surrounds the loop is Triton, the loop is one function of Gluon.

    out = sigmoid(gate) * softmax(scale * R(norm(q)) K^T) V,   causal or not

as layers of language models have it: rows of Q are normalized (RMS, with weights), rotated by their position (R, after Su
et al. 2021, arXiv:2104.09864, with pairs of neighbours), and rows of the result are gated (Qiu et al. 2025,
arXiv:2505.06708). K is what a cache holds: normalized and rotated when it was written. Q, K, V, gate and out are heads x
length x D in fp16 or bf16, D 64 or 128.

*   `attention` is Triton: a page of arithmetic on tiles, of which the compiler chooses the layouts. It costs no pass over
    memory, as a kernel of its own would before the attention and another one behind it.
*   `attend_keys`, which it calls, is Gluon: two warpgroups that take turns at the tensor cores and a warp that loads for
    them. Its parts are those of `attention.py`, where they are explained. Triton's language has no words
    for them.
*   A tensor that enters Gluon has the layout that the compiler chose, and is converted by being stored; the one that comes
    back has the layout that `attend_keys` states, to which the compiler fits what is around it.

It shows how the languages meet, not the fastest way: what is before and behind the loop runs on 4 warps, one tile a
multiprocessor, and nothing else runs meanwhile. It takes 1.01 to 1.67 of the time of three kernels in a row, the one in the
middle being `attention.py`, on an H100, and 1.02 to 1.79 on an H200 (`bench/gpu/both_languages.py`).

Run it with `python -m gluonc --triton own gated.py`.
"""

import triton
import triton.language as tl
from attention import add_own, attend, describe, flat, key_blocks, ring_barriers, softmax_step
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma


@gluon.jit
def produce(k, v, k_ring, v_ring, k_bars, v_bars, head, count):
    """Loads blocks of keys and values, the last one first."""
    STAGES: gl.constexpr = k_ring.shape[0]
    KEYS: gl.constexpr = k_ring.shape[2]
    for step in range(count):
        slot = step % STAGES
        phase = step // STAGES % 2 ^ 1
        key = (count - 1 - step) * KEYS
        mbarrier.wait(k_bars[1].index(slot), phase)
        mbarrier.expect(k_bars[0].index(slot), k.block_type.nbytes)
        tma.async_load(k, [head, key, 0], k_bars[0].index(slot), k_ring.index(slot))
        mbarrier.wait(v_bars[1].index(slot), phase)
        mbarrier.expect(v_bars[0].index(slot), v.block_type.nbytes)
        tma.async_load(v, [head, key, 0], v_bars[0].index(slot), v_ring.index(slot))


@gluon.jit
def consume(tile, k_ring, v_ring, k_bars, v_bars, turns, c, block, keys, CAUSAL: gl.constexpr, CUT: gl.constexpr,
            INDEX: gl.constexpr):
    """One warpgroup: 64 rows of Q in `tile`, and then of the result."""
    STAGES: gl.constexpr = k_ring.shape[0]
    KEYS: gl.constexpr = k_ring.shape[2]
    D: gl.constexpr = k_ring.shape[3]
    score_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, KEYS, 16])
    sum_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])

    row = block * 128 + INDEX * 64
    count, masked = key_blocks(block, keys, 128, KEYS, CAUSAL)
    mbarrier.wait(k_bars[0].index(0), 0)
    scores = warpgroup_mma(tile, flat(k_ring.index(0)).permute((1, 0)), gl.zeros([64, KEYS], gl.float32, score_layout),
                           use_acc=False)
    mbarrier.arrive(k_bars[1].index(0))
    nothing = gl.full([64], float("-inf"), gl.float32, gl.SliceLayout(1, score_layout))
    weights, m, _ = softmax_step(scores, nothing, c, row, (count - 1) * KEYS, keys, CAUSAL, CAUSAL or CUT)
    p = gl.convert_layout(weights.to(tile.dtype), gl.DotOperandLayout(0, sum_layout, 2))
    mbarrier.wait(v_bars[0].index(0), 0)
    # The first consumer may start at once: it waits for the phase before the first.
    state = (p, gl.zeros([64, D], gl.float32, sum_layout), False, m, add_own(weights), 0, 0, 1 if INDEX == 0 else 0)
    key = (count - 2) * KEYS
    if CAUSAL and KEYS < 128:
        more = gl.maximum(masked - 1, 0)
        state = attend(more, tile, k_ring, v_ring, k_bars, v_bars, turns, state, c, row, key, keys, CAUSAL, True, INDEX,
                       2)
        count -= more
        key -= more * KEYS
    state = attend(count - 1, tile, k_ring, v_ring, k_bars, v_bars, turns, state, c, row, key, keys, CAUSAL, False,
                   INDEX, 2)
    p, sums, use_sums, m, l, slot, _, _ = state
    sums = warpgroup_mma(p, flat(v_ring.index(slot)), sums, use_acc=use_sums)
    scale = gl.convert_layout(1.0 / gl.sum(l, 1), gl.SliceLayout(1, sum_layout))
    tile.store((sums * scale[:, None]).to(tile.dtype))


@gluon.jit
def attend_keys(q, k, v, head, block, c, keys, CAUSAL: gl.constexpr, CUT: gl.constexpr, STAGES: gl.constexpr):
    """softmax(c * log(2) * q K^T) V for 128 rows of Q, as numbers of q's type; in kernels of 4 warps."""
    KEYS: gl.constexpr = k.block_shape[1]
    D: gl.constexpr = k.block_shape[2]
    tiles = gl.allocate_shared_memory(q.dtype, [128, D], gl.NVMMASharedLayout.get_default_for([128, D], q.dtype), q)
    k_ring = gl.allocate_shared_memory(k.dtype, [STAGES, 1, KEYS, D], k.layout)
    v_ring = gl.allocate_shared_memory(v.dtype, [STAGES, 1, KEYS, D], v.layout)
    k_bars = ring_barriers(STAGES, 2)
    v_bars = ring_barriers(STAGES, 2)
    turns = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(turns.index(i), count=1)
    fence_async_shared()
    count, _ = key_blocks(block, keys, 128, KEYS, CAUSAL)
    gl.warp_specialize([
        (consume, (tiles.slice(0, 64), k_ring, v_ring, k_bars, v_bars, turns, c, block, keys, CAUSAL, CUT, 0)),
        (consume, (tiles.slice(64, 64), k_ring, v_ring, k_bars, v_bars, turns, c, block, keys, CAUSAL, CUT, 1)),
        (produce, (k, v, k_ring, v_ring, k_bars, v_bars, head, count)),
    ], [4, 1], [240, 24])
    # Eight neighbours to a thread: 16 bytes.
    return tiles.load(gl.BlockedLayout([1, 8], [256 // D, D // 8], [4, 1], [1, 0]))


@triton.jit
def queries(q, weight, cosines, sines, eps, head, row, length, D: tl.constexpr):
    """Rows of Q, normalized and rotated; `row` is a column of their numbers."""
    x = tl.load(q + (head * length + row) * D + tl.arange(0, D)[None, :], row < length, other=0).to(tl.float32)
    x *= tl.rsqrt(tl.sum(x * x, 1, keep_dims=True) / D + eps) * tl.load(weight + tl.arange(0, D)[None, :])
    even, odd = tl.split(tl.reshape(x, (x.shape[0], D // 2, 2)))
    angle = row * (D // 2) + tl.arange(0, D // 2)[None, :]
    cosine = tl.load(cosines + angle, row < length, other=0)
    sine = tl.load(sines + angle, row < length, other=0)
    return tl.reshape(tl.join(even * cosine - odd * sine, even * sine + odd * cosine), x.shape).to(q.dtype.element_ty)


@triton.jit
def store_gated(x, gate, out, head, row, length, D: tl.constexpr):
    """Stores rows of the result."""
    place = (head * length + row) * D + tl.arange(0, D)[None, :]
    factor = tl.sigmoid(tl.load(gate + place, row < length, other=0).to(tl.float32))
    tl.store(out + place, (x.to(tl.float32) * factor).to(out.dtype.element_ty), row < length)


@triton.jit
def attention(q, k, v, gate, out, weight, cosines, sines, eps, c, length, keys, CAUSAL: tl.constexpr, CUT: tl.constexpr,
              STAGES: tl.constexpr):
    """The kernel, of 4 warps: 128 rows of a head. k and v are descriptors; c is scale * log2(e); tables of cosines and
    sines are length x D / 2; CUT says that blocks do not divide `keys`."""
    D: tl.constexpr = k.block_shape[2]
    head = tl.program_id(1)
    # Later rows of a causal product have more keys: longest first.
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    row = block * 128 + tl.arange(0, 128)[:, None]
    x = queries(q, weight, cosines, sines, eps, head, row, length, D)
    o = attend_keys(x, k, v, head, block, c, keys, CAUSAL, CUT, STAGES)
    store_gated(o, gate, out, head, row, length, D)


# ---- From Python ------------------------------------------------------------------------------


def tables(length, d, device):
    """Cosines and sines of angles by which pairs are rotated, length x d / 2."""
    import torch
    speeds = 10000.0 ** (-torch.arange(d // 2, device=device) / (d // 2))
    angles = torch.arange(length, device=device)[:, None] * speeds
    return angles.cos(), angles.sin()


def attend_all(q, k, v, gate, out, weight, turns, causal, eps=1e-6):
    """The function above, of tensors of heads x length x D; `turns` are the tables."""
    heads, length, d = q.shape
    keys = k.shape[1]
    block, stages = 128, 2 if d == 128 else 4
    return attention[(triton.cdiv(length, 128), heads)](
        q, describe(k, block), describe(v, block), gate, out, weight, *turns, eps, d**-0.5 * 1.4426950408889634, length,
        keys, CAUSAL=causal, CUT=keys % block != 0, STAGES=stages, num_warps=4)


def expected(q, k, v, gate, weight, turns, causal, eps=1e-6):
    """The same in float64."""
    import torch
    q, k, v, gate, weight, cosine, sine = (x.double() for x in (q, k, v, gate, weight, *turns))
    q = q * (q.square().mean(-1, keepdim=True) + eps).rsqrt() * weight
    even, odd = q[..., ::2], q[..., 1::2]
    q = torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), -1).flatten(-2)
    scores = q.shape[-1]**-0.5 * (q @ k.transpose(1, 2))
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    return scores.softmax(-1) @ v * gate.sigmoid()


def check(device, heads, length, d, dtype, causal):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    q, k, v, gate = (torch.randn(heads, length, d).to(device=device, dtype=dtype) for _ in range(4))
    weight = torch.rand(d).to(device) + 0.5
    turns = tables(length, d, device)
    out = torch.full_like(q, float("nan"))
    attend_all(q, k, v, gate, out, weight, turns, causal)
    wanted = expected(q, k, v, gate, weight, turns, causal)
    # Queries and probabilities are rounded to 16 bits before they meet keys and values.
    bound = torch.finfo(dtype).eps * (4 * wanted.abs() + 2)
    wrong = (~((out.double() - wanted).abs() <= bound)).sum().item()
    print(f"{device}: {heads} heads, {length} rows, D {d}, {dtype}{', causal' * causal}: {wrong} of {out.numel()} "
          "elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    for d, dtype in ((128, torch.float16), (64, torch.bfloat16)):
        for causal in (False, True):
            fine &= check("cpu", 2, 300, d, dtype, causal)
            if torch.cuda.is_available():
                fine &= check("cuda", 24, 1000, d, dtype, causal)
                fine &= check("cuda", 4, 4096, d, dtype, causal)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
