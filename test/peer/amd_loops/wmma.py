"""The same in Gluon for gfx1250, on which Triton 3.6 does not use matrix instructions for `tl.dot`."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import gfx1250


@gluon.constexpr_function
def padded(rows, columns):
    return gl.PaddedSharedLayout.with_identity_for([[columns, 8]], [rows, columns], [1, 0])


@gluon.jit
def grid(rows: gl.constexpr, columns: gl.constexpr, stride):
    tile: gl.constexpr = gl.BlockedLayout([1, 8], [256 // columns, columns // 8], [gl.num_warps(), 1], [1, 0])
    row = gl.arange(0, rows, layout=gl.SliceLayout(1, tile))
    column = gl.arange(0, columns, layout=gl.SliceLayout(0, tile))
    return row[:, None] * stride + column[None, :]


@gluon.jit
def wmma_matmul(a_ptr, b_ptr, c_ptr, K, stride_am, stride_bk, stride_cm, BM: gl.constexpr, BN: gl.constexpr,
                BK: gl.constexpr):
    """Two buffers for each operand; a step's copies are under way while the one before is multiplied."""
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [gl.num_warps() // 2, 2], [16, 16, 32])
    a_tiles = gl.allocate_shared_memory(gl.float16, [2, BM, BK], padded(BM, BK))
    b_tiles = gl.allocate_shared_memory(gl.float16, [2, BK, BN], padded(BK, BN))
    a = a_ptr + gl.program_id(0) * BM * stride_am + grid(BM, BK, stride_am)
    b = b_ptr + gl.program_id(1) * BN + grid(BK, BN, stride_bk)
    gfx1250.async_copy.global_to_shared(a_tiles.index(0), a)
    gfx1250.async_copy.global_to_shared(b_tiles.index(0), b)
    gfx1250.async_copy.commit_group()
    acc = gl.zeros([BM, BN], gl.float32, mma)
    for step in range(0, gl.cdiv(K, BK) - 1):
        a += BK
        b += BK * stride_bk
        gfx1250.async_copy.global_to_shared(a_tiles.index((step + 1) % 2), a)
        gfx1250.async_copy.global_to_shared(b_tiles.index((step + 1) % 2), b)
        gfx1250.async_copy.commit_group()
        gfx1250.async_copy.wait_group(1)
        x = a_tiles.index(step % 2).load(gl.DotOperandLayout(0, mma, 8))
        y = b_tiles.index(step % 2).load(gl.DotOperandLayout(1, mma, 8))
        acc = gfx1250.wmma(x, y, acc)
    rows = gl.program_id(0) * BM + gl.arange(0, BM, layout=gl.SliceLayout(1, mma))
    columns = gl.program_id(1) * BN + gl.arange(0, BN, layout=gl.SliceLayout(0, mma))
    gl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :], acc.to(gl.float16))


@gluon.jit
def wmma_attention(q_ptr, k_ptr, v_ptr, o_ptr, scale, n_ctx, BM: gl.constexpr, BN: gl.constexpr, D: gl.constexpr):
    """K and V of a step are loaded while the one before is computed with."""
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [gl.num_warps(), 1], [16, 16, 32])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 8)
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 8)
    base = gl.program_id(1) * n_ctx * D
    rows = gl.program_id(0) * BM + gl.arange(0, BM, layout=gl.SliceLayout(1, mma))
    q_rows = gl.program_id(0) * BM + gl.arange(0, BM, layout=gl.SliceLayout(1, left))
    depth = gl.arange(0, D, layout=gl.SliceLayout(0, left))
    q = gl.load(q_ptr + base + q_rows[:, None] * D + depth[None, :])
    k_tiles = gl.allocate_shared_memory(gl.float16, [2, BN, D], padded(BN, D))
    v_tiles = gl.allocate_shared_memory(gl.float16, [2, BN, D], padded(BN, D))
    kp = k_ptr + base + grid(BN, D, D)
    vp = v_ptr + base + grid(BN, D, D)
    gfx1250.async_copy.global_to_shared(k_tiles.index(0), kp)
    gfx1250.async_copy.global_to_shared(v_tiles.index(0), vp)
    gfx1250.async_copy.commit_group()
    m_i = gl.full([BM], -float("inf"), gl.float32, gl.SliceLayout(1, mma))
    l_i = gl.full([BM], 1.0, gl.float32, gl.SliceLayout(1, mma))
    acc = gl.zeros([BM, D], gl.float32, mma)
    s = scale * 1.44269504
    for step in range(0, n_ctx // BN - 1):
        kp += BN * D
        vp += BN * D
        gfx1250.async_copy.global_to_shared(k_tiles.index((step + 1) % 2), kp)
        gfx1250.async_copy.global_to_shared(v_tiles.index((step + 1) % 2), vp)
        gfx1250.async_copy.commit_group()
        gfx1250.async_copy.wait_group(1)
        k = k_tiles.index(step % 2).permute([1, 0]).load(right)
        qk = gfx1250.wmma(q, k, gl.zeros([BM, BN], gl.float32, mma))
        m_ij = gl.maximum(m_i, gl.max(qk, 1) * s)
        p = gl.exp2(qk * s - m_ij[:, None])
        alpha = gl.exp2(m_i - m_ij)
        l_i = l_i * alpha + gl.sum(p, 1)
        m_i = m_ij
        v = v_tiles.index(step % 2).load(right)
        acc = gfx1250.wmma(gl.convert_layout(p.to(gl.float16), left), v, acc * alpha[:, None])
    columns = gl.arange(0, D, layout=gl.SliceLayout(0, mma))
    gl.store(o_ptr + base + rows[:, None] * D + columns[None, :], (acc / l_i[:, None]).to(gl.float16))
