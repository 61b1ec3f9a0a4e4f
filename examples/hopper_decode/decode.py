"""Attention of one new token over a paged cache, for Hopper: O = softmax(scale * Q K^T) V.

What a language model does when it generates: each sequence of the batch has one row of Q for each of
its heads, and all keys and values that came before. GROUP heads of Q share one head of keys (grouped
queries, Ainslie et al. 2023, arXiv:2305.13245). Keys and values lie in pages of PAGE positions, and a
table says which pages a sequence has (Kwon et al. 2023, arXiv:2309.06180):

    q, o       batch x heads x D in fp16 or bf16, D 64 or 128
    k, v       pages x key heads x PAGE x D, PAGE 32 to 128
    table      batch x pages of the longest sequence, int32
    lengths    batch, int32: positions that a sequence has, the new one included; 0 gives zeros

Every byte of the cache is used once, so the time is that of reading it, and two things matter: that
enough bytes are on their way, and that all multiprocessors read equally long.

*   A producer warp looks up pages and asks the TMA for them, STAGES ahead.
*   A consumer warpgroup multiplies. Its 64 rows are more than GROUP; the rest is thrown away.
*   A program has two such pairs, WAYS, each with a part of its own: one alone computes about as long as its
    blocks take to come, and waits for neither product nor softmax of the other.
*   The work is one list of blocks (a page of one head of keys), sequence by sequence, head by head. It is
    cut into equal parts, one for each pair, wherever that falls, so sequences of any lengths keep all
    of them busy to the end (split keys: Dao et al., Flash-Decoding, 2023; the cuts: Osama et al. 2023,
    arXiv:2301.03598). What a cut leaves unfinished goes to `partial`; who is the last to come adds it up.

A part has at most two unfinished pieces: the first, which another one has begun, and the last, which
another one goes on with. Each has its own place in `partial`, and the parts that share a head count in
`arrived`, at the place of the first of them. The last one to come leaves a zero there for the next launch.
With PDL (launch_pdl=True) everything that depends on the table and the lengths alone comes before the kernel in
front is complete, and so do the first pages that a program needs: kernels in front write a sequence's last position only.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma
from gluonc.nvidia.hopper import TensorDescriptor


WAYS = gl.constexpr(2)


@gluon.constexpr_function
def power_of_two(n):
    """The least one that is not below n."""
    return 1 << (n - 1).bit_length()


@gluon.jit
def blocks_of(lengths, batch, PAGE: gl.constexpr, BATCH: gl.constexpr):
    """Blocks that one head of each sequence has: BATCH numbers, all in each warp, so that no warp needs another."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    number = gl.arange(0, BATCH, layout=layout)
    return number, gl.cdiv(gl.load(lengths + number, number < batch, 0), PAGE)


@gluon.jit
def share(blocks, heads, way):
    """(this part, blocks of each, this one's first block, the one behind its last); some may have fewer, or none."""
    total = gl.sum(blocks, 0) * heads
    each = gl.maximum(gl.cdiv(total, gl.num_programs(0) * WAYS), 1)
    part = gl.program_id(0) * WAYS + way
    return part, each, part * each, gl.minimum((part + 1) * each, total)


@gluon.jit
def find(at, number, blocks, heads):
    """Sequence, head, and block in it of the list's block `at`, and how many that head has."""
    ends = gl.cumsum(blocks * heads, 0)
    before = ends <= at
    sequence = gl.sum(before.to(gl.int32), 0)
    count = gl.sum(gl.where(number == sequence, blocks, 0), 0)
    inside = at - gl.max(gl.where(before, ends, 0), 0)
    return sequence, inside // count, inside % count, count


@gluon.jit
def advance(slot, phase, STAGES: gl.constexpr):
    """The next slot of a ring; its phase flips where the ring starts over."""
    last = slot == STAGES - 1
    return gl.where(last, 0, slot + 1), gl.where(last, phase ^ 1, phase)


