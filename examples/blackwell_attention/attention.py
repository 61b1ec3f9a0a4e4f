"""Flash attention for Blackwell, forward: O = softmax(scale * Q K^T) V, causal or not.

Q, K, V and O are heads x length x D in fp16 or bf16, D 64 or 128. The mathematics is that of
hopper_attention/attention.py: a tile of rows of Q meets one block of keys after the other, and keeps for
each row the largest score so far (m), the sum of exponentials relative to it (l), and the sum of V
weighted by them, which shrinks when m grows.

What is Blackwell's in it (after Shah et al. 2024, arXiv:2407.08608, and what tensor memory allows):

*   Scores, probabilities and weighted sums are in tensor memory, so whoever works on them need not be
    who orders the products. Six partitions share the work:

        load        one warp: Q, then K and V block by block, into a ring that both share
        multiply    one warp orders all products
        soften      two warpgroups with 128 rows of Q each: scores to probabilities
        correct     a warpgroup shrinks sums, and at the end divides and stores them
        schedule    one warp asks for the next tiles (see blackwell_matmul/matmul.py)

*   The products of one half of a tile are computed while the other half is softened, in this order:

        multiply    S0 S1 | P0 V  S0' | P1 V  S1' | P0' V' ...
        soften 0        softens S0     ...  softens S0'
        soften 1           softens S1     ...   softens S1'

    With D = 128 both take the same time, 512 cycles a product and 1024 for the exponentials of 128 x 128
    scores, of which a multiprocessor does 16 in a cycle.
*   A thread has a row of scores, so neither maximum nor sum needs an exchange between threads. Where the
    chip has it (B300), the load of the scores brings the maximum along.
*   512 columns of tensor memory: two sums of D, probabilities of both halves (64 each, as operands have
    two of them in a column), and 128 for scores. One place for the scores of both halves is enough: a
    softener has them in registers soon, and then the next ones may come.
*   Shrinking a sum is a round trip through registers of everything. So m, which need not be the
    maximum but only near it, stays as it is until that is off by more than SLACK: probabilities are then
    2^SLACK at most, which is no problem in 16 bits.

        load --filled--> multiply --full--> soften --ready--> multiply --done--> correct
                                      soften --sent--> correct --ready--> multiply
"""

import os

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.blackwell import (TensorMemoryLayout, add2, allocate_tensor_memory, clc, fence_async_shared,
                                              fma2, mbarrier, tcgen05_commit, tcgen05_mma, tma)
from gluonc.nvidia.blackwell import TensorDescriptor


@gluon.jit
def tile_place(number, blocks, CAUSAL: gl.constexpr):
    """Head and block of rows of a tile. Causal ones with many keys come first: the short ones fill gaps at the end."""
    block = number % blocks
    if CAUSAL:
        block = blocks - 1 - block
    return number // blocks, block


