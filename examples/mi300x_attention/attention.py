"""Flash attention for MI300X (gfx942), forward: O = softmax(scale * Q K^T) V, causal or not.

Q, K, V and O are heads x length x D in fp16 or bf16, D 64 or 128. A program computes 128 rows of one head. They meet one
block of 64 keys after the other, and keep for each row the largest score so far (m), the sum of exponentials relative to
it (l), and the sum of V weighted by them, which shrinks when m grows.

*   Each of the four waves has 32 rows for itself: no exchange between waves but for K and V, which are in LDS.
*   mfma_f32_32x32x8 with a transposed layout: the scores of a row are in two lanes, so maxima and sums take one exchange of
    lanes. What a lane holds of the scores is what the second product wants of its left operand (k_width 4), so
    probabilities go from one product to the next without leaving their registers.
*   The second product wants V by columns: four keys of one column at a time. A thread loads four rows of V, eight columns
    wide, and stores its columns into a buffer whose keys are neighbours (order [0, 1]): eight stores of 8 bytes.
*   As in mi300x_matmul/matmul.py, the next blocks are on their way to registers while those in LDS are multiplied.
"""

import os

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.amd import cdna3

LOG2_E = 1.4426950408889634


@gluon.jit
def block_of(pointer, first, count, stride, D: gl.constexpr, ROWS: gl.constexpr, layout: gl.constexpr):
    """Base, offsets and mask of the rows from `first`."""
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, D, layout=gl.SliceLayout(0, layout))
    inside = (first + rows < count)[:, None].broadcast_to([ROWS, D])
    return pointer + first.to(gl.int64) * stride, rows[:, None] * stride + columns[None, :], inside


@gluon.jit
def load_block(pointer, first, count, stride, D: gl.constexpr, ROWS: gl.constexpr, layout: gl.constexpr):
    """Rows from `first`; those behind the end are zero."""
    base, offsets, inside = block_of(pointer, first, count, stride, D, ROWS, layout)
    return cdna3.buffer_load(base, offsets, mask=inside)


@gluon.jit
def visit(state, begin, end, q, k, v, tiles, first, rows, keys, k_stride, v_stride, c, MASKED: gl.constexpr,
          CAUSAL: gl.constexpr, layouts: gl.constexpr):
    """Blocks of keys from `begin`; the next one is always on its way."""
    KEYS: gl.constexpr = 64
    D: gl.constexpr = q.shape[1]
    mma: gl.constexpr = layouts[0]
    k_tile, v_tile = tiles
    weights: gl.constexpr = gl.DotOperandLayout(0, mma, 4)
    for block in range(begin, end):
        m, l, sums, x, y = state
        k_tile.store(x)
        v_tile.store(y)
        key = block * KEYS
        x = load_block(k, key + KEYS, keys, k_stride, D, KEYS, layouts[1])
        y = load_block(v, key + KEYS, keys, v_stride, D, KEYS, layouts[2])
        scores = cdna3.mfma(q, k_tile.permute([1, 0]).load(gl.DotOperandLayout(1, mma, 4)),
                            gl.zeros([q.shape[0], KEYS], gl.float32, mma)) * c
        if MASKED:
            columns = key + gl.arange(0, KEYS, layout=gl.SliceLayout(0, mma))
            limit = gl.full([q.shape[0]], keys, gl.int32, gl.SliceLayout(1, mma))
            if CAUSAL:
                limit = gl.minimum(limit, first + 1 + gl.arange(0, q.shape[0], layout=gl.SliceLayout(1, mma)))
            scores = gl.where(columns[None, :] < limit[:, None], scores, float("-inf"))
        new_m = gl.maximum(m, gl.max(scores, 1))
        # A row whose keys are all masked so far has the maximum -inf, and -inf - -inf is no number.
        origin = gl.where(new_m == float("-inf"), 0.0, new_m)
        p = gl.exp2(scores - origin[:, None])
        shrink = gl.exp2(m - origin)
        l = l * shrink + gl.sum(p, 1)
        sums = cdna3.mfma(gl.convert_layout(p.to(q.dtype), weights), v_tile.load(gl.DotOperandLayout(1, mma, 4)),
                          sums * shrink[:, None])
        state = (new_m, l, sums, x, y)
    return state