@gluon.jit
def load_page(tiles, page, bars, ring, slot):
    mbarrier.expect(bars[0].index(slot), ring.shape[2] * ring.shape[3] * tiles.dtype.primitive_bitwidth // 8)
    tma.async_load(tiles, [page, 0, 0], bars[0].index(slot), ring.index(slot))


@gluon.jit
def produce(q, k, v, table, stride, lengths, batch, heads, room, way, GROUP: gl.constexpr, BATCH: gl.constexpr,
            PDL: gl.constexpr):
    """Loads a part's blocks, and the rows of Q for each piece."""
    q_tiles, k_ring, v_ring, q_bars, k_bars, v_bars = room
    STAGES: gl.constexpr = k_ring.shape[0]
    PAGE: gl.constexpr = k_ring.shape[2]
    D: gl.constexpr = k_ring.shape[3]
    SIZE: gl.constexpr = q.dtype.primitive_bitwidth // 8
    number, blocks = blocks_of(lengths, batch, PAGE, BATCH)
    _, _, at, last = share(blocks, heads, way)
    slot = 0
    phase = 1
    piece = 0
    while at < last:
        sequence, head, block, count = find(at, number, blocks, heads)
        stop = gl.minimum(count, block + last - at)
        pages = table + sequence.to(gl.int64) * stride
        early = 0
        if PDL:
            if piece == 0:
                early = gl.maximum(gl.minimum(gl.minimum(stop, count - 1) - block, STAGES), 0)
                for i in range(block, block + early):
                    page = gl.load(pages + i) * heads + head
                    load_page(k, page, k_bars, k_ring, slot)
                    load_page(v, page, v_bars, v_ring, slot)
                    slot, phase = advance(slot, phase, STAGES)
                gl.extra.gdc_wait()
        mbarrier.wait(q_bars[1].index(piece % 2), piece // 2 % 2 ^ 1)
        mbarrier.expect(q_bars[0].index(piece % 2), 64 * D * SIZE)
        tma.async_load(q, [(sequence * heads + head) * GROUP, 0], q_bars[0].index(piece % 2), q_tiles.index(piece % 2))
        for i in range(block + early, stop):
            page = gl.load(pages + i) * heads + head
            mbarrier.wait(k_bars[1].index(slot), phase)
            load_page(k, page, k_bars, k_ring, slot)
            mbarrier.wait(v_bars[1].index(slot), phase)
            load_page(v, page, v_bars, v_ring, slot)
            slot, phase = advance(slot, phase, STAGES)
        at += stop - block
        piece += 1


@gluon.jit
def flat(buffer):
    """A buffer of 1 x rows x columns as one of rows x columns."""
    return buffer.reshape([buffer.shape[1], buffer.shape[2]])


@gluon.jit
def forget(tile, positions):
    """Zeros behind the last position of a sequence: what is there may be no number, and 0 times that is none."""
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    row = gl.arange(0, tile.shape[0], layout=gl.SliceLayout(1, layout))
    values = tile.load(layout)
    tile.store(gl.where((row < positions)[:, None], values, gl.zeros_like(values)))
    fence_async_shared()


@gluon.jit
def combine(to, partial, first, count, GROUP: gl.constexpr, D: gl.constexpr):
    """Adds up what `count` parts from `first` on have of one head, and stores it; FEW of them at a time."""
    ROWS: gl.constexpr = power_of_two(GROUP)
    # As many as 64 numbers of fp32 in each thread, but no more than 16.
    FEW: gl.constexpr = 4
    layout: gl.constexpr = gl.BlockedLayout([FEW, 1, D // 32], [1, 1, 32], [1, gl.num_warps(), 1], [2, 1, 0])
    tile: gl.constexpr = gl.SliceLayout(0, layout)
    rows: gl.constexpr = gl.SliceLayout(1, tile)
    number = gl.arange(0, FEW, layout=gl.SliceLayout(1, gl.SliceLayout(2, layout)))
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(0, gl.SliceLayout(2, layout)))
    column = gl.arange(0, D, layout=gl.SliceLayout(0, gl.SliceLayout(1, layout)))
    m = gl.full([ROWS], float("-inf"), gl.float32, row.type.layout)
    l = gl.zeros([ROWS], gl.float32, row.type.layout)
    sums = gl.zeros([ROWS, D], gl.float32, tile)
    inside = gl.convert_layout(row, rows)[:, None] * D + gl.convert_layout(column, gl.SliceLayout(0, tile))[None, :]
    for begin in range(0, count, FEW):
        # Only the first part has this head as its last piece.
        place = 2 * (first + begin + number) + gl.where(begin + number == 0, 1, 0)
        counts = ((begin + number) < count)[:, None] & (row < GROUP)[None, :]
        of = partial + place * (GROUP * (D + 2))
        other = gl.load(of[:, None] + (GROUP * D + row)[None, :], counts, float("-inf"))
        new_m = gl.maximum(m, gl.max(other, 0))
        origin = gl.where(new_m == float("-inf"), 0.0, new_m)
        factor = gl.exp2(other - origin[None, :])
        shrink = gl.exp2(m - origin)
        l = l * shrink + gl.sum(factor * gl.load(of[:, None] + (GROUP * (D + 1) + row)[None, :], counts, 0.0), 0)
        values = gl.load(of[:, None, None] + inside[None, :, :], counts[:, :, None], 0.0)
        sums = sums * gl.convert_layout(shrink, rows)[:, None] + gl.sum(factor[:, :, None] * values, 0)
        m = new_m
    # Rows behind GROUP have no sum.
    l = gl.convert_layout(gl.where(l == 0.0, 1.0, l), rows)
    gl.store(to + inside, (sums / l[:, None]).to(to.dtype.element_ty), (gl.convert_layout(row, rows) < GROUP)[:, None])


@gluon.jit
def consume(o, partial, arrived, lengths, batch, heads, c, room, way, GROUP: gl.constexpr, BATCH: gl.constexpr,
            PDL: gl.constexpr):
    """One warpgroup: all of a part's blocks."""
    q_tiles, k_ring, v_ring, q_bars, k_bars, v_bars = room
    STAGES: gl.constexpr = k_ring.shape[0]
    PAGE: gl.constexpr = k_ring.shape[2]
    D: gl.constexpr = k_ring.shape[3]
    score_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, PAGE, 16])
    sum_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])
    p_layout: gl.constexpr = gl.DotOperandLayout(0, sum_layout, 2)
    rows: gl.constexpr = gl.SliceLayout(1, sum_layout)
    row = gl.arange(0, 64, layout=rows)
    inside = (row[:, None] * D + gl.arange(0, D, layout=gl.SliceLayout(0, sum_layout))[None, :])
    column = gl.arange(0, PAGE, layout=gl.SliceLayout(0, score_layout))

    number, blocks = blocks_of(lengths, batch, PAGE, BATCH)
    part, each, at, last = share(blocks, heads, way)
    slot = 0
    phase = 0
    piece = 0
    while at < last:
        sequence, head, block, count = find(at, number, blocks, heads)
        stop = gl.minimum(count, block + last - at)
        length = gl.load(lengths + sequence)
        mbarrier.wait(q_bars[0].index(piece % 2), piece // 2 % 2)
        m = gl.full([64], float("-inf"), gl.float32, gl.SliceLayout(1, score_layout))
        l = gl.zeros([64], gl.float32, gl.SliceLayout(1, score_layout))
        sums = gl.zeros([64, D], gl.float32, sum_layout)
        for i in range(block, stop):
            k_tile = flat(k_ring.index(slot))
            v_tile = flat(v_ring.index(slot))
            mbarrier.wait(k_bars[0].index(slot), phase)
            scores = warpgroup_mma(q_tiles.index(piece % 2), k_tile.permute((1, 0)), gl.zeros([64, PAGE], gl.float32, score_layout),
                                   use_acc=False)
            mbarrier.arrive(k_bars[1].index(slot))
            left = length - i * PAGE
            if left < PAGE:
                scores = gl.where((column < left)[None, :], scores, float("-inf"))
            # Every block has a position that counts, so this is a number.
            new_m = gl.maximum(m, gl.max(scores, 1) * c)
            p = gl.exp2(scores * c - new_m[:, None])
            shrink = gl.exp2(m - new_m)
            m = new_m
            l = l * shrink + gl.sum(p, 1)
            sums = sums * gl.convert_layout(shrink, rows)[:, None]
            mbarrier.wait(v_bars[0].index(slot), phase)
            if left < PAGE:
                forget(v_tile, left)
            sums = warpgroup_mma(gl.convert_layout(p.to(o.dtype.element_ty), p_layout), v_tile, sums)
            mbarrier.arrive(v_bars[1].index(slot))
            slot, phase = advance(slot, phase, STAGES)
        mbarrier.arrive(q_bars[1].index(piece % 2))
        if PDL:
            # Nothing is written before the kernel in front is complete.
            gl.extra.gdc_wait()
        l = gl.convert_layout(l, rows)
        to = o + (sequence * heads + head).to(gl.int64) * (GROUP * D)
        if stop - block == count:
            gl.store(to + inside, (sums / l[:, None]).to(o.dtype.element_ty), (row < GROUP)[:, None])
        else:
            place = 2 * part + gl.where(block == 0, 1, 0)
            rest = partial + place * (GROUP * (D + 2))
            gl.store(rest + inside, sums, (row < GROUP)[:, None])
            gl.store(rest + GROUP * D + row, gl.convert_layout(m, rows), row < GROUP)
            gl.store(rest + GROUP * (D + 1) + row, l, row < GROUP)
            first = (at - block) // each
            others = (at - block + count - 1) // each - first
            if gl.atomic_add(arrived + first, 1, sem="acq_rel", scope="gpu") == others:
                gl.store(arrived + first, 0)
                combine(to, partial, first, others + 1, GROUP, D)
        at += stop - block
        piece += 1
    if PDL:
        gl.extra.gdc_wait()
    # Sequences without positions are in no part.
    for sequence in range(part, batch, gl.num_programs(0) * WAYS):
        if gl.load(lengths + sequence) <= 0:
            to = o + sequence.to(gl.int64) * (heads * GROUP * D)
            for head in range(heads):
                gl.store(to + head * (GROUP * D) + inside, gl.zeros([64, D], o.dtype.element_ty, sum_layout),
                         (row < GROUP)[:, None])


@gluon.jit
def ring_barriers(STAGES: gl.constexpr):
    """(filled, drained) for each slot."""
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    drained = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        mbarrier.init(drained.index(slot), count=1)
    return filled, drained


@gluon.jit
def make_room(q, k, v, STAGES: gl.constexpr):
    """Tiles of Q, rings of keys and of values, and the barriers of each."""
    q_tiles = gl.allocate_shared_memory(q.dtype, [2] + q.block_shape, q.layout)
    k_ring = gl.allocate_shared_memory(k.dtype, [STAGES] + k.block_shape, k.layout)
    v_ring = gl.allocate_shared_memory(v.dtype, [STAGES] + v.block_shape, v.layout)
    return q_tiles, k_ring, v_ring, ring_barriers(2), ring_barriers(STAGES), ring_barriers(STAGES)


# gluonc: q=tensordesc<fp16[64,128],gl.NVMMASharedLayout(128,16,rank=2)> \
#         k=tensordesc<fp16[1,64,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         v=tensordesc<fp16[1,64,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         o=*fp16:16 partial=*fp32:16 arrived=*i32:16 table=*i32:16 stride=i32 lengths=*i32:16 batch=i32 heads=i32 c=fp32 \
#         GROUP=4 BATCH=64 STAGES=2
@gluon.jit
def decode(q, k, v, o, partial, arrived, table, stride, lengths, batch, heads, c, GROUP: gl.constexpr, BATCH: gl.constexpr,
           STAGES: gl.constexpr, PDL: gl.constexpr = False):
    """The kernel; launched with num_warps=4, which are those of a consumer.

    `heads` are those of keys, c is scale * log2(e); BATCH a power of two, not below `batch`. With PDL (launch_pdl=True) the
    kernel behind may begin as soon as there is room for it; those in front may write a sequence's last position of the cache, and no other.
    """
    if PDL:
        gl.extra.gdc_launch_dependents()
    one = make_room(q, k, v, STAGES)
    other = make_room(q, k, v, STAGES)
    gl.warp_specialize([
        (consume, (o, partial, arrived, lengths, batch, heads, c, one, 0, GROUP, BATCH, PDL)),
        (consume, (o, partial, arrived, lengths, batch, heads, c, other, 1, GROUP, BATCH, PDL)),
        (produce, (q, k, v, table, stride, lengths, batch, heads, one, 0, GROUP, BATCH, PDL)),
        (produce, (q, k, v, table, stride, lengths, batch, heads, other, 1, GROUP, BATCH, PDL)),
    ], [4, 1, 1], [224, 40, 40])


# ---- From Python ------------------------------------------------------------------------------


def scratch(programs, group, d, device):
    """(partial, arrived) for launches of `programs` programs, one after the other."""
    import torch
    parts = programs * WAYS.value
    return (torch.empty(2 * parts * group * (d + 2), dtype=torch.float32, device=device),
            torch.zeros(parts, dtype=torch.int32, device=device))


def describe(tensor, shape):
    layout = gl.NVMMASharedLayout(128, 8 * tensor.dtype.itemsize, rank=len(shape))
    return TensorDescriptor.from_tensor(tensor, shape, layout)


def attend(q, k, v, o, table, lengths, scale, programs, memory, stages=None):
    """o = softmax(scale * q k^T) v on `programs` programs; shapes as above, `memory` by `scratch`."""
    batch, q_heads, d = q.shape
    _, heads, page, _ = k.shape
    group = q_heads // heads
    if q_heads % heads or group > 64:
        raise ValueError(f"{q_heads} heads of queries and {heads} of keys; a head of keys serves 1 to 64 of queries")
    # 128 KiB of keys and values.
    stages = stages or 16384 // (page * d)
    decode[(programs,)](
        describe(q.view(-1, d), [64, d]), describe(k.view(-1, page, d), [1, page, d]),
        describe(v.view(-1, page, d), [1, page, d]), o, *memory, table, table.stride(0), lengths, batch, heads,
        scale * 1.4426950408889634, GROUP=group, BATCH=power_of_two(batch), STAGES=stages, num_warps=4)


def random_cache(device, lengths, heads, page, d, dtype):
    """Keys and values in pages that lie in any order; what no sequence has is not a number."""
    import torch
    counts = [-(-length // page) for length in lengths]
    order = torch.randperm(sum(counts) + 3)
    table = torch.full((len(lengths), max(*counts, 1)), -1, dtype=torch.int32)
    k, v = (torch.full((len(order), heads, page, d), float("nan"), dtype=dtype, device=device) for _ in range(2))
    at = 0
    for i, (length, count) in enumerate(zip(lengths, counts)):
        table[i, :count] = order[at:at + count]
        at += count
        for j in range(count):
            filled = min(page, length - j * page)
            for cache in (k, v):
                cache[table[i, j], :, :filled] = torch.randn(heads, filled, d, device=device).to(dtype)
    return k, v, table.to(device), torch.tensor(lengths, dtype=torch.int32, device=device)


def reference(q, k, v, table, lengths, scale):
    import torch
    o = torch.zeros(q.shape, dtype=torch.float64, device=q.device)
    group = q.shape[1] // k.shape[1]
    for i, length in enumerate(lengths.tolist()):
        if length:
            pages = table[i, :-(-length // k.shape[2])].long()
            keys, values = (cache[pages].double().transpose(0, 1).flatten(1, 2)[:, :length].repeat_interleave(group, 0)
                            for cache in (k, v))
            scores = scale * (keys @ q[i].double()[:, :, None])[:, :, 0]
            o[i] = (scores.softmax(-1)[:, None] @ values)[:, 0]
    return o


def check(device, programs, lengths, q_heads, heads, page, d, dtype):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    k, v, table, lengths = random_cache(device, lengths, heads, page, d, dtype)
    q = torch.randn(len(lengths), q_heads, d, device=device).to(dtype)
    o = torch.full_like(q, float("nan"))
    scale = d**-0.5
    attend(q, k, v, o, table, lengths, scale, programs, scratch(programs, q_heads // heads, d, device))
    expected = reference(q, k, v, table, lengths, scale)
    # Probabilities are rounded to 16 bits before they meet V, the result once more.
    bound = 2 * torch.finfo(dtype).eps * expected.abs() + torch.finfo(dtype).eps
    wrong = (~((o.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {len(lengths)} sequences, {q_heads} heads over {heads}, pages of {page}, D {d}, {dtype}, "
          f"{programs} programs: {wrong} of {o.numel()} elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    # Cuts inside of pieces and between them, programs without work, an empty sequence, one of a single position.
    fine &= check("cpu", 3, [100, 0, 1, 230], 8, 2, 64, 128, torch.float16)
    fine &= check("cpu", 7, [200, 64], 6, 2, 32, 64, torch.bfloat16)
    fine &= check("cpu", 4, [20], 2, 2, 128, 64, torch.float16)
    if torch.cuda.is_available():
        count = torch.cuda.get_device_properties(0).multi_processor_count
        fine &= check("cuda", count, [3000, 17, 0, 8192, 1, 640] * 3, 32, 8, 64, 128, torch.float16)
        fine &= check("cuda", count, [50000], 64, 8, 128, 128, torch.bfloat16)
        fine &= check("cuda", count, [1000 + 37 * i for i in range(40)], 16, 16, 32, 64, torch.float16)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
