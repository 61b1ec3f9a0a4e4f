"""Cache policies: they change times, never results."""

# RUN: copied x='randn(1000, f32)' y='zeros(1000, f32)' n=1000 --grid 8
# EXPECT: y == x
# RUN: passed x='randn(1024, f32)' y='zeros(1024, f32)' LOAD='gl.CachePolicy("cg")' \
#   STORE='gl.CachePolicy(eviction_policy="evict_last")' --grid 1
# EXPECT: y == x
# RUN: passed x='randn(1024, f32)' y='zeros(1024, f32)' LOAD='gl.nvidia.ampere.CachePolicy(l1="no_allocate", l2_prefetch_size=256)' \
#   STORE='gl.nvidia.hopper.CachePolicy(".wt")' --grid 1
# EXPECT: y == x
# RUN: fields out='zeros(5, i32)' --grid 1
# EXPECT: out == tensor([1, 1, 1, 1, 1], i32)
# RUN: around_registers x='randn(512, f32)' y='zeros(512, f32)' --grid 1
# EXPECT: y == x
# RUN: boxes a='randn((64, 64), f16)' b='zeros((64, 64), f16)' --grid 1
# EXPECT: b == a

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, hopper
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

LINE: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
HALF = gl.constexpr(ampere.FractionalEvictionPolicy("evict_last", 0.5, "evict_first"))
KEPT = gl.constexpr(ampere.CachePolicy(l2=HALF))


@gluon.jit
def copied(x, y, n):
    i = gl.program_id(0) * 128 + gl.arange(0, 128, layout=LINE)
    value = gl.load(x + i, mask=i < n, cache_policy=KEPT)
    gl.store(y + i, value, mask=i < n, cache_policy=ampere.CachePolicy("cs", l2=HALF))


@gluon.jit
def passed(x, y, LOAD: gl.constexpr, STORE: gl.constexpr):
    i = gl.arange(0, 1024, layout=LINE)
    gl.store(y + i, gl.load(x + i, cache_policy=LOAD), cache_policy=STORE)


@gluon.jit
def fields(out):
    gl.store(out, HALF.fraction == 0.5)
    gl.store(out + 1, KEPT.l2.secondary == "evict_first")
    gl.store(out + 2, KEPT.cache_modifier is None)
    gl.store(out + 3, KEPT == ampere.CachePolicy(None, None, HALF))
    gl.store(out + 4, gl.CachePolicy(".cg").cache_modifier == "cg")


@gluon.jit
def around_registers(x, y):
    i = gl.arange(0, 512, layout=LINE)
    smem = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    async_copy.async_load(smem, x + i, cache_policy=ampere.CachePolicy("ca", l2=HALF, l2_prefetch_size=128))
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(y + i, smem.load(LINE))


@gluon.jit
def boxes(a, b):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    src = tma.make_tensor_descriptor(a, [64, 64], [64, 1], [64, 64], layout)
    dst = tma.make_tensor_descriptor(b, [64, 64], [64, 1], [64, 64], layout)
    smem = gl.allocate_shared_memory(src.dtype, src.block_shape, src.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.nbytes_per_cta)
    tma.async_load(src, [0, 0], bar, smem, cache_policy=hopper.CachePolicy(l2=HALF))
    mbarrier.wait(bar, phase=0)
    tma.async_store(dst, [0, 0], smem, cache_policy=gl.CachePolicy(eviction_policy="evict_first"))
    tma.store_wait(0)
