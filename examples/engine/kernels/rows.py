"""What the engine does to rows between its products: kernels of Triton, a program for each row or part of one.

Numbers are rounded to 16 bits where PyTorch's modules of Llama and Qwen round them, so both choose the same tokens.
With PDL a kernel waits for the one before (launch-pdl in kernels.toml) and lets the one behind begin. Weights and what the host
gave for the step are loaded before it waits.
"""

import triton
import triton.language as tl


@triton.jit
def join(PDL: tl.constexpr):
    """The kernel before is complete, and the one behind may come."""
    if PDL:
        tl.extra.cuda.gdc_launch_dependents()
        tl.extra.cuda.gdc_wait()


@triton.jit
def meet(mine, theirs, counts, place):
    """Waits until the other GPU's kernel is at the same place; what was complete before either began is visible to both.

    `mine` and `theirs` are counters in this GPU's memory and in the other's, `counts` how often this one was here.
    """
    count = tl.atomic_add(counts + place, 1) + 1
    tl.atomic_xchg(theirs + place, count, sem="release", scope="sys")
    while tl.atomic_add(mine + place, 0, sem="acquire", scope="sys") < count:
        pass


@triton.jit
def receive(words, visit, inside):
    """Waits until the other GPU has written all `words`, with this visit's number above them (`send` in skinny.py)."""
    got = tl.load(words, inside, 0, volatile=True)
    while tl.max(tl.where(inside & ((got >> 32).to(tl.int32) != visit), 1, 0), 0) != 0:
        got = tl.load(words, inside, 0, volatile=True)
    return got


@triton.jit
def gather(y, x, rows, width, visits, meetings, BLOCK: tl.constexpr, PDL: tl.constexpr):
    """y[i] = x[rows[i]], BLOCK columns for each program (i, part). visits[0] += meetings, where there are visits."""
    join(PDL)
    if visits is not None:
        if (tl.program_id(0) == 0) & (tl.program_id(1) == 0):
            tl.store(visits, tl.load(visits) + meetings)
    i = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(rows + i).to(tl.int64)
    values = tl.load(x + row * width + column, column < width)
    tl.store(y + i.to(tl.int64) * width + column, values, column < width)


