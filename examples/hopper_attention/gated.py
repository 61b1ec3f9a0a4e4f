"""Attention in both languages: what surrounds the loop is Triton, the loop is one function of Gluon.

    out = sigmoid(gate) * softmax(scale * R(norm(q)) K^T) V,   causal or not

as layers of language models have it: rows of Q are normalized (RMS, with weights), rotated by their position (R, after Su
et al. 2021, arXiv:2104.09864, with pairs of neighbours), and rows of the result are gated (Qiu et al. 2025,
arXiv:2505.06708). K is what a cache holds: normalized and rotated when it was written. Q, K, V, gate and out are heads x
length x D in fp16 or bf16, D 64 or 128.

*   The loop is Gluon, and that of `attention.py`, where it is explained: two warpgroups that take turns at the tensor cores,
    a warp that loads for them, and a list of tiles for each program. Triton's language has no words for them.
*   What happens to rows is Triton: arithmetic on tiles, of which the compiler chooses the layouts. It runs on four warps of
    its own beside the loop, which normalize and rotate the next tile of Q and gate the last tile of the result, both where
    they lie in shared memory. So it costs no pass over memory, as a kernel before the attention and another one behind it
    would, and hardly any time. `around` calls functions of Gluon for what moves rows and waits for barriers.
*   A tensor that enters Gluon has the layout that the compiler chose (`put`); one that comes back has the layout that
    the function states (`take`), to which the compiler fits what follows.

On an H200 it takes 0.88 to 0.96 of the time of three kernels in a row, the one in the middle being `attention.py`, and 0.89
to 0.99 of that of the best kernel in Triton alone (`bench/gpu/both_languages.py`).

Run it with `python -m gluonc --triton own gated.py`.
"""

import triton
import triton.language as tl
from attention import consume, describe, flat, produce, ring_barriers, tile_place, tiles_of_program
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma

# ---- In Gluon: how rows move ------------------------------------------------------------------


@gluon.jit
def hand_over(result, tiles, done, head, row, turn, INDEX: gl.constexpr):
    """Leaves a consumer's rows of a tile where its rows of Q were."""
    place = turn % 2 * 2 + INDEX
    flat(tiles.index(place)).store(result)
    mbarrier.arrive(done.index(place))


@gluon.jit
def fetch(source, tiles, bars, place, turn, heads, length, CAUSAL: gl.constexpr):
    """Starts to load this program's tile number `turn`, if it has one, into the two buffers from `place` on."""
    blocks = gl.cdiv(length, 128)
    if turn < tiles_of_program(heads * blocks, CAUSAL):
        head, block = tile_place(turn, heads * blocks, blocks, CAUSAL)
        for half in gl.static_range(2):
            mbarrier.expect(bars.index(place + half), source.block_type.nbytes)
            tma.async_load(source, [head, block * 128 + half * 64, 0], bars.index(place + half), tiles.index(place + half))


@gluon.jit
def wait_for(bars, place, phase):
    mbarrier.wait(bars.index(place), phase)


