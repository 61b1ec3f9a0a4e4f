"""Copies past the registers on AMD's chips, in groups, on the simulator."""

# RUN: by_pointers src='randn(256, f32)' dst='zeros(256, f32)' n=256 --grid 1 --target hip:gfx950
# EXPECT: dst == src
# RUN: by_pointers src='randn(256, f32)' dst='zeros(256, f32)' n=100 --grid 1 --target hip:gfx942
# EXPECT: abs(dst[0:100] - src[0:100]).max() + abs(dst[100:256] + 7).max() == 0
# RUN: by_offsets src='randn(256, f32)' dst='empty(256, f32)' n=256 --grid 1 --target hip:gfx950
# EXPECT: dst == src
# RUN: by_offsets src='randn(256, f32)' dst='empty(256, f32)' n=100 --grid 1 --target hip:gfx950
# EXPECT: abs(dst[0:100] - src[0:100]).max() + abs(dst[100:256]).max() == 0
# RUN: behind_the_end src='randn(256, f32)' dst='empty(256, f32)' --grid 1 --target hip:gfx950
# EXPECT: dst == where(arange(256, i32) % 2 == 0, src, zeros(256, f32))
# RUN: masked_off src='randn(256, f32)' dst='empty(256, f32)' n=100 first=True --grid 1 --target hip:gfx950
# EXPECT: abs(dst[0:100] - src[0:100]).max() + abs(dst[100:256] - 5).max() == 0
# RUN: masked_off src='randn(256, f32)' dst='empty(256, f32)' n=100 first=False --grid 1 --target hip:gfx950
# FAULT: UninitializedSharedRead
# RUN: unawaited src='randn(256, f32)' dst='empty(256, f32)' pending=1 --grid 1 --target hip:gfx950
# FAULT: UnfinishedCopyRead
# RUN: unawaited src='randn(256, f32)' dst='empty(256, f32)' pending=0 --grid 1 --target hip:gfx950
# EXPECT: dst == src
# RUN: ring src='randn(2048, f32)' dst='empty(2048, f32)' --grid 1 --target hip:gfx950
# EXPECT: dst == src
# RUN: in_and_out src='randn(512, f32)' dst='zeros(512, f32)' n=500 overwrite=False --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:500] - src[0:500]).max() + abs(dst[500:512]).max() == 0
# RUN: in_and_out src='randn(512, f32)' dst='zeros(512, f32)' n=512 overwrite=True --grid 1 --target hip:gfx1250
# FAULT: SharedWriteDuringRead
# RUN: by_few src='randint(-99, 99, 32, i32)' dst='empty(32, i32)' n=20 --grid 1 --target hip:gfx1250
# EXPECT: dst == where(arange(32, i32) < 20, src, -arange(32, i32))
# RUN: between_paddings src='randn(512, f16)' dst='zeros(512, f16)' back=False --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: between_paddings src='randn(512, f16)' dst='zeros(512, f16)' back=True --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: narrow src='randn(128, f16)' dst='zeros(128, f16)' back=True --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: out_unawaited dst='zeros(128, f32)' --grid 1 --target hip:gfx1250
# EXPECT: all(dst == 3)
# RUN: out_outside dst='zeros(100, f32)' --grid 1 --target hip:gfx1250
# FAULT: OutOfBoundsAccess

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna4, gfx1250

