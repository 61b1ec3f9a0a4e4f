"""Flash attention for Hopper, forward: O = softmax(scale * Q K^T) V, causal or not.

Q, K, V and O are heads x length x D in fp16 or bf16, D 64 or 128; K and V may have fewer heads, each for
a group of Q's (Ainslie et al. 2023, arXiv:2305.13245). The scores are never stored: a tile of rows of Q
meets one block of keys after the other and keeps, for each of its rows, the largest score seen so far
(m), the sum of exponentials relative to it (l), and the sum of V weighted by them (Dao et al. 2022,
arXiv:2205.14135). When m grows, l and the weighted sum shrink by exp(m_old - m_new).

What is Hopper's in it (after Shah et al. 2024, arXiv:2407.08608):

*   A producer warp keeps the TMA loading; CONSUMERS warpgroups have 64 rows of Q each and share the
    blocks of K and V, which pass through two rings of buffers.
*   Tensor cores do 4096 operations in a cycle, the units for exponentials 16: for D = 128 the
    exponentials take half as long as both products. So they must happen at the same time, and do in
    two ways. Within a consumer, the scores of the next block are issued before the product with V of
    this one, and its softmax runs beside the latter. Between consumers, turns are taken: one issues
    both of its products, then lets the next one issue, and does its softmax meanwhile.
*   The product with V takes the probabilities from registers: a fragment of scores has its elements
    where the left operand of the next product wants them.
*   exp(scale * (s - m)) is exp2(s * c - m * c) with c = scale * log2(e): one fused multiply-add and
    one instruction for exp2.

Programs are persistent: as many as the chip has multiprocessors, each with a list of tiles. Between
two of them the products go on, too: the scores of a tile's first block are issued together with the
last product of the tile before, whose result is stored while they are computed. Causal tiles need
the more keys the later they are, so the list alternates between a tile from the front and the one
that is as far from the end: every such pair is the same amount of work. Tiles that run at one time
belong to one or two heads, whose keys and values fit in L2.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from gluonc.nvidia.hopper import TensorDescriptor


@gluon.jit
def tiles_of_program(tiles, CAUSAL: gl.constexpr):
    """How many tiles this program has; programs are no more than tiles, or pairs of them."""
    first = gl.program_id(0)
    if not CAUSAL:
        return gl.cdiv(tiles - first, gl.num_programs(0))
    else:
        pairs = gl.cdiv(gl.cdiv(tiles, 2) - first, gl.num_programs(0))
        # The tile in the middle of an odd number is its own partner; it comes last of all.
        alone = (tiles % 2 == 1) & ((gl.cdiv(tiles, 2) - 1) % gl.num_programs(0) == first)
        return 2 * pairs - gl.where(alone, 1, 0)


@gluon.jit
def tile_place(turn, tiles, blocks, CAUSAL: gl.constexpr):
    """Head and block of rows of this program's tile number `turn`."""
    if CAUSAL:
        number = turn // 2 * gl.num_programs(0) + gl.program_id(0)
        number = gl.where(turn % 2 == 1, number, tiles - 1 - number)
    else:
        number = turn * gl.num_programs(0) + gl.program_id(0)
    return number // blocks, number % blocks


@gluon.jit
def position_of(row, offset):
    """Where a row of Q stands among the keys."""
    if offset is not None:
        row += offset
    return row