@gluon.jit
def take(tiles, place, FIRST: gl.constexpr, ROWS: gl.constexpr):
    """ROWS rows of a buffer, eight neighbours to a thread: 16 bytes."""
    D: gl.constexpr = tiles.shape[3]
    return flat(tiles.index(place)).slice(FIRST, ROWS).load(gl.BlockedLayout([1, 8], [256 // D, D // 8], [4, 1], [1, 0]))


@gluon.jit
def put(x, tiles, place, FIRST: gl.constexpr):
    flat(tiles.index(place)).slice(FIRST, x.shape[0]).store(x)


@gluon.jit
def show(bars, place):
    """Says that a buffer of Q is ready for tensor cores."""
    fence_async_shared()
    mbarrier.arrive(bars.index(place))


@gluon.jit
def send(out, tiles, place, head, row):
    """Starts to store a buffer."""
    fence_async_shared()
    tma.async_store(out, [head, row, 0], tiles.index(place))


@gluon.jit
def wait_until_sent():
    """Returns when the buffers may be written again."""
    tma.store_wait(0)


# ---- In Triton: what happens to rows ----------------------------------------------------------


@triton.jit
def angles(cosines, sines, row, length, D: tl.constexpr):
    """Cosines and sines for rows; `row` is a column of their numbers."""
    place = row * (D // 2) + tl.arange(0, D // 2)[None, :]
    return tl.load(cosines + place, row < length, other=0), tl.load(sines + place, row < length, other=0)


@triton.jit
def normalize(x, weight, turn, eps):
    """Rows of Q, normalized and rotated; `weight` is a row, `turn` from `angles`."""
    kind: tl.constexpr = x.dtype
    D: tl.constexpr = x.shape[1]
    cosine, sine = turn
    x = x.to(tl.float32)
    x *= tl.rsqrt(tl.sum(x * x, 1, keep_dims=True) / D + eps) * weight
    even, odd = tl.split(tl.reshape(x, (x.shape[0], D // 2, 2)))
    return tl.reshape(tl.join(even * cosine - odd * sine, even * sine + odd * cosine), x.shape).to(kind)


@triton.jit
def open_gate(x, gate):
    """x * sigmoid(gate)"""
    return (x.to(tl.float32) / (1 + tl.exp2(gate.to(tl.float32) * -1.4426950408889634))).to(x.dtype)


@triton.jit
def prepare(tiles, place, loaded, ready, phase, weight, cosines, sines, eps, row, length, D: tl.constexpr,
            ROWS: tl.constexpr):
    """Normalizes and rotates a tile of Q where it lies."""
    rows = row + tl.arange(0, ROWS)[:, None]
    turn = angles(cosines, sines, rows, length, D)
    for half in tl.static_range(2):
        wait_for(loaded, place + half, phase)
        for first in tl.static_range(0, 64, ROWS):
            # The next ones are under way while these are used.
            rows += ROWS
            following = angles(cosines, sines, rows, length, D)
            x = take(tiles, place + half, first, ROWS)
            put(normalize(x, weight, turn, eps), tiles, place + half, first)
            turn = following
        show(ready, place + half)


@triton.jit
def finish(out, tiles, place, gates, done, opened, phase, gate_phase, head, row, ROWS: tl.constexpr):
    """Multiplies a tile of the result, where it lies, by its gate and stores it."""
    for half in tl.static_range(2):
        wait_for(opened, half, gate_phase)
        wait_for(done, place + half, phase)
        for first in tl.static_range(0, 64, ROWS):
            x = open_gate(take(tiles, place + half, first, ROWS), take(gates, half, first, ROWS))
            put(x, tiles, place + half, first)
        send(out, tiles, place + half, head, row + half * 64)


@triton.jit
def around(q, gate, out, tiles, gates, loaded, ready, done, opened, weight, cosines, sines, eps, heads, length,
           CAUSAL: tl.constexpr, ROWS: tl.constexpr):
    """What the first four warps do while others multiply: the next tile of Q and the last one of the result."""
    D: tl.constexpr = q.block_shape[2]
    w = tl.load(weight + tl.arange(0, D)[None, :])
    blocks = tl.cdiv(length, 128)
    turns = tiles_of_program(heads * blocks, CAUSAL)
    fetch(q, tiles, loaded, 0, 0, heads, length, CAUSAL)
    fetch(q, tiles, loaded, 2, 1, heads, length, CAUSAL)
    fetch(gate, gates, opened, 0, 0, heads, length, CAUSAL)
    for turn in range(turns + 1):
        if turn < turns:
            head, block = tile_place(turn, heads * blocks, blocks, CAUSAL)
            prepare(tiles, turn % 2 * 2, loaded, ready, turn // 2 % 2, w, cosines, sines, eps, block * 128, length, D, ROWS)
        if turn > 0:
            last = turn - 1
            head, block = tile_place(last, heads * blocks, blocks, CAUSAL)
            finish(out, tiles, last % 2 * 2, gates, done, opened, last // 2 % 2, last % 2, head, block * 128, 2 * ROWS)
            wait_until_sent()
            fetch(gate, gates, opened, 0, turn, heads, length, CAUSAL)
            fetch(q, tiles, loaded, last % 2 * 2, turn + 1, heads, length, CAUSAL)


# ---- The kernel -------------------------------------------------------------------------------


@gluon.jit
def attend_tiles(q, k, v, gate, out, weight, cosines, sines, eps, c, heads, length, keys, CAUSAL: gl.constexpr,
                 CUT: gl.constexpr, STAGES: gl.constexpr, ROWS: gl.constexpr, REGISTERS: gl.constexpr):
    """Who does what; in kernels of 4 warps."""
    KEYS: gl.constexpr = k.block_shape[1]
    D: gl.constexpr = k.block_shape[2]
    tiles = gl.allocate_shared_memory(q.dtype, [4, 1, 64, D], q.layout)
    gates = gl.allocate_shared_memory(gate.dtype, [2, 1, 64, D], gate.layout)
    k_ring = gl.allocate_shared_memory(k.dtype, [STAGES, 1, KEYS, D], k.layout)
    v_ring = gl.allocate_shared_memory(v.dtype, [STAGES, 1, KEYS, D], v.layout)
    loaded, ready = ring_barriers(4, 1)
    done, drained = ring_barriers(4, 1)
    opened, _ = ring_barriers(2, 1)
    k_bars = ring_barriers(STAGES, 2)
    v_bars = ring_barriers(STAGES, 2)
    turns = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(turns.index(i), count=1)
    fence_async_shared()
    gl.warp_specialize([
        (around, (q, gate, out, tiles, gates, loaded, ready, done, opened, weight, cosines, sines, eps, heads, length,
                  CAUSAL, ROWS)),
        (consume, (hand_over, tiles, None, tiles, k_ring, v_ring, done, (ready, drained), k_bars, v_bars, turns, c, heads,
                   length, keys, None, CAUSAL, CUT, 0)),
        (consume, (hand_over, tiles, None, tiles, k_ring, v_ring, done, (ready, drained), k_bars, v_bars, turns, c, heads,
                   length, keys, None, CAUSAL, CUT, 1)),
        (produce, (None, k, v, None, k_ring, v_ring, None, k_bars, v_bars, heads, length, keys, None, 1, CAUSAL, 2)),
    ], [4, 4, 1], [REGISTERS, REGISTERS, 24])


@triton.jit
def attention(q, k, v, gate, out, weight, cosines, sines, eps, c, heads, length, keys, CAUSAL: tl.constexpr,
              CUT: tl.constexpr, STAGES: tl.constexpr, ROWS: tl.constexpr, REGISTERS: tl.constexpr):
    """The kernel, of 4 warps and others that it asks for, persistent as `attention.attention` is. q, k, v, gate and out are
    descriptors; c is scale * log2(e); tables of cosines and sines are length x D / 2; CUT says that blocks do not divide
    `keys`; rows are prepared ROWS at a time."""
    attend_tiles(q, k, v, gate, out, weight, cosines, sines, eps, c, heads, length, keys, CAUSAL, CUT, STAGES, ROWS,
                 REGISTERS)


# ---- From Python ------------------------------------------------------------------------------


def tables(length, d, device):
    """Cosines and sines of angles by which pairs are rotated, length x d / 2."""
    import torch
    speeds = 10000.0 ** (-torch.arange(d // 2, device=device) / (d // 2))
    angles = torch.arange(length, device=device)[:, None] * speeds
    return angles.cos(), angles.sin()


def attend_all(q, k, v, gate, out, weight, turns, causal, programs, eps=1e-6, rows=32, registers=192):
    """The function above, of tensors of heads x length x D; `turns` are the tables."""
    heads, length, d = q.shape
    keys = k.shape[1]
    tiles = heads * triton.cdiv(length, 128)
    return attention[(min(programs, -(-tiles // 2) if causal else tiles),)](
        describe(q, 64), describe(k, 128), describe(v, 128), describe(gate, 64), describe(out, 64), weight, *turns, eps,
        d**-0.5 * 1.4426950408889634, heads, length, keys, CAUSAL=causal, CUT=keys % 128 != 0,
        STAGES=2 if d == 128 else 4, ROWS=rows, REGISTERS=registers, num_warps=4)


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


def check(device, programs, heads, length, d, dtype, causal):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    q, k, v, gate = (torch.randn(heads, length, d).to(device=device, dtype=dtype) for _ in range(4))
    weight = torch.rand(d).to(device) + 0.5
    turns = tables(length, d, device)
    out = torch.full_like(q, float("nan"))
    attend_all(q, k, v, gate, out, weight, turns, causal, programs)
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
            fine &= check("cpu", 2, 3, 300, d, dtype, causal)
            if torch.cuda.is_available():
                count = torch.cuda.get_device_properties(0).multi_processor_count
                fine &= check("cuda", count, 24, 1000, d, dtype, causal)
                fine &= check("cuda", count, 4, 4096, d, dtype, causal)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
