"""Descriptors that a kernel makes: nvidia.hopper.tma.make_tensor_descriptor."""

# The last rows and columns of the block lie outside of the tensor.
# RUN: move a='rand((100, 72), f16)' b='zeros((100, 72), f16)' rows=100 columns=72 row=64 column=32 SWIZZLE=128 \
#   --grid 1
# EXPECT: b[64:, 32:] == a[64:, 32:]
# RUN: move a='rand((100, 72), f16)' b='zeros((100, 72), f16)' rows=100 columns=72 row=64 column=32 SWIZZLE=128 \
#   --grid 1
# EXPECT: b[:64, :] == zeros((64, 72), f16)
# RUN: move a='rand((128, 256), f32)' b='zeros((128, 256), f32)' rows=128 columns=256 row=32 column=64 SWIZZLE=64 \
#   COLUMNS=16 BITS=32 --grid 1
# EXPECT: b[32:96, 64:80] == a[32:96, 64:80]
# RUN: move a='randint(-100, 100, (64, 128), i8)' b='zeros((64, 128), i8)' rows=64 columns=128 row=0 column=0 \
#   SWIZZLE=0 BITS=8 COLUMNS=128 --grid 1 --num-warps 8
# EXPECT: b == a
# RUN: move a='rand((64, 64), bf16)' b='zeros((64, 64), bf16)' rows=64 columns=64 row=0 column=0 SWIZZLE=32 --grid 1
# EXPECT: b == a
# Each program has descriptors of its own.
# RUN: rows_of_programs a='rand((24, 64), f16)' b='zeros((24, 64), f16)' --grid 3,2,4
# EXPECT: b == a
# RUN: pad_with_nan a='rand((32, 32), f32)' b='zeros((64, 32), f32)' --grid 1
# EXPECT: b[:32, :] == a
# RUN: pad_with_nan a='rand((32, 32), f32)' b='zeros((64, 32), f32)' --grid 1
# EXPECT: b[32:, :] == full((32, 32), 1.0, f32)
# RUN: cube a='rand((8, 16, 64), f16)' b='zeros((8, 16, 64), f16)' --grid 1
# EXPECT: b == a
# A partition makes its own, and uses one that was made before.
# RUN: by_partition a='rand((64, 64), f16)' b='zeros((64, 64), f16)' --grid 1
# EXPECT: b == a
# RUN: in_loop a='rand((256, 64), f16)' b='zeros((256, 64), f16)' n=4 --grid 1
# EXPECT: b == a
# RUN: by_name a='rand((64, 64), f16)' b='zeros((64, 64), f16)' --grid 1
# EXPECT: b == a

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def load(source, coordinates, block):
    arrived = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, source.block_type.nbytes)
    tma.async_load(source, coordinates, arrived, block)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)


@gluon.jit
def move(a, b, rows, columns, row, column, SWIZZLE: gl.constexpr, BITS: gl.constexpr = 16,
         COLUMNS: gl.constexpr = 64):
    layout: gl.constexpr = gl.NVMMASharedLayout(SWIZZLE, BITS, 2)
    source = tma.make_tensor_descriptor(a, [rows, columns], [columns, 1], [64, COLUMNS], layout)
    target = tma.make_tensor_descriptor(b, [rows, columns], [columns, 1], [64, COLUMNS], layout)
    block = gl.allocate_shared_memory(source.dtype, source.block_type.shape, layout)
    load(source, [row, column], block)
    tma.async_store(target, [row, column], block)
    tma.store_wait(pendings=0)


@gluon.jit
def rows_of_programs(a, b):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    program = (gl.program_id(2) * gl.num_programs(1) + gl.program_id(1)) * gl.num_programs(0) + gl.program_id(0)
    # Of the tensor only one row is seen.
    source = tma.make_tensor_descriptor(a + program * 64, [1, 64], [64, 1], [8, 64], layout)
    target = tma.make_tensor_descriptor(b + program * 64, [1, 64], [64, 1], [8, 64], layout)
    block = gl.allocate_shared_memory(gl.float16, [8, 64], layout)
    load(source, [0, 0], block)
    tma.async_store(target, [0, 0], block)
    tma.store_wait(pendings=0)


