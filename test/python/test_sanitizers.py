"""What `instrumentation_mode` makes of simulated launches."""

import numpy as np
import pytest

import gluonc as gluon
from gluonc import language as gl
from gluonc._triton import knobs
from gluonc.language.nvidia.ampere import async_copy
from gluonc.language.nvidia.hopper import mbarrier, tma
from gluonc.nvidia.hopper import TensorDescriptor

BLOCK = 128


@pytest.fixture(autouse=True)
def no_sanitizer_is_left():
    yield
    knobs.compilation.instrumentation_mode = ""
    knobs.compilation.fpsan_homomorphic_casts = False


def under(name, kernel, *args):
    knobs.compilation.instrumentation_mode = name
    kernel[(1,)](*args)
    return args[-1]


@gluon.jit
def copies_twice(src, out):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    offsets = gl.arange(0, 128, layout=layout)
    async_copy.async_load(smem, src + offsets)
    async_copy.commit_group()
    async_copy.async_load(smem, src + offsets)
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + offsets, smem.load(layout))


def test_a_sanitizer_that_there_is_not_is_told_which_there_are():
    x, out = np.zeros(BLOCK, np.float32), np.zeros(BLOCK, np.float32)
    with pytest.raises(gluon.errors.NotSupportedYet, match="no sanitizer `nosan`: those are consan, fpsan, gsan, iisan"):
        under("nosan", copies_twice, x, out)


def test_faults_have_tritons_words_under_consan_only():
    x, out = np.zeros(BLOCK, np.float32), np.zeros(BLOCK, np.float32)
    with pytest.raises(gluon.KernelFault, match="GL5120") as plain:
        under("", copies_twice, x, out)
    assert "consan" not in str(plain.value)
    with pytest.raises(gluon.KernelFault, match="consan: Accessing buffer with pending access. Pending "
                                                "access type: async_copy_global_to_shared.*device-side assert"):
        under("consan", copies_twice, x, out)


@gluon.jit
def reads_what_nobody_wrote(out):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    gl.store(out + gl.arange(0, 128, layout=layout), smem.load(layout))


def test_shared_memory_begins_as_nan_under_consan():
    out = np.zeros(BLOCK, np.float32)
    with pytest.raises(gluon.KernelFault, match="GL5108"):
        under("", reads_what_nobody_wrote, out)
    assert np.isnan(under("consan", reads_what_nobody_wrote, out)).all()


@gluon.jit
def leaves_a_barrier(out):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    values = gl.full([128], 7, gl.int32, layout)
    smem = gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]), values)
    gl.store(out + gl.arange(0, 128, layout=layout), smem.load(layout))


def test_memory_of_a_barrier_is_not_reused_before_it_is_invalidated():
    out = np.zeros(BLOCK, np.int32)
    under("", leaves_a_barrier, out)
    with pytest.raises(gluon.KernelFault, match="Shared memory reused before barrier invalidation"):
        under("consan", leaves_a_barrier, out)


@gluon.jit
def sums(x, out, first_rows: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(x + rows * 64 + columns)
    gl.store(out, gl.sum(gl.sum(tile, 0 if first_rows else 1), 0))


def test_sums_do_not_depend_on_their_order_under_fpsan():
    x = np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32)
    x[0] *= 1e8

    def both():
        results = []
        for first_rows in (True, False):
            out = np.zeros(1, np.float32)
            sums[(1,)](x, out, first_rows)
            results.append(out.view(np.int32)[0])
        return results
    plain = both()
    assert plain[0] != plain[1]
    knobs.compilation.instrumentation_mode = "fpsan"
    sanitized = both()
    assert sanitized[0] == sanitized[1] and sanitized[0] not in plain


@gluon.jit
def exponentials(x, y, out):
    offsets = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    a, b = gl.load(x + offsets), gl.load(y + offsets)
    gl.store(out + offsets, gl.exp2(a + b) - gl.exp2(a) * gl.exp2(b))


def test_exponentials_of_sums_are_products_under_fpsan():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, BLOCK)).astype(np.float32)
    out = np.ones(BLOCK, np.float32)
    assert under("", exponentials, x, y, out).any()
    assert not under("fpsan", exponentials, x, y, out).view(np.int32).any()


@gluon.jit
def halves(x, y, out):
    offsets = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    a, b = gl.load(x + offsets), gl.load(y + offsets)
    gl.store(out + offsets, (a + b).to(gl.float16) - (a.to(gl.float16) + b.to(gl.float16)))


def test_narrowing_keeps_sums_only_where_that_is_asked_for():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, BLOCK)).astype(np.float32)
    out = np.ones(BLOCK, np.float16)
    assert under("fpsan", halves, x, y, out).view(np.int16).any()
    knobs.compilation.fpsan_homomorphic_casts = True
    assert not under("fpsan", halves, x, y, out).view(np.int16).any()


@gluon.jit
def expected_zeros(x, out):
    offsets = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out + offsets, gl.expect_zero(gl.load(x + offsets), offsets < 64))


def test_expected_zeros_are_zero_under_fpsan():
    x, out = np.ones(BLOCK, np.float32), np.zeros(BLOCK, np.float32)
    assert (under("", expected_zeros, x, out) == 1).all()
    assert (under("fpsan", expected_zeros, x, out) == (np.arange(BLOCK) >= 64)).all()


@gluon.jit
def invalidates_too_early(source):
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], source.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.block_type.nbytes)
    tma.async_load(source, [0, 0], bar, smem)
    mbarrier.invalidate(bar)


def test_barriers_stay_until_what_is_in_flight_has_arrived():
    x = np.zeros((64, 64), np.float16)
    layout = gl.NVMMASharedLayout(128, 16, rank=2)
    source = TensorDescriptor.from_tensor(x, [64, 64], layout)
    under("", invalidates_too_early, source)
    with pytest.raises(gluon.KernelFault, match="GL5147 BarrierInUse(.|\n)*outstanding reads"):
        under("consan", invalidates_too_early, source)