@gluon.jit
def key_blocks(block, keys, ROWS: gl.constexpr, KEYS: gl.constexpr, CAUSAL: gl.constexpr, offset=None):
    """Blocks of keys that a tile of rows needs, and how many of the last of them need a mask."""
    count = gl.cdiv(keys, KEYS)
    whole = keys // KEYS
    if CAUSAL:
        count = gl.minimum(count, gl.cdiv(position_of((block + 1) * ROWS, offset), KEYS))
        whole = gl.minimum(whole, position_of(block * ROWS + 1, offset) // KEYS)
    return count, count - gl.minimum(whole, count)


@gluon.jit
def advance(slot, phase, STAGES: gl.constexpr):
    """The next slot of a ring; its phase flips where the ring starts over."""
    last = slot == STAGES - 1
    return gl.where(last, 0, slot + 1), gl.where(last, phase ^ 1, phase)


@gluon.jit
def produce(q, k, v, q_tiles, k_ring, v_ring, q_bars, k_bars, v_bars, heads, rows, keys, offset, group,
            CAUSAL: gl.constexpr, CONSUMERS: gl.constexpr):
    """Loads what the consumers need in the order of their need; q None: somebody else brings Q."""
    STAGES: gl.constexpr = k_ring.shape[0]
    KEYS: gl.constexpr = k_ring.shape[2]
    D: gl.constexpr = k_ring.shape[3]
    SIZE: gl.constexpr = k.dtype.primitive_bitwidth // 8
    blocks = gl.cdiv(rows, 64 * CONSUMERS)
    slot = 0
    phase = 1
    for turn in range(tiles_of_program(heads * blocks, CAUSAL)):
        head, block = tile_place(turn, heads * blocks, blocks, CAUSAL)
        if q is not None:
            for i in gl.static_range(CONSUMERS):
                place = turn % 2 * CONSUMERS + i
                mbarrier.wait(q_bars[1].index(place), turn // 2 % 2 ^ 1)
                mbarrier.expect(q_bars[0].index(place), 64 * D * SIZE)
                tma.async_load(q, [head, (block * CONSUMERS + i) * 64, 0], q_bars[0].index(place), q_tiles.index(place))
        count, _ = key_blocks(block, keys, 64 * CONSUMERS, KEYS, CAUSAL, offset)
        for step in range(count):
            key = (count - 1 - step) * KEYS
            mbarrier.wait(k_bars[1].index(slot), phase)
            mbarrier.expect(k_bars[0].index(slot), KEYS * D * SIZE)
            tma.async_load(k, [head // group, key, 0], k_bars[0].index(slot), k_ring.index(slot))
            mbarrier.wait(v_bars[1].index(slot), phase)
            mbarrier.expect(v_bars[0].index(slot), KEYS * D * SIZE)
            tma.async_load(v, [head // group, key, 0], v_bars[0].index(slot), v_ring.index(slot))
            slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def flat(buffer):
    """A buffer of 1 x rows x columns as one of rows x columns."""
    return buffer.reshape([buffer.shape[1], buffer.shape[2]])


@gluon.jit
def add_own(p):
    """Sums of rows, in four parts each, which are those of the four threads that share a row.

    A fragment's columns are numbered in bits: 1 chooses a register, 2 and 4 a thread, 8 and more a
    register again. Without the bits of threads the sum needs no exchange; that waits for the end.
    """
    return gl.sum(gl.sum(p.reshape([p.shape[0], p.shape[1] // 8, 4, 2]), 3), 1)


@gluon.jit
def softmax_step(scores, m, c, row, key, keys, CAUSAL: gl.constexpr, MASKED: gl.constexpr):
    """Probabilities of a block relative to the new m, and the factor by which older ones shrink."""
    if MASKED:
        layout: gl.constexpr = scores.type.layout
        columns = key + gl.arange(0, scores.shape[1], layout=gl.SliceLayout(0, layout))
        allowed = (columns < keys)[None, :]
        if CAUSAL:
            lines = row + gl.arange(0, scores.shape[0], layout=gl.SliceLayout(1, layout))
            allowed = allowed & (columns[None, :] <= lines[:, None])
        scores = gl.where(allowed, scores, float("-inf"))
    new_m = gl.maximum(m, gl.max(scores, 1) * c)
    # A row whose keys are all masked so far has the maximum -inf, and -inf - -inf is no number.
    origin = new_m
    if MASKED:
        origin = gl.where(new_m == float("-inf"), 0.0, new_m)
    p = gl.exp2(scores * c - origin[:, None])
    shrink = gl.exp2(m - origin)
    return p, new_m, shrink


@gluon.jit
def take_turn(q_tile, k_tile, p, v_tile, sums, use_sums, turns, turn_phase, INDEX: gl.constexpr,
              CONSUMERS: gl.constexpr):
    """Issues the scores of a block and the product with V of the one before; returns when the scores are there."""
    KEYS: gl.constexpr = k_tile.shape[0]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, KEYS, 16])
    mbarrier.wait(turns.index(INDEX), turn_phase)
    scores = warpgroup_mma(q_tile, k_tile.permute((1, 0)), gl.zeros([64, KEYS], gl.float32, layout), use_acc=False,
                           is_async=True)
    sums = warpgroup_mma(p, v_tile, sums, use_acc=use_sums, is_async=True)
    mbarrier.arrive(turns.index((INDEX + 1) % CONSUMERS))
    scores = warpgroup_mma_wait(1, deps=[scores])
    return scores, sums, turn_phase ^ 1


@gluon.jit
def attend(steps, q_tile, k_ring, v_ring, k_bars, v_bars, turns, state, c, row, key, keys, CAUSAL: gl.constexpr,
           MASKED: gl.constexpr, INDEX: gl.constexpr, CONSUMERS: gl.constexpr):
    """`steps` more blocks of keys, downwards from `key`."""
    STAGES: gl.constexpr = k_ring.shape[0]
    KEYS: gl.constexpr = k_ring.shape[2]
    p, sums, use_sums, m, l, slot, phase, turn_phase = state
    for _ in range(steps):
        before = slot
        slot, phase = advance(slot, phase, STAGES)
        mbarrier.wait(k_bars[0].index(slot), phase)
        scores, sums, turn_phase = take_turn(q_tile, flat(k_ring.index(slot)), p, flat(v_ring.index(before)), sums,
                                             use_sums, turns, turn_phase, INDEX, CONSUMERS)
        mbarrier.arrive(k_bars[1].index(slot))
        weights, m, shrink = softmax_step(scores, m, c, row, key, keys, CAUSAL, MASKED)
        l = l * gl.convert_layout(shrink, gl.SliceLayout(1, l.type.layout))[:, None] + add_own(weights)
        # This early not only because it will be needed: ptxas would move the wait for the product up and
        # the softmax down behind it, but not across the loop that waiting for a barrier is.
        mbarrier.wait(v_bars[0].index(slot), phase)
        sums = warpgroup_mma_wait(0, deps=[sums])
        mbarrier.arrive(v_bars[1].index(before))
        sums = sums * gl.convert_layout(shrink, gl.SliceLayout(1, sums.type.layout))[:, None]
        p = gl.convert_layout(weights.to(p.dtype), p.type.layout)
        use_sums = True
        key -= KEYS
    return p, sums, use_sums, m, l, slot, phase, turn_phase


@gluon.jit
def store_rows(result, o, o_tiles, head, row, turn, INDEX: gl.constexpr):
    """Stores a consumer's rows of a tile, once those of the tile before have left its buffer."""
    tma.store_wait(0)
    flat(o_tiles.index(INDEX)).store(result)
    fence_async_shared()
    tma.async_store(o, [head, row, 0], o_tiles.index(INDEX))


@gluon.jit
def consume(store, o, lse, q_tiles, k_ring, v_ring, o_tiles, q_bars, k_bars, v_bars, turns, c, heads, rows, keys,
            offset, CAUSAL: gl.constexpr, CUT: gl.constexpr, INDEX: gl.constexpr):
    """One warpgroup: 64 rows of each tile of this program. `store` takes them as `store_rows` does."""
    CONSUMERS: gl.constexpr = turns.shape[0]
    STAGES: gl.constexpr = k_ring.shape[0]
    KEYS: gl.constexpr = k_ring.shape[2]
    D: gl.constexpr = k_ring.shape[3]
    score_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, KEYS, 16])
    sum_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])
    p_layout: gl.constexpr = gl.DotOperandLayout(0, sum_layout, 2)
    row_layout: gl.constexpr = gl.SliceLayout(1, score_layout)

    blocks = gl.cdiv(rows, 64 * CONSUMERS)
    tiles = heads * blocks
    turns_left = tiles_of_program(tiles, CAUSAL)
    slot = 0
    phase = 0
    # The first consumer may start at once: it waits for the phase before the first.
    turn_phase = 1 if INDEX == 0 else 0

    # The last block of keys, which is the one that may be cut off, is the first to be done.
    head, block = tile_place(0, tiles, blocks, CAUSAL)
    row = (block * CONSUMERS + INDEX) * 64
    count, _ = key_blocks(block, keys, 64 * CONSUMERS, KEYS, CAUSAL, offset)
    mbarrier.wait(q_bars[0].index(INDEX), 0)
    mbarrier.wait(k_bars[0].index(0), 0)
    scores = warpgroup_mma(flat(q_tiles.index(INDEX)), flat(k_ring.index(0)).permute((1, 0)),
                           gl.zeros([64, KEYS], gl.float32, score_layout), use_acc=False)
    mbarrier.arrive(k_bars[1].index(0))
    nothing = gl.full([64], float("-inf"), gl.float32, row_layout)
    weights, m, _ = softmax_step(scores, nothing, c, position_of(row, offset), (count - 1) * KEYS, keys, CAUSAL,
                                 CAUSAL or CUT)
    l = add_own(weights)
    mbarrier.wait(v_bars[0].index(0), 0)
    p = gl.convert_layout(weights.to(k_ring.dtype), p_layout)
    sums = gl.zeros([64, D], gl.float32, sum_layout)

    for turn in range(turns_left):
        # The rest of this tile.
        left, masked = key_blocks(row // (64 * CONSUMERS), keys, 64 * CONSUMERS, KEYS, CAUSAL, offset)
        q_place = turn % 2 * CONSUMERS + INDEX
        q_tile = flat(q_tiles.index(q_place))
        key = (left - 2) * KEYS
        state = (p, sums, False, m, l, slot, phase, turn_phase)
        # The diagonal passes through one block of keys, or through more where a tile has more rows or begins inside of one.
        if CAUSAL and (64 * CONSUMERS > KEYS or offset is not None):
            more = gl.maximum(masked - 1, 0)
            state = attend(more, q_tile, k_ring, v_ring, k_bars, v_bars, turns, state, c, position_of(row, offset), key,
                           keys, CAUSAL, True, INDEX, CONSUMERS)
            left -= more
            key -= more * KEYS
        state = attend(left - 1, q_tile, k_ring, v_ring, k_bars, v_bars, turns, state, c, row, key, keys, CAUSAL,
                       False, INDEX, CONSUMERS)
        p, sums, use_sums, m, l, slot, phase, turn_phase = state
        mbarrier.arrive(q_bars[1].index(q_place))

        # Its last product, beside the start of the next tile if there is one.
        done_head = head
        done_row = row
        done_l = l
        done_m = m
        before = slot
        slot, phase = advance(slot, phase, STAGES)
        if turn + 1 < turns_left:
            head, block = tile_place(turn + 1, tiles, blocks, CAUSAL)
            row = (block * CONSUMERS + INDEX) * 64
            count, _ = key_blocks(block, keys, 64 * CONSUMERS, KEYS, CAUSAL, offset)
            q_place = (turn + 1) % 2 * CONSUMERS + INDEX
            mbarrier.wait(q_bars[0].index(q_place), (turn + 1) // 2 % 2)
            mbarrier.wait(k_bars[0].index(slot), phase)
            scores, sums, turn_phase = take_turn(flat(q_tiles.index(q_place)), flat(k_ring.index(slot)), p,
                                                 flat(v_ring.index(before)), sums, use_sums, turns, turn_phase, INDEX,
                                                 CONSUMERS)
            mbarrier.arrive(k_bars[1].index(slot))
            weights, m, _ = softmax_step(scores, nothing, c, position_of(row, offset), (count - 1) * KEYS, keys, CAUSAL,
                                         CAUSAL or CUT)
            l = add_own(weights)
            mbarrier.wait(v_bars[0].index(slot), phase)
            sums = warpgroup_mma_wait(0, deps=[sums])
            p = gl.convert_layout(weights.to(p.dtype), p_layout)
        else:
            sums = warpgroup_mma(p, flat(v_ring.index(before)), sums, use_acc=use_sums)
        mbarrier.arrive(v_bars[1].index(before))
        done_l = gl.sum(done_l, 1)
        if lse is not None:
            lines = done_row + gl.arange(0, 64, layout=row_layout)
            gl.store(lse + done_head * rows + lines, done_m + gl.log2(gl.convert_layout(done_l, row_layout)), lines < rows)
        scale = gl.convert_layout(1.0 / done_l, gl.SliceLayout(1, sum_layout))
        store((sums * scale[:, None]).to(k_ring.dtype), o, o_tiles, done_head, done_row, turn, INDEX)
    tma.store_wait(0)


@gluon.jit
def ring_barriers(STAGES: gl.constexpr, CONSUMERS: gl.constexpr):
    """(filled, drained) for each slot: one producer fills it, all CONSUMERS drain it."""
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    drained = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        mbarrier.init(drained.index(slot), count=CONSUMERS)
    return filled, drained


# gluonc: q=tensordesc<fp16[1,64,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         k=tensordesc<fp16[1,128,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         v=tensordesc<fp16[1,128,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         o=tensordesc<fp16[1,64,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         c=fp32 heads=i32 rows=i32 keys=i32 CAUSAL=True CUT=False CONSUMERS=2 STAGES=2 REGISTERS=240
@gluon.jit
def attention(q, k, v, o, c, heads, rows, keys, CAUSAL: gl.constexpr, CUT: gl.constexpr, CONSUMERS: gl.constexpr,
              STAGES: gl.constexpr, REGISTERS: gl.constexpr, group=1, lse=None, offset=None):
    """The kernel; launched with num_warps=4, which are those of consumer 0.

    c is scale * log2(e); CUT says that blocks do not divide `keys`. `heads` are those of queries, `group` of which
    share one of keys and values. Row i of Q stands at key `offset` + i, which is what CAUSAL counts from; None is 0.
    `lse`, if there is one, gets for each head and row log2 of the sum of exp(scale * score), in fp32: what the way back
    needs (backward.py).
    """
    KEYS: gl.constexpr = k.block_shape[1]
    D: gl.constexpr = k.block_shape[2]
    q_tiles = gl.allocate_shared_memory(q.dtype, [2 * CONSUMERS, 1, 64, D], q.layout)
    o_tiles = gl.allocate_shared_memory(o.dtype, [CONSUMERS, 1, 64, D], o.layout)
    k_ring = gl.allocate_shared_memory(k.dtype, [STAGES, 1, KEYS, D], k.layout)
    v_ring = gl.allocate_shared_memory(v.dtype, [STAGES, 1, KEYS, D], v.layout)
    q_bars = ring_barriers(2 * CONSUMERS, 1)
    k_bars = ring_barriers(STAGES, CONSUMERS)
    v_bars = ring_barriers(STAGES, CONSUMERS)
    turns = gl.allocate_shared_memory(gl.int64, [CONSUMERS, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(CONSUMERS):
        mbarrier.init(turns.index(i), count=1)

    if CONSUMERS == 2:
        gl.warp_specialize([
            (consume, (store_rows, o, lse, q_tiles, k_ring, v_ring, o_tiles, q_bars, k_bars, v_bars, turns, c, heads,
                       rows, keys, offset, CAUSAL, CUT, 0)),
            (consume, (store_rows, o, lse, q_tiles, k_ring, v_ring, o_tiles, q_bars, k_bars, v_bars, turns, c, heads,
                       rows, keys, offset, CAUSAL, CUT, 1)),
            (produce, (q, k, v, q_tiles, k_ring, v_ring, q_bars, k_bars, v_bars, heads, rows, keys, offset, group,
                       CAUSAL, 2)),
        ], [4, 1], [REGISTERS, 24])
    else:
        gl.warp_specialize([
            (consume, (store_rows, o, lse, q_tiles, k_ring, v_ring, o_tiles, q_bars, k_bars, v_bars, turns, c, heads,
                       rows, keys, offset, CAUSAL, CUT, 0)),
            (consume, (store_rows, o, lse, q_tiles, k_ring, v_ring, o_tiles, q_bars, k_bars, v_bars, turns, c, heads,
                       rows, keys, offset, CAUSAL, CUT, 1)),
            (consume, (store_rows, o, lse, q_tiles, k_ring, v_ring, o_tiles, q_bars, k_bars, v_bars, turns, c, heads,
                       rows, keys, offset, CAUSAL, CUT, 2)),
            (produce, (q, k, v, q_tiles, k_ring, v_ring, q_bars, k_bars, v_bars, heads, rows, keys, offset, group,
                       CAUSAL, 3)),
        ], [4, 4, 1], [REGISTERS, REGISTERS, 24])


# ---- From Python ------------------------------------------------------------------------------


def describe(tensor, rows):
    """The TMA's view of heads x length x D, in blocks of one head and `rows` rows."""
    layout = gl.NVMMASharedLayout(128, 8 * tensor.dtype.itemsize, rank=3)
    return TensorDescriptor.from_tensor(tensor, [1, rows, tensor.shape[2]], layout)


def config_for(d, rows, causal):
    """Two consumers where sums fill the registers (D = 128) or tiles should be short, else three."""
    three = d == 64 and not causal and -(-rows // 192) * 192 < 1.07 * rows
    return dict(keys=128, stages=4 if d == 64 and not three else 2, consumers=3 if three else 2,
                registers=160 if three else 240)


def attend_all(q, k, v, o, scale, causal, programs, config=None, lse=None, offset=None):
    """o = softmax(scale * q k^T) v on `programs` programs, for tensors of heads x length x D.

    Causal: row i sees the keys up to `offset` + i.
    """
    heads, rows, d = q.shape
    key_heads, keys, _ = k.shape
    config = {**config_for(d, rows, causal), **(config or {})}
    tiles = heads * -(-rows // (64 * config["consumers"]))
    return attention[(min(programs, -(-tiles // 2) if causal else tiles),)](
        describe(q, 64), describe(k, config["keys"]), describe(v, config["keys"]), describe(o, 64),
        scale * 1.4426950408889634, heads, rows, keys, CAUSAL=causal, CUT=keys % config["keys"] != 0,
        CONSUMERS=config["consumers"], STAGES=config["stages"], REGISTERS=config["registers"],
        group=heads // key_heads, lse=lse, offset=offset, num_warps=4)


def check(device, programs, heads, rows, keys, d, dtype, causal, config=None, group=1, offset=None):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    q = torch.randn(heads, rows, d).to(device=device, dtype=dtype)
    k, v = (torch.randn(heads // group, keys, d).to(device=device, dtype=dtype) for _ in range(2))
    o = torch.full_like(q, float("nan"))
    scale = d**-0.5
    attend_all(q, k, v, o, scale, causal, programs, config, offset=offset)
    scores = scale * (q.double() @ k.double().repeat_interleave(group, 0).transpose(1, 2))
    if causal:
        scores = scores.masked_fill(torch.ones(rows, keys, dtype=bool, device=device).triu(1 + (offset or 0)), float("-inf"))
    expected = scores.softmax(-1) @ v.double().repeat_interleave(group, 0)
    # Probabilities are rounded to 16 bits before they meet V, the result once more.
    bound = 2 * torch.finfo(dtype).eps * expected.abs() + torch.finfo(dtype).eps
    wrong = (~((o.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {heads} heads, {rows} rows, {keys} keys, D {d}, {dtype}{', causal' * causal}: "
          f"{wrong} of {o.numel()} elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    for d, dtype in ((128, torch.float16), (64, torch.bfloat16)):
        for causal in (False, True):
            # Lengths that no block divides, several tiles for a program.
            fine &= check("cpu", 2, 3, 300, 300, d, dtype, causal)
            if torch.cuda.is_available():
                count = torch.cuda.get_device_properties(0).multi_processor_count
                fine &= check("cuda", count, 24, 1000, 1000, d, dtype, causal)
                fine &= check("cuda", count, 4, 4096, 4096, d, dtype, causal)
    # Rows and keys of different numbers; tiles of more rows than a block has keys, and a mask.
    fine &= check("cpu", 1, 1, 40, 200, 128, torch.bfloat16, False)
    fine &= check("cpu", 2, 1, 700, 700, 64, torch.float16, True, dict(consumers=3, registers=160))
    # Four heads of queries for one of keys.
    fine &= check("cpu", 2, 4, 150, 150, 128, torch.bfloat16, True, group=4)
    # The last rows of a longer sequence: blocks of keys and of rows that begin at different places.
    for offset in (1, 100, 128):
        fine &= check("cpu", 2, 2, 150, 150 + offset, 64, torch.bfloat16, True, offset=offset)
    if torch.cuda.is_available():
        fine &= check("cuda", count, 32, 1000, 5096, 128, torch.bfloat16, True, group=4, offset=4096)
        fine &= check("cuda", count, 32, 517, 3017, 128, torch.bfloat16, True, group=4, offset=2500)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