@gluon.jit
def pad_with_nan(a, b):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 32, 2)
    source = tma.make_tensor_descriptor(a, [32, 32], [32, 1], [64, 32], layout, padding_option="nan")
    block = gl.allocate_shared_memory(gl.float32, [64, 32], layout)
    load(source, [0, 0], block)
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    x = block.load(blocked)
    row = gl.arange(0, 64, layout=gl.SliceLayout(1, blocked))[:, None]
    column = gl.arange(0, 32, layout=gl.SliceLayout(0, blocked))[None, :]
    gl.store(b + row * 32 + column, gl.where(x == x, x, 1.0))


@gluon.jit
def cube(a, b):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 3)
    source = tma.make_tensor_descriptor(a, [8, 16, 64], [1024, 64, 1], [4, 16, 64], layout)
    target = tma.make_tensor_descriptor(b, [8, 16, 64], [1024, 64, 1], [4, 16, 64], layout)
    block = gl.allocate_shared_memory(gl.float16, [4, 16, 64], layout)
    for i in gl.static_range(2):
        load(source, [4 * i, 0, 0], block)
        tma.async_store(target, [4 * i, 0, 0], block)
        tma.store_wait(pendings=0)


@gluon.jit
def read(source, block, ready):
    mbarrier.expect(ready, source.block_type.nbytes)
    tma.async_load(source, [0, 0], ready, block)


@gluon.jit
def write(b, block, ready):
    target = tma.make_tensor_descriptor(b, [64, 64], [64, 1], [64, 64], block.layout)
    mbarrier.wait(ready, phase=0)
    tma.async_store(target, [0, 0], block)
    tma.store_wait(pendings=0)


@gluon.jit
def by_partition(a, b):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    source = tma.make_tensor_descriptor(a, [64, 64], [64, 1], [64, 64], layout)
    block = gl.allocate_shared_memory(gl.float16, [64, 64], layout)
    ready = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(ready, count=1)
    gl.warp_specialize([(read, (source, block, ready)), (write, (b, block, ready))], [1], [24])


@gluon.jit
def in_loop(a, b, n):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    block = gl.allocate_shared_memory(gl.float16, [64, 64], layout)
    for i in range(n):
        source = tma.make_tensor_descriptor(a + i * 4096, [64, 64], [64, 1], [64, 64], layout)
        target = tma.make_tensor_descriptor(b + i * 4096, [64, 64], [64, 1], [64, 64], layout)
        load(source, [0, 0], block)
        tma.async_store(target, [0, 0], block)
        tma.store_wait(pendings=0, read_only=False)


@gluon.aggregate
class Mover:
    source: tma.tensor_descriptor
    target: tma.tensor_descriptor
    arrived: gl.shared_memory_descriptor

    @gluon.jit
    def move(self):
        gl.static_assert(isinstance(self.source, tma.tensor_descriptor))
        gl.static_assert(isinstance(self.source.type, tma.tensor_descriptor_type))
        gl.static_assert(self.source.type == self.target.type)
        gl.static_assert(self.source.nbytes_per_cta == self.source.block_type.nbytes)
        block = gl.allocate_shared_memory(self.source.dtype, self.source.block_shape, self.source.layout)
        mbarrier.expect(mbarrier=self.arrived, bytes_per_cta=self.source.nbytes_per_cta, pred=self.source.shape[0] > 0)
        tma.async_load(tensor_desc=self.source, coord=[0, 0], barrier=self.arrived, result=block,
                       pred=self.source.strides[0] == 64, multicast=False)
        mbarrier.wait(mbarrier=self.arrived, phase=0, pred=True, deps=[block])
        tma.async_store(tensor_desc=self.target, coord=(0, 0), src=block)
        tma.store_wait(pendings=0, read_only=True)


# Every argument goes by its name.
@gluon.jit
def by_name(a, b):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    source = tma.make_tensor_descriptor(base=a, shape=[64, 64], strides=[64, 1], block_shape=[64, 64], layout=layout,
                                        padding_option="zero")
    target = tma.make_tensor_descriptor(b, [64, 64], [64, 1], [64, 64], layout)
    arrived = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout(cga_layout=[]))
    mbarrier.init(mbarrier=arrived, count=1)
    Mover(source, target, arrived).move()
    mbarrier.invalidate(mbarrier=arrived)