WIDE = gl.constexpr(gl.BlockedLayout([1], [64], [4], [0]))
LINE = gl.constexpr(gl.BlockedLayout([4], [32], [4], [0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@gluon.jit
def by_pointers(src, dst, n):
    at = gl.arange(0, 256, layout=WIDE)
    smem = gl.allocate_shared_memory(gl.float32, [256], PLAIN)
    cdna4.async_copy.global_load_to_shared(smem, src + at, mask=at < n, other=-7)
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(0)
    gl.store(dst + at, cdna4.async_copy.load_shared_relaxed(smem, WIDE))


@gluon.jit
def by_offsets(src, dst, n):
    """Without `other` a buffer gives zero."""
    at = gl.arange(0, 256, layout=WIDE)
    smem = gl.allocate_shared_memory(gl.float32, [256], PLAIN)
    cdna4.async_copy.buffer_load_to_shared(smem, src, at, mask=at < n)
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(0)
    gl.store(dst + at, smem.load(WIDE))


@gluon.jit
def behind_the_end(src, dst):
    """Negative offsets are behind the 2 GiB of a buffer."""
    at = gl.arange(0, 256, layout=WIDE)
    smem = gl.allocate_shared_memory(gl.float32, [256], PLAIN)
    cdna4.async_copy.buffer_load_to_shared(smem, src, gl.where(at % 2 == 0, at, -at), mask=at >= 0, other=9.0)
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group()
    gl.store(dst + at, smem.load(WIDE))


@gluon.jit
def masked_off(src, dst, n, first: gl.constexpr):
    """Without `other` the buffer keeps what it has, which may be nothing."""
    at = gl.arange(0, 256, layout=WIDE)
    smem = gl.allocate_shared_memory(gl.float32, [256], PLAIN)
    if first:
        smem.store(gl.full([256], 5.0, gl.float32, WIDE))
    cdna4.async_copy.global_load_to_shared(smem, src + at, mask=at < n)
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(0)
    gl.store(dst + at, smem.load(WIDE))


@gluon.jit
def unawaited(src, dst, pending: gl.constexpr):
    at = gl.arange(0, 256, layout=WIDE)
    smem = gl.allocate_shared_memory(gl.float32, [256], PLAIN)
    cdna4.async_copy.buffer_load_to_shared(smem, src, at)
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(pending)
    gl.store(dst + at, smem.load(WIDE))


@gluon.jit
def ring(src, dst):
    """Two buffers, of which one fills while the other is read."""
    at = gl.arange(0, 256, layout=WIDE)
    smem = gl.allocate_shared_memory(gl.float32, [2, 256], PLAIN)
    cdna4.async_copy.buffer_load_to_shared(smem.index(0), src, at)
    cdna4.async_copy.commit_group()
    for i in range(8):
        if i < 7:
            cdna4.async_copy.buffer_load_to_shared(smem.index((i + 1) % 2), src, (i + 1) * 256 + at)
        cdna4.async_copy.commit_group()
        cdna4.async_copy.wait_group(1)
        gl.store(dst + i * 256 + at, cdna4.async_copy.load_shared_relaxed(smem.index(i % 2), WIDE))


@gluon.jit
def by_few(src, dst, n):
    """All threads hold the elements of 8; one of them copies each, or stores what the mask leaves out."""
    few: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    at = gl.arange(0, 32, layout=few)
    smem = gl.allocate_shared_memory(gl.int32, [32], PLAIN)
    gfx1250.async_copy.global_to_shared(smem, src + at, mask=at < n, other=-at)
    gfx1250.async_copy.commit_group()
    gfx1250.async_copy.wait_group(0)
    gl.store(dst + at, smem.load(few))


@gluon.jit
def in_and_out(src, dst, n, overwrite: gl.constexpr):
    at = gl.arange(0, 512, layout=LINE)
    smem = gl.allocate_shared_memory(gl.float32, [512], PLAIN)
    gfx1250.async_copy.global_to_shared(smem, src + at)
    gfx1250.async_copy.commit_group()
    gfx1250.async_copy.wait_group(0)
    gfx1250.async_copy.shared_to_global(dst + at, smem, mask=at < n)
    gfx1250.async_copy.commit_group()
    if overwrite:
        smem.store(gl.full([512], 0.0, gl.float32, LINE))
    gfx1250.async_copy.wait_group(0)
    smem.store(gl.full([512], 1.0, gl.float32, LINE))


@gluon.jit
def between_paddings(src, dst, back: gl.constexpr):
    """Padding of two bytes behind each four elements: no word is aligned."""
    quads: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [4, 1], [1, 0])
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[4, 1]], [128, 4], [1, 0])
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, quads))
    at = rows[:, None] * 4 + gl.arange(0, 4, layout=gl.SliceLayout(0, quads))[None, :]
    smem = gl.allocate_shared_memory(src.dtype.element_ty, [128, 4], padded)
    gfx1250.async_copy.global_to_shared(smem, src + at)
    gfx1250.async_copy.commit_group()
    gfx1250.async_copy.wait_group(0)
    if back:
        gfx1250.async_copy.shared_to_global(dst + at, smem)
        gfx1250.async_copy.commit_group()
        gfx1250.async_copy.wait_group(0)
    else:
        gl.store(dst + at, smem.load(quads))


@gluon.jit
def narrow(src, dst, back: gl.constexpr):
    """Less than four bytes for each lane: there is a copy back, byte by byte."""
    at = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    smem = gl.allocate_shared_memory(src.dtype.element_ty, [128], PLAIN)
    if back:
        smem.store(gl.load(src + at))
        gfx1250.async_copy.shared_to_global(dst + at, smem)
        gfx1250.async_copy.commit_group()
        gfx1250.async_copy.wait_group(0)
    else:
        gfx1250.async_copy.global_to_shared(smem, src + at)
        gfx1250.async_copy.commit_group()
        gfx1250.async_copy.wait_group(0)
        gl.store(dst + at, smem.load(at.type.layout))


@gluon.jit
def out_unawaited(dst):
    """A wave ends when its copies have."""
    at = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    smem = gl.allocate_shared_memory(gl.float32, [128], PLAIN)
    smem.store(gl.full([128], 3.0, gl.float32, at.type.layout))
    gfx1250.async_copy.shared_to_global(dst + at, smem)


@gluon.jit
def out_outside(dst):
    at = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    smem = gl.allocate_shared_memory(gl.float32, [128], PLAIN)
    smem.store(gl.full([128], 3.0, gl.float32, at.type.layout))
    gfx1250.async_copy.shared_to_global(dst + at, smem)