@triton.jit
def norm(residual, delta, peer, mine, theirs, counts, words, visits, meeting, weight, y, width, eps, BLOCK: tl.constexpr,
         PDL: tl.constexpr):
    """residual += delta, if there is one; y = residual / sqrt(mean of its squares + eps) * weight.

    Where two GPUs have half of the products each, the other's delta comes in `words`, with number visits[0] + meeting, or is
    in its memory at `peer`; else both are None. A sum of two does not depend on their order, so both GPUs stay alike
    bit by bit.
    """
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < width
    scale = tl.load(weight + column, inside, 0.0)
    join(PDL)
    x = tl.load(residual + row * width + column, inside, 0.0)
    if delta is not None:
        added = tl.load(delta + row * width + column, inside, 0.0).to(tl.float32)
        if words is not None:
            got = receive(words + row // 2 * width + column, tl.load(visits) + meeting, inside)
            added += (got >> row % 2 * 16).to(tl.int16).to(x.dtype, bitcast=True).to(tl.float32)
        if peer is not None:
            meet(mine, theirs, counts, row)
            added += tl.load(peer + row * width + column, inside, 0.0).to(tl.float32)
        x = (x.to(tl.float32) + added).to(x.dtype)
        tl.store(residual + row * width + column, x, inside)
    wide = x.to(tl.float32)
    wide = wide * tl.rsqrt(tl.sum(wide * wide, 0) / width + eps)
    tl.store(y + row * width + column, (wide.to(x.dtype).to(tl.float32) * scale.to(tl.float32)).to(x.dtype), inside)


@triton.jit
def rotate(low, high, cos, sin, dtype: tl.constexpr):
    """Pairs (i, i + D/2) turned by their angles."""
    return (low * cos - high * sin).to(dtype), (high * cos + low * sin).to(dtype)


@triton.jit
def norm_heads(low, high, weight, half, HALF: tl.constexpr, eps, dtype: tl.constexpr):
    """RMS norm of each head of D = 2 HALF."""
    factor = tl.rsqrt((tl.sum(low * low, 1) + tl.sum(high * high, 1)) / (2 * HALF) + eps)[:, None]
    low = (low * factor).to(dtype).to(tl.float32) * tl.load(weight + half).to(tl.float32)[None, :]
    high = (high * factor).to(dtype).to(tl.float32) * tl.load(weight + HALF + half).to(tl.float32)[None, :]
    return low.to(dtype).to(tl.float32), high.to(dtype).to(tl.float32)


@triton.jit
def rotary(qkv, bias, q_weight, k_weight, q, keys, values, table, positions, slots, heads, key_heads, q_stride, eps,
           HALF: tl.constexpr, PAGE: tl.constexpr, HEADS: tl.constexpr, PDL: tl.constexpr):
    """Bias, norm of heads and rotation; queries to q, keys back to qkv and with values to the cache.

    qkv has for each row `heads` heads of queries, `key_heads` of keys and as many of values, of D = 2 HALF each; a program
    has HEADS of one row's. `bias` is as long as a row or None, `q_weight` and `k_weight` D or None. `table` has for each
    position HALF cosines and HALF sines in fp32. `keys` and `values` are pages x key_heads x PAGE x D; slots[row] is page *
    PAGE + position in it, or -1: not kept.
    """
    D: tl.constexpr = 2 * HALF
    dtype: tl.constexpr = qkv.dtype.element_ty
    row = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    half = tl.arange(0, HALF)
    slot = tl.load(slots + row).to(tl.int64)
    angle = table + tl.load(positions + row).to(tl.int64) * D + half
    cos = tl.load(angle)
    sin = tl.load(angle + HALF)
    join(PDL)
    inside = (head < heads + 2 * key_heads)[:, None]
    place = head[:, None] * D + half[None, :]
    at = qkv + row * (heads + 2 * key_heads) * D + place
    low = tl.load(at, inside, 0.0).to(tl.float32)
    high = tl.load(at + HALF, inside, 0.0).to(tl.float32)
    if bias is not None:
        low = (low + tl.load(bias + place, inside, 0.0).to(tl.float32)).to(dtype).to(tl.float32)
        high = (high + tl.load(bias + place + HALF, inside, 0.0).to(tl.float32)).to(dtype).to(tl.float32)
    is_query = (head < heads)[:, None]
    is_key = (head >= heads)[:, None] & (head < heads + key_heads)[:, None]
    is_value = (head >= heads + key_heads)[:, None] & inside
    turned_low = low
    turned_high = high
    if q_weight is not None:
        q_low, q_high = norm_heads(low, high, q_weight, half, HALF, eps, dtype)
        k_low, k_high = norm_heads(low, high, k_weight, half, HALF, eps, dtype)
        turned_low = tl.where(is_query, q_low, k_low)
        turned_high = tl.where(is_query, q_high, k_high)
    # PyTorch's modules have cosines and sines in 16 bits.
    cos = cos.to(dtype).to(tl.float32)[None, :]
    sin = sin.to(dtype).to(tl.float32)[None, :]
    turned_low, turned_high = rotate(turned_low, turned_high, cos, sin, dtype)
    tl.store(q + row * q_stride + place, turned_low, is_query)
    tl.store(q + row * q_stride + place + HALF, turned_high, is_query)
    tl.store(at, turned_low, is_key)
    tl.store(at + HALF, turned_high, is_key)
    if bias is not None:
        tl.store(at, low.to(dtype), is_value)
        tl.store(at + HALF, high.to(dtype), is_value)
    kept = slot >= 0
    key_head = tl.where(head < heads + key_heads, head - heads, head - heads - key_heads)
    of = ((slot // PAGE * key_heads + key_head) * PAGE + slot % PAGE)[:, None] * D + half[None, :]
    tl.store(keys + of, turned_low, is_key & kept)
    tl.store(keys + of + HALF, turned_high, is_key & kept)
    tl.store(values + of, low.to(dtype), is_value & kept)
    tl.store(values + of + HALF, high.to(dtype), is_value & kept)


@triton.jit
def collect(y, keys, values, table, count, HALF: tl.constexpr, PAGE: tl.constexpr, PDL: tl.constexpr):
    """The first `count` keys and values of a sequence out of its pages: y is 2 x key heads x count x D.

    A program (page of the sequence, head) copies a head's keys and values of one page; pages as `rotary` has them.
    """
    join(PDL)
    D: tl.constexpr = 2 * HALF
    head = tl.program_id(1)
    page = tl.load(table + tl.program_id(0)).to(tl.int64)
    row = tl.arange(0, PAGE)[:, None]
    column = tl.arange(0, D)[None, :]
    position = tl.program_id(0) * PAGE + row
    inside = position < count
    of = ((page * tl.num_programs(1) + head) * PAGE + row) * D + column
    to = y + (head.to(tl.int64) * count + position) * D + column
    tl.store(to, tl.load(keys + of, inside), inside)
    tl.store(to + tl.num_programs(1).to(tl.int64) * count * D, tl.load(values + of, inside), inside)


@triton.jit
def swiglu(gate_up, y, width, BLOCK: tl.constexpr, PDL: tl.constexpr):
    """y = silu(gate) * up, where a row of gate_up is both, one behind the other; BLOCK columns a program (row, part)."""
    join(PDL)
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < width
    gate = tl.load(gate_up + row * 2 * width + column, inside, 0.0)
    up = tl.load(gate_up + row * 2 * width + width + column, inside, 0.0).to(tl.float32)
    wide = gate.to(tl.float32)
    silu = (wide / (1.0 + tl.exp(-wide))).to(gate.dtype).to(tl.float32)
    tl.store(y + row * width + column, (silu * up).to(gate.dtype), inside)


@triton.jit
def whole(own, peer, mine, theirs, counts, y, half, is_second, BLOCK: tl.constexpr, PDL: tl.constexpr):
    """y: rows of two halves, of which two GPUs have one each; BLOCK columns of both a program (row, part)."""
    join(PDL)
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < half
    to = y + row * 2 * half + column
    tl.store(to + is_second * half, tl.load(own + row * half + column, inside), inside)
    meet(mine, theirs, counts, tl.program_id(0) * tl.num_programs(1) + tl.program_id(1))
    tl.store(to + (1 - is_second) * half, tl.load(peer + row * half + column, inside), inside)