@gluon.jit
def attention(q, k, v, o, c, rows, keys, q_strides, k_strides, v_strides, o_strides, D: gl.constexpr,
              CAUSAL: gl.constexpr):
    """The kernel, of four warps; programs are blocks of 128 rows x heads. c is scale * log2(e), strides are those of heads
    and rows."""
    ROWS: gl.constexpr = 128
    KEYS: gl.constexpr = 64
    dtype: gl.constexpr = q.dtype.element_ty
    mma: gl.constexpr = gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 4)
    wide: gl.constexpr = gl.BlockedLayout([1, 8], [512 // D, D // 8], [4, 1], [1, 0])
    patches: gl.constexpr = gl.BlockedLayout([4, 8], [512 // D, D // 8], [4, 1], [1, 0])
    k_tile = gl.allocate_shared_memory(dtype, [KEYS, D], gl.SwizzledSharedLayout(4, 1, 16, [1, 0]))
    v_tile = gl.allocate_shared_memory(dtype, [KEYS, D], gl.SwizzledSharedLayout(4, 1, 16, [0, 1]))

    head = gl.program_id(1).to(gl.int64)
    # Causal blocks with many keys come first: the short ones fill gaps at the end.
    number = gl.program_id(0)
    if CAUSAL:
        number = gl.num_programs(0) - 1 - number
    first = number * ROWS
    k += head * k_strides[0]
    v += head * v_strides[0]
    x = load_block(k, gl.to_tensor(0), keys, k_strides[1], D, KEYS, wide)
    y = load_block(v, gl.to_tensor(0), keys, v_strides[1], D, KEYS, patches)
    queries = gl.convert_layout(load_block(q + head * q_strides[0], first, rows, q_strides[1], D, ROWS, wide), left)

    count = gl.cdiv(keys, KEYS)
    whole = keys // KEYS
    if CAUSAL:
        count = gl.minimum(count, gl.cdiv(first + ROWS, KEYS))
        whole = gl.minimum(whole, (first + 1) // KEYS)
    row_layout: gl.constexpr = gl.SliceLayout(1, mma)
    state = (gl.full([ROWS], float("-inf"), gl.float32, row_layout), gl.zeros([ROWS], gl.float32, row_layout),
             gl.zeros([ROWS, D], gl.float32, mma), x, y)
    layouts: gl.constexpr = (mma, wide, patches)
    state = visit(state, 0, whole, queries, k, v, (k_tile, v_tile), first, rows, keys, k_strides[1], v_strides[1], c, False,
                  CAUSAL, layouts)
    state = visit(state, whole, count, queries, k, v, (k_tile, v_tile), first, rows, keys, k_strides[1], v_strides[1], c,
                  True, CAUSAL, layouts)
    _, l, sums, _, _ = state
    base, offsets, inside = block_of(o + head * o_strides[0], first, rows, o_strides[1], D, ROWS, mma)
    cdna3.buffer_store((sums * (1.0 / l)[:, None]).to(dtype), base, offsets, mask=inside)


# ---- From Python ------------------------------------------------------------------------------


def attend(q, k, v, o, scale, causal):
    """o = softmax(scale * q k^T) v for tensors of heads x length x D."""
    heads, rows, d = q.shape
    strides = [tensor.stride()[:2] for tensor in (q, k, v, o)]
    return attention[(-(-rows // 128), heads)](q, k, v, o, scale * LOG2_E, rows, k.shape[1], *strides, D=d, CAUSAL=causal,
                                               num_warps=4)


def check(heads, rows, keys, d, dtype, causal):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    q, k, v = (torch.randn(heads, length, d).to(dtype) for length in (rows, keys, keys))
    o = torch.full_like(q, float("nan"))
    attend(q, k, v, o, d**-0.5, causal)
    scores = d**-0.5 * (q.double() @ k.double().transpose(1, 2))
    if causal:
        scores = scores.masked_fill(torch.ones(rows, keys, dtype=bool).triu(1), float("-inf"))
    expected = scores.softmax(-1) @ v.double()
    # Probabilities are rounded to 16 bits before they meet V, the result once more.
    bound = 2 * torch.finfo(dtype).eps * expected.abs() + torch.finfo(dtype).eps
    wrong = (~((o.double() - expected).abs() <= bound)).sum().item()
    print(f"{heads} heads, {rows} rows, {keys} keys, D {d}, {dtype}{', causal' * causal}: "
          f"{wrong} of {o.numel()} elements are wrong")
    return wrong == 0


def main():
    # What the simulator pretends to be.
    os.environ.setdefault("GLUONC_SIMULATE", "hip:gfx942")
    import torch
    fine = True
    for d, dtype in ((128, torch.float16), (64, torch.bfloat16)):
        for causal in (False, True):
            # Lengths that no block divides.
            fine &= check(2, 300, 300, d, dtype, causal)
    fine &= check(1, 40, 200, 128, torch.bfloat16, False)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