@gluon.jit
def key_blocks(block, keys, KEYS: gl.constexpr, CAUSAL: gl.constexpr):
    """Blocks of keys that a tile of 256 rows needs, and how many of the last of them need a mask."""
    count = gl.cdiv(keys, KEYS)
    whole = keys // KEYS
    if CAUSAL:
        count = gl.minimum(count, gl.cdiv((block + 1) * 256, KEYS))
        whole = gl.minimum(whole, (block * 256 + 1) // KEYS)
    return count, count - gl.minimum(whole, count)


@gluon.jit
def advance(slot, phase, STAGES: gl.constexpr):
    """The next slot of a ring; its phase flips where the ring starts over."""
    last = slot == STAGES - 1
    return gl.where(last, 0, slot + 1), gl.where(last, phase ^ 1, phase)


@gluon.jit
def schedule(tiles):
    """Asks for one tile after the other, until there are no more."""
    answers, answered, read = tiles
    turn = gl.to_tensor(0)
    number = gl.program_id(0)
    while number >= 0:
        slot = turn % 2
        mbarrier.wait(read.index(slot), (turn // 2 & 1) ^ 1)
        mbarrier.expect(answered.index(slot), 16)
        clc.try_cancel(answers.index(slot), answered.index(slot))
        number, turn = next_tile(tiles, turn)


@gluon.jit
def next_tile(tiles, turn):
    """The number of the tile that an answer gives to this program, or -1; and the next turn."""
    answers, answered, read = tiles
    slot = turn % 2
    mbarrier.wait(answered.index(slot), turn // 2 & 1)
    work = clc.load_result(answers.index(slot))
    number = gl.to_tensor(-1)
    if work.is_canceled():
        number = work.program_id(0)
    # The next answer comes by the asynchronous proxy.
    fence_async_shared()
    mbarrier.arrive(read.index(slot))
    return number, turn + 1


@gluon.jit
def flat(buffer):
    """A buffer of 1 x rows x columns as one of rows x columns."""
    return buffer.reshape([buffer.shape[1], buffer.shape[2]])


@gluon.jit
def load(q, k, v, q_tiles, ring, q_bars, ring_bars, tiles, blocks, keys, CAUSAL: gl.constexpr):
    """What the products need, in the order of their need."""
    STAGES: gl.constexpr = ring.shape[0]
    KEYS: gl.constexpr = ring.shape[2]
    q_filled, q_drained = q_bars
    filled, drained = ring_bars
    slot = gl.to_tensor(0)
    phase = gl.to_tensor(1)
    turn = gl.to_tensor(0)
    number = gl.program_id(0)
    while number >= 0:
        head, block = tile_place(number, blocks, CAUSAL)
        count, _ = key_blocks(block, keys, KEYS, CAUSAL)
        for half in gl.static_range(2):
            mbarrier.wait(q_drained.index(half), (turn & 1) ^ 1)
            mbarrier.expect(q_filled.index(half), q.nbytes_per_cta)
            tma.async_load(q, [head, block * 256 + half * 128, 0], q_filled.index(half), q_tiles.index(half))
        for step in range(count):
            key = (count - 1 - step) * KEYS
            mbarrier.wait(drained.index(slot), phase)
            mbarrier.expect(filled.index(slot), k.nbytes_per_cta)
            tma.async_load(k, [head, key, 0], filled.index(slot), ring.index(slot))
            slot, phase = advance(slot, phase, STAGES)
            mbarrier.wait(drained.index(slot), phase)
            mbarrier.expect(filled.index(slot), v.nbytes_per_cta)
            tma.async_load(v, [head, key, 0], filled.index(slot), ring.index(slot))
            slot, phase = advance(slot, phase, STAGES)
        number, turn = next_tile(tiles, turn)


@gluon.jit
def score(q_tile, k_tile, scores, bars, place_phase, is_last, HALF: gl.constexpr):
    """Orders the scores of a block of keys, once the place for them is free."""
    full, taken, q_drained = bars
    mbarrier.wait(taken, place_phase)
    tcgen05_mma(flat(q_tile), flat(k_tile).permute((1, 0)), scores, use_acc=False,
                mbarriers=[full.index(HALF), q_drained.index(HALF)], mbarrier_preds=[True, is_last])
    return place_phase ^ 1


@gluon.jit
def multiply(q_tiles, ring, scores, weights, sums, q_bars, ring_bars, bars, tiles, blocks, keys, CAUSAL: gl.constexpr):
    """Orders all products. Between two tiles there is no pause: the scores of the next one are next."""
    STAGES: gl.constexpr = ring.shape[0]
    KEYS: gl.constexpr = ring.shape[2]
    q_filled, q_drained = q_bars
    filled, drained = ring_bars
    full, taken, ready, done = bars
    score_bars = (full, taken, q_drained)
    slot = gl.to_tensor(0)
    phase = gl.to_tensor(0)
    place_phase = gl.to_tensor(1)
    ready_phase = gl.to_tensor(0)
    turn = gl.to_tensor(0)
    number = gl.program_id(0)

    _, block = tile_place(number, blocks, CAUSAL)
    count, _ = key_blocks(block, keys, KEYS, CAUSAL)
    mbarrier.wait(filled.index(slot), phase)
    for half in gl.static_range(2):
        mbarrier.wait(q_filled.index(half), 0)
        place_phase = score(q_tiles.index(half), ring.index(slot), scores, score_bars, place_phase, count == 1, half)
    tcgen05_commit(drained.index(slot))

    while number >= 0:
        left = count - 1
        for step in range(left):
            v_slot, v_phase = advance(slot, phase, STAGES)
            slot, phase = advance(v_slot, v_phase, STAGES)
            mbarrier.wait(filled.index(v_slot), v_phase)
            for half in gl.static_range(2):
                mbarrier.wait(ready.index(half), ready_phase)
                tcgen05_mma(weights.index(half), flat(ring.index(v_slot)), sums.index(half), use_acc=step > 0,
                            mbarriers=[done.index(half)])
                if half == 0:
                    mbarrier.wait(filled.index(slot), phase)
                else:
                    tcgen05_commit(drained.index(v_slot))
                place_phase = score(q_tiles.index(half), ring.index(slot), scores, score_bars, place_phase,
                                    step == left - 1, half)
            tcgen05_commit(drained.index(slot))
            ready_phase ^= 1
        # The last block, and the first one of the next tile.
        v_slot, v_phase = advance(slot, phase, STAGES)
        slot, phase = advance(v_slot, v_phase, STAGES)
        number, turn = next_tile(tiles, turn)
        _, block = tile_place(number, blocks, CAUSAL)
        count, _ = key_blocks(block, keys, KEYS, CAUSAL)
        mbarrier.wait(filled.index(v_slot), v_phase)
        for half in gl.static_range(2):
            mbarrier.wait(ready.index(half), ready_phase)
            tcgen05_mma(weights.index(half), flat(ring.index(v_slot)), sums.index(half), use_acc=left > 0,
                        mbarriers=[done.index(half)])
            if half == 1:
                tcgen05_commit(drained.index(v_slot))
            if number >= 0:
                if half == 0:
                    mbarrier.wait(filled.index(slot), phase)
                mbarrier.wait(q_filled.index(half), turn & 1)
                place_phase = score(q_tiles.index(half), ring.index(slot), scores, score_bars, place_phase, count == 1,
                                    half)
                if half == 1:
                    tcgen05_commit(drained.index(slot))
        ready_phase ^= 1


@gluon.jit
def new_maximum(values, greatest, m, c, limit, key, MASKED: gl.constexpr, SLACK: gl.constexpr):
    """Scores, masked if need be, and m in their sight. A row has keys up to `limit`."""
    if MASKED:
        columns = key + gl.arange(0, values.shape[1], layout=gl.SliceLayout(0, values.type.layout))
        values = gl.where(columns[None, :] < limit[:, None], values, float("-inf"))
        greatest = gl.max(values, 1)
    return values, gl.where(greatest * c - m > SLACK, greatest * c, m)


@gluon.jit
def soften_half(values, weights, c, origin):
    """Exponentials of half of the scores of a block, relative to `origin`; in 16 bits to tensor memory."""
    origin = gl.convert_layout(origin, gl.SliceLayout(1, values.type.layout))
    p = gl.exp2(fma2(values, c, (-origin)[:, None].broadcast_to(values.shape)))
    weights.store(gl.convert_layout(p.to(weights.dtype), weights.get_reg_layout()))
    return p


@gluon.jit
def send(message, sent, received, value, phase):
    """One number per row, to who corrects."""
    mbarrier.wait(received, phase ^ 1)
    message.store(value)
    mbarrier.arrive(sent)
    return phase ^ 1


@gluon.jit
def soften_blocks(steps, state, scores, weights, message, bars, c, limit, MASKED: gl.constexpr, LOAD_MAX: gl.constexpr,
                  SLACK: gl.constexpr):
    """`steps` more blocks of keys, downwards."""
    full, taken, ready, sent, received = bars
    KEYS: gl.constexpr = scores.shape[1]
    m, l, key, phase, message_phase = state
    for _ in range(steps):
        mbarrier.wait(full, phase)
        if LOAD_MAX and not MASKED:
            values, greatest = scores.load_max()
        else:
            values = scores.load()
            greatest = gl.max(values, 1)
        mbarrier.arrive(taken)
        values, new_m = new_maximum(values, greatest, m, c, limit, key, MASKED, SLACK)
        # A row whose keys are all masked so far has the maximum -inf, and -inf - -inf is no number.
        origin = new_m
        if MASKED:
            origin = gl.where(new_m == float("-inf"), 0.0, new_m)
        shrink = gl.exp2(m - origin)
        m = new_m
        message_phase = send(message, sent, received, shrink, message_phase)
        # By halves, as registers hold all scores, but not their probabilities in 16 bits as well.
        left, right = values.reshape([128, 2, KEYS // 2]).permute(0, 2, 1).split()
        left = soften_half(left, weights.slice(0, KEYS // 2), c, origin)
        right = soften_half(right, weights.slice(KEYS // 2, KEYS // 2), c, origin)
        mbarrier.arrive(ready)
        l = l * shrink + gl.convert_layout(gl.sum(add2(left, right), 1), l.type.layout)
        key -= KEYS
        phase ^= 1
    return m, l, key, phase, message_phase


@gluon.jit
def soften(scores, weights, messages, bars, tiles, c, blocks, keys, CAUSAL: gl.constexpr, CUT: gl.constexpr,
           LOAD_MAX: gl.constexpr, SLACK: gl.constexpr, HALF: gl.constexpr):
    """Scores of half a tile to probabilities."""
    full, taken, ready, sent, received = bars
    KEYS: gl.constexpr = scores.shape[1]
    row_layout: gl.constexpr = gl.SliceLayout(1, scores.get_reg_layout())
    own = (full.index(HALF), taken, ready.index(HALF), sent.index(HALF), received.index(HALF))
    message = messages.index(HALF)
    phase = gl.to_tensor(0)
    message_phase = gl.to_tensor(0)
    turn = gl.to_tensor(0)
    number = gl.program_id(0)
    while number >= 0:
        _, block = tile_place(number, blocks, CAUSAL)
        count, masked = key_blocks(block, keys, KEYS, CAUSAL)
        limit = gl.full([128], keys, gl.int32, row_layout)
        if CAUSAL:
            limit = gl.minimum(limit, block * 256 + HALF * 128 + 1 + gl.arange(0, 128, row_layout))
        m = gl.full([128], float("-inf"), gl.float32, row_layout)
        l = gl.zeros([128], gl.float32, row_layout)
        state = (m, l, (count - 1) * KEYS, phase, message_phase)
        if CAUSAL or CUT:
            state = soften_blocks(masked, state, scores, weights.index(HALF), message, own, c, limit, True, LOAD_MAX,
                                  SLACK)
            count -= masked
        state = soften_blocks(count, state, scores, weights.index(HALF), message, own, c, limit, False, LOAD_MAX, SLACK)
        m, l, _, phase, message_phase = state
        message_phase = send(message, own[3], own[4], l, message_phase)
        number, turn = next_tile(tiles, turn)


@gluon.jit
def receive(message, sent, received, phase, layout: gl.constexpr):
    mbarrier.wait(sent, phase)
    value = message.load(layout)
    mbarrier.arrive(received)
    return value


@gluon.jit
def correct(o, staging, sums, messages, bars, tiles, blocks, keys, KEYS: gl.constexpr, CAUSAL: gl.constexpr):
    """Shrinks the sums when m has grown; divides, rounds and stores them at the end."""
    ready, done, sent, received = bars
    D: gl.constexpr = sums.shape[2]
    PIECE: gl.constexpr = staging.shape[3]
    PIECES: gl.constexpr = D // PIECE
    layout: gl.constexpr = sums.index(0).slice(0, PIECE).get_reg_layout()
    row_layout: gl.constexpr = gl.SliceLayout(1, layout)
    narrow: gl.constexpr = gl.SliceLayout(1, sums.index(0).slice(0, 32).get_reg_layout())
    phase = gl.to_tensor(0)
    message_phase = gl.to_tensor(0)
    turn = gl.to_tensor(0)
    number = gl.program_id(0)
    while number >= 0:
        head, block = tile_place(number, blocks, CAUSAL)
        count, _ = key_blocks(block, keys, KEYS, CAUSAL)
        for step in range(count):
            for half in gl.static_range(2):
                shrink = receive(messages.index(half), sent.index(half), received.index(half), message_phase, narrow)
                if step > 0:
                    mbarrier.wait(done.index(half), phase)
                    if gl.min(shrink, 0) < 1:
                        for j in gl.static_range(D // 32):
                            piece = sums.index(half).slice(j * 32, 32)
                            piece.store(piece.load() * shrink[:, None])
                mbarrier.arrive(ready.index(half))
            if step > 0:
                phase ^= 1
            message_phase ^= 1
        for half in gl.static_range(2):
            l = receive(messages.index(half), sent.index(half), received.index(half), message_phase, row_layout)
            mbarrier.wait(done.index(half), phase)
            for j in gl.static_range(PIECES):
                values = sums.index(half).slice(j * PIECE, PIECE).load(layout) * (1.0 / l)[:, None]
                buffer = staging.index((half * PIECES + j) % 2)
                tma.store_wait(1)
                flat(buffer).store(values.to(o.dtype))
                fence_async_shared()
                tma.async_store(o, [head, block * 256 + half * 128, j * PIECE], buffer)
        phase ^= 1
        message_phase ^= 1
        number, turn = next_tile(tiles, turn)
    tma.store_wait(0)


@gluon.jit
def barriers(COUNTS: gl.constexpr, SLOTS: gl.constexpr):
    """Rings of SLOTS barriers, one for each count of arrivals."""
    rings = ()
    for i in gl.static_range(len(COUNTS)):
        ring = mbarrier.allocate_mbarrier(batch=SLOTS)
        for slot in gl.static_range(SLOTS):
            mbarrier.init(ring.index(slot), count=COUNTS[i])
        rings = rings + (ring, )
    return rings


@gluon.jit
def attention(q, k, v, o, c, heads, rows, keys, CAUSAL: gl.constexpr, CUT: gl.constexpr, STAGES: gl.constexpr,
              LOAD_MAX: gl.constexpr, SLACK: gl.constexpr, REGISTERS: gl.constexpr):
    """The kernel; launched with num_warps=4, which are those that correct, and a program for each tile.

    c is scale * log2(e), more than 0; CUT says that blocks do not divide `keys`.
    """
    KEYS: gl.constexpr = k.block_shape[1]
    D: gl.constexpr = k.block_shape[2]
    q_tiles = gl.allocate_shared_memory(q.dtype, [2] + q.block_shape, q.layout)
    ring = gl.allocate_shared_memory(k.dtype, [STAGES] + k.block_shape, k.layout)
    staging = gl.allocate_shared_memory(o.dtype, [2] + o.block_shape, o.layout)
    messages = gl.allocate_shared_memory(gl.float32, [2, 128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    answers = gl.allocate_shared_memory(gl.int64, [2, 2], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    scores = allocate_tensor_memory(gl.float32, [128, KEYS], TensorMemoryLayout([128, KEYS], 1))
    weights = allocate_tensor_memory(q.dtype, [2, 128, KEYS], TensorMemoryLayout([128, KEYS], 1))
    sums = allocate_tensor_memory(gl.float32, [2, 128, D], TensorMemoryLayout([128, D], 1))

    q_bars = barriers([1, 1], 2)
    ring_bars = barriers([1, 1], STAGES)
    # `ready` tells of weights and of sums.
    full, ready, done, sent, received = barriers([1, 2, 1, 1, 1], 2)
    taken = mbarrier.allocate_mbarrier()
    mbarrier.init(taken, count=1)
    tiles = (answers, ) + barriers([1, 6], 2)

    blocks = gl.cdiv(rows, 256)
    soften_bars = (full, taken, ready, sent, received)
    gl.warp_specialize([
        (correct, (o, staging, sums, messages, (ready, done, sent, received), tiles, blocks, keys, KEYS, CAUSAL)),
        (soften, (scores, weights, messages, soften_bars, tiles, c, blocks, keys, CAUSAL, CUT, LOAD_MAX, SLACK, 0)),
        (soften, (scores, weights, messages, soften_bars, tiles, c, blocks, keys, CAUSAL, CUT, LOAD_MAX, SLACK, 1)),
        (load, (q, k, v, q_tiles, ring, q_bars, ring_bars, tiles, blocks, keys, CAUSAL)),
        (multiply, (q_tiles, ring, scores, weights, sums, q_bars, ring_bars, (full, taken, ready, done), tiles, blocks,
                    keys, CAUSAL)),
        (schedule, (tiles, )),
    ], [4, 4, 1, 1, 1], [REGISTERS, REGISTERS, 48, 48, 48])


# ---- From Python ------------------------------------------------------------------------------

# Keys of a block, registers of a softener's thread. What those leave of 65536 is for who corrects, 96: fewer than
# 184 are too few for one, more for the other.
CONFIG = dict(keys=128, slack=8.0, registers=184)


def describe(tensor, rows, columns):
    """The TMA's view of heads x length x D, in blocks of one head."""
    layout = gl.NVMMASharedLayout(128, 8 * tensor.dtype.itemsize, rank=3)
    return TensorDescriptor.from_tensor(tensor, [1, rows, columns], layout)


def attend_all(q, k, v, o, scale, causal, load_max=False, config=None):
    """o = softmax(scale * q k^T) v for tensors of heads x length x D; load_max where the chip is a B300."""
    heads, rows, d = q.shape
    keys = k.shape[1]
    config = {**CONFIG, "stages": 512 // d, **(config or {})}
    return attention[(heads * -(-rows // 256),)](
        describe(q, 128, d), describe(k, config["keys"], d), describe(v, config["keys"], d), describe(o, 128, 64),
        scale * 1.4426950408889634, heads, rows, keys, CAUSAL=causal, CUT=keys % config["keys"] != 0,
        STAGES=config["stages"], LOAD_MAX=load_max, SLACK=config["slack"], REGISTERS=config["registers"], num_warps=4)


def check(device, heads, rows, keys, d, dtype, causal, load_max=False, scale=None, config=None):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    q, k, v = (torch.randn(heads, length, d).to(device=device, dtype=dtype) for length in (rows, keys, keys))
    o = torch.full_like(q, float("nan"))
    scale = scale or d**-0.5
    attend_all(q, k, v, o, scale, causal, load_max, config)
    scores = scale * (q.double() @ k.double().transpose(1, 2))
    if causal:
        scores = scores.masked_fill(torch.ones(rows, keys, dtype=bool, device=device).triu(1), float("-inf"))
    expected = scores.softmax(-1) @ v.double()
    # Probabilities are rounded to 16 bits before they meet V, the result once more.
    bound = 2 * torch.finfo(dtype).eps * expected.abs() + torch.finfo(dtype).eps
    wrong = (~((o.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {heads} heads, {rows} rows, {keys} keys, D {d}, {dtype}{', causal' * causal}: "
          f"{wrong} of {o.numel()} elements are wrong")
    return wrong == 0


def main():
    import torch
    has_blackwell = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 10
    if not has_blackwell:
        # What the simulator pretends to be, and with it whoever asks which GPU is there.
        os.environ.setdefault("GLUONC_SIMULATE", "cuda:100a")
    fine = True
    for d, dtype in ((128, torch.float16), (64, torch.bfloat16)):
        for causal in (False, True):
            # Lengths that no block divides; more tiles than programs begin.
            fine &= check("cpu", 2, 300, 300, d, dtype, causal)
            if has_blackwell:
                load_max = torch.cuda.get_device_capability() == (10, 3)
                fine &= check("cuda", 24, 1000, 1000, d, dtype, causal, load_max)
                fine &= check("cuda", 4, 4096, 4096, d, dtype, causal, load_max)
    # Rows and keys of different numbers; scores so far apart that sums shrink, and if it were for each block.
    fine &= check("cpu", 1, 40, 200, 128, torch.bfloat16, False)
    fine &= check("cpu", 1, 520, 520, 64, torch.float16, True, scale=1.0)
    fine &= check("cpu", 1, 520, 520, 64, torch.float16, True, scale=1.0, config=dict(slack=0.0))
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
