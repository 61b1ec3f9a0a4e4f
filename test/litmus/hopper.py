"""The cases of what there is from Ampere and Hopper on."""

import clusters
import copies
import partitions
import programs
from harness import FLAT, SWIZZLED, TensorDescriptor, boxes, case, gl, torch
from gluonc.nvidia.hopper import TensorDescriptorIm2Col


def copying(kernel, tiles=1, describe=(), *options, **constants):
    """The case of a kernel that copies a matrix; `describe` says which of its sides TMA moves."""

    def run(env):
        src = env.random(env.programs * tiles * 32, 64)
        dst = env.zeros(*src.shape)
        sides = [boxes(side) if name in describe else side
                 for name, side in (("src", src), ("dst", dst))]
        counts = [tiles] if options == ("tiles",) else []

        def launch():
            dst.zero_()
            env.launch(kernel, *sides, *counts, **constants)

        return launch, lambda: torch.equal(dst, src)

    return run


@case(commit=["UnfinishedCopyRead"], wait=["UnfinishedCopyRead"])
def cp_async(env):
    return copying(copies.cp_async)(env)


@case(count=["UnfinishedCopyRead"])
def cp_async_ring(env):
    return copying(copies.cp_async_ring, 5, (), "tiles")(env)


@case(arrive=["Deadlock"], wait=["UnfinishedCopyRead"])
def cp_async_barrier(env):
    return copying(copies.cp_async_barrier)(env)


@case(expect=["BarrierNeverCompletes"], bytes=["BarrierNeverCompletes"], wait=["UnfinishedCopyRead"])
def tma_load(env):
    return copying(copies.tma_load, 1, ("src",))(env)


@case(phase=["UnfinishedCopyRead", "Deadlock"])
def tma_load_ring(env):
    return copying(copies.tma_load_ring, 7, ("src",), "tiles")(env)


@case(wait=["UnfinishedCopyRead"])
def tma_load_im2col(env):
    images = env.random(env.programs, 8, 8, 32)
    described = TensorDescriptorIm2Col(
        base=images, shape=list(images.shape), strides=list(images.stride()), block_shape=[64, 32],
        layout=FLAT, padding="zero", element_strides=[1, 1, 1, 1],
        pixel_box_lower_corner=[0, 0], pixel_box_upper_corner=[0, 0])
    dst = env.zeros(env.programs * 64, 32)
    shifted = torch.zeros_like(images)
    shifted[:, :7, :7] = images[:, 1:, 1:]

    def launch():
        dst.zero_()
        env.launch(copies.tma_load_im2col, described, dst)

    return launch, lambda: torch.equal(dst, shifted.reshape(-1, 32))


@case(wait=["SharedWriteDuringRead"], count=["SharedWriteDuringRead"], end=["UnfinishedAtEnd"])
def tma_store(env):
    return copying(copies.tma_store, 2, ("dst",))(env)


@case(wait=["SharedWriteDuringRead"])
def tma_reduce(env):
    src = env.random(env.programs * 32, 64)
    dst = env.zeros(*src.shape)

    def launch():
        dst.zero_()
        env.launch(copies.tma_reduce, src, boxes(dst))

    return launch, lambda: torch.equal(dst, 3 * src)


def updating(update, combine):

    def run(env):
        src = env.random(env.programs * 32, 64, dtype=torch.int32)
        old = env.random(env.programs * 32 + 1, 64, dtype=torch.int32)[1:]
        dst, want = old.clone(), combine(old, src)

        def launch():
            dst.copy_(old)
            env.launch(copies.tma_reduce_integers, src, boxes(dst), update=update)

        return launch, lambda: torch.equal(dst, want)

    return run


for name, combine in (("min", torch.minimum), ("max", torch.maximum), ("and", torch.bitwise_and),
                      ("or", torch.bitwise_or), ("xor", torch.bitwise_xor)):
    run = updating(name, combine)
    run.__name__ = f"tma_reduce_{name}"
    case(wait=["SharedWriteDuringRead"])(run)


@case(count=["WrongResult"], written=["WrongResult"])
def tma_store_read_back(env):
    src = env.random(env.programs * 32, 64)
    between, dst = env.zeros(*src.shape), env.zeros(*src.shape)

    def launch():
        between.zero_()
        dst.zero_()
        env.launch(copies.tma_store_read_back, src, between, dst, boxes(between))

    return launch, lambda: torch.equal(dst, src)


@case(wait=["UnfinishedCopyRead"])
def made_descriptors(env):
    return copying(copies.made_descriptors, 4, (), "tiles")(env)


@case(init=["BarrierNotInitialized"], invalidate=["BarrierInitializedTwice"], arrive=["Deadlock"])
def tma_load_again(env):
    return copying(copies.tma_load_again, 2, ("src",))(env)


def filling(padding, rounds):
    """Bit for bit: what is outside of the tensor, and how TMA rounds to tf32."""

    def run(env):
        inside = torch.linspace(-3, 3, 24 * 48, dtype=torch.float64).float().reshape(24, 48)
        inside[0, :5] = torch.tensor([1 + 2**-11, -1 - 3 * 2**-11, 1 + 1.9 * 2**-12, 0.0,
                                      float("nan")])
        want = torch.full((32, 64), 0x7ff77ff7 if padding == "nan" else 0, dtype=torch.int32)
        bits = inside.view(torch.int32)
        # To nearest, ties to even.
        rounded = torch.where(inside.isnan(), 0x7fffe000, (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fff)
        want[:24, :48] = rounded if rounds else bits
        described = TensorDescriptor.from_tensor(inside.to(env.device), [32, 64], FLAT,
                                                 padding=padding, round_f32_to_tf32=rounds)
        dst = env.zeros(env.programs * 32, 64)
        want = want.repeat(env.programs, 1).to(env.device)

        def launch():
            dst.zero_()
            env.launch(copies.tma_load_edge, described, dst)

        return launch, lambda: torch.equal(dst.view(torch.int32), want)

    return run


@case(bytes=["BarrierNeverCompletes"])
def tma_fills_zeros(env):
    return filling("zero", False)(env)


@case(bytes=["BarrierNeverCompletes"])
def tma_fills_nan(env):
    return filling("nan", False)(env)


@case(bytes=["BarrierNeverCompletes"])
def tma_rounds_to_tf32(env):
    return filling("zero", True)(env)


# Who gets through a barrier too early may also miss the phase that it waits for.
RACES = ["UnorderedSharedAccess", "UninitializedSharedRead", "BarrierOverrun", "Deadlock"]
REFILLS = [*RACES, "SharedWriteDuringCopy", "UnfinishedCopyRead"]


@case(full=RACES, empty=RACES, early=RACES, release=RACES)
def hand_over(env):
    return copying(partitions.hand_over, 4, (), "tiles")(env)


@case(fence=["MissingProxyFence"], late=["MissingProxyFence"], wait=RACES)
def fence_of_the_writer(env):
    return copying(partitions.fence, 1, ("dst",), where="writer")(env)


@case(fence=["MissingProxyFence"], wait=RACES)
def fence_of_the_storer(env):
    return copying(partitions.fence, 1, ("dst",), where="storer")(env)


@case(fence=["MissingProxyFence"], early=["MissingProxyFence"], empty=REFILLS)
def fence_of_the_reader(env):
    return copying(partitions.refill, 4, ("src",), "tiles", where="reader")(env)


@case(fence=["MissingProxyFence"], empty=REFILLS)
def fence_of_the_refiller(env):
    return copying(partitions.refill, 4, ("src",), "tiles", where="refiller")(env)


def multiplying(kernel, warps, rows, depth, describe):

    def run(env):
        a = env.random(env.programs * rows, depth, dtype=torch.float16)
        b = env.random(depth, 64, dtype=torch.float16)
        c = env.zeros(a.shape[0], 64)
        want = (a.float() @ b.float()) if env.device == "cpu" else (a.double() @ b.double()).float()
        sides, counts = (a, b), []
        if describe:
            sides = boxes(a, (rows, 64), SWIZZLED), boxes(b, (64, 64), SWIZZLED)
            counts = [depth // 64]

        def launch():
            c.zero_()
            env.launch(kernel, *sides, c, *counts, M=rows, num_warps=warps)

        return launch, lambda: torch.equal(c, want)

    return run


PRODUCT = dict(wait=["DotNotWaitedFor", "SharedWriteDuringRead"], overwrite=["SharedWriteDuringRead"])
PIPELINE = dict(
    full=["UnfinishedCopyRead", "UninitializedSharedRead", "UnorderedSharedAccess"],
    empty=["UnorderedSharedAccess", "SharedWriteDuringRead", "SharedWriteDuringCopy",
           "BarrierOverrun", "UnfinishedCopyRead"],
    release=["UnorderedSharedAccess", "SharedWriteDuringRead"], arrive=["Deadlock"])


@case(**PRODUCT)
def wgmma_4_warps(env):
    return multiplying(partitions.product, 4, 64, 64, False)(env)


@case(**PRODUCT)
def wgmma_8_warps(env):
    return multiplying(partitions.product, 8, 128, 64, False)(env)


@case(**PRODUCT)
def wgmma_of_registers(env):
    return multiplying(partitions.product_of_registers, 4, 64, 64, False)(env)


@case(full=RACES, empty=RACES, wait=["DotNotWaitedFor", "SharedWriteDuringRead"],
      early=["UnorderedSharedAccess", "SharedWriteDuringRead"])
def wgmma_12_warps(env):
    return multiplying(partitions.three_warpgroups, 4, 192, 64, False)(env)


@case(**PIPELINE)
def tma_feeds_4_warps(env):
    return multiplying(partitions.pipeline, 4, 64, 320, True)(env)


@case(**PIPELINE)
def tma_feeds_8_warps(env):
    return multiplying(partitions.pipeline, 8, 128, 320, True)(env)


# Of two CTAs. Nothing tells who comes first, so a read may find what nobody wrote, too.
CTA_RACES = ["UnorderedSharedAccess", "UninitializedSharedRead"]
WHOLE = gl.NVMMASharedLayout(0, 32, rank=2, cga_layout=[[0, 0]])


def reaching(kernel, tiles=0, layout=None):
    """The case of a kernel of two CTAs that copies a matrix of 32 rows a tile."""

    def run(env):
        src = env.random(env.programs * max(tiles, 1) * 32, 64)
        dst = env.zeros(*src.shape)
        described = boxes(src, layout=layout) if layout else src
        counts = [tiles] if tiles else []

        def launch():
            dst.zero_()
            env.launch(kernel, described, dst, *counts, num_ctas=2)

        return launch, lambda: torch.equal(dst, src)

    return run


@case(before=CTA_RACES, relaxed=CTA_RACES, behind=CTA_RACES)
def peer_read(env):
    return reaching(clusters.peer_read, 3)(env)


@case(barrier=CTA_RACES)
def peer_write(env):
    return reaching(clusters.peer_write)(env)


@case(before=CTA_RACES, relaxed=CTA_RACES, behind=CTA_RACES)
def stored_by_one(env):
    return reaching(clusters.stored_by_one, 3)(env)


@case(expect=["Deadlock"], bytes=["UnfinishedCopyRead", "UninitializedSharedRead"],
      wait=["UnfinishedCopyRead", "UninitializedSharedRead"],
      overwrite=["SharedWriteDuringCopy", "UnorderedSharedAccess"],
      behind=["UnorderedSharedAccess", "SharedWriteDuringCopy", "UnfinishedCopyRead"])
def stored_to_peer(env):
    return reaching(clusters.stored_to_peer, 3)(env)


@case(wait=["UnfinishedCopyRead", "UninitializedSharedRead"], arrive=["Deadlock"],
      empty=["UnorderedSharedAccess", "SharedWriteDuringCopy", "BarrierOverrun", "UnfinishedCopyRead"],
      release=["UnorderedSharedAccess", "UnfinishedCopyRead"])
def multicast(env):
    return reaching(clusters.multicast, 5, WHOLE)(env)


@case(arrive=["Deadlock"], answer=["Deadlock"], come=CTA_RACES, go=CTA_RACES)
def remote_arrive(env):
    return reaching(clusters.remote_arrive)(env)


@case(fence=["MissingProxyFence"], come=[*CTA_RACES, "MissingProxyFence"],
      go=[*CTA_RACES, "MissingProxyFence"])
def fence_for_peers(env):
    src = env.random(env.programs * 32, 64)
    dst = env.zeros(*src.shape)
    layout = gl.NVMMASharedLayout(0, 32, rank=2, cga_layout=[[1, 0]])

    def launch():
        dst.zero_()
        env.launch(clusters.fence_for_peers, src, boxes(dst, layout=layout), num_ctas=2)

    return launch, lambda: torch.equal(dst, src)


# Programs of a grid.
GRID_RACES = ["UnorderedGlobalAccess"]


@case(atomic=GRID_RACES)
def counter(env):
    total = env.zeros(1, dtype=torch.int32)

    def launch():
        total.zero_()
        env.launch(programs.counter, total)

    return launch, lambda: total.item() == env.programs


@case(wait=GRID_RACES, acquire=GRID_RACES, release=GRID_RACES, scope=GRID_RACES, early=GRID_RACES)
def split_k(env):
    src, dst, turn = env.random(env.programs, 128), env.zeros(128), env.zeros(1, dtype=torch.int32)

    def launch():
        dst.zero_()
        turn.zero_()
        env.launch(programs.split_k, src, dst, turn)

    return launch, lambda: torch.equal(dst, src.sum(0))


@case(order=GRID_RACES, acquire=GRID_RACES)
def last_one_adds(env):
    src, parts, dst = env.random(env.programs, 128), env.zeros(env.programs), env.zeros(1)
    arrived = env.zeros(1, dtype=torch.int32)

    def launch():
        arrived.zero_()
        env.launch(programs.last_one_adds, src, parts, dst, arrived)

    return launch, lambda: dst.item() == src.sum().item()


@case(lock=GRID_RACES, release=GRID_RACES)
def locked(env):
    total, lock = env.zeros(1, dtype=torch.int32), env.zeros(1, dtype=torch.int32)

    def launch():
        total.zero_()
        env.launch(programs.locked, total, lock)

    return launch, lambda: total.item() == env.programs and lock.item() == 0


@case(wait=GRID_RACES, acquire=GRID_RACES, release=GRID_RACES)
def handed_over(env):
    src, dst = env.random(128), env.zeros(env.programs, 128)
    flag = env.zeros(1, dtype=torch.int32)

    def launch():
        dst.zero_()
        flag.zero_()
        env.launch(programs.handed_over, src, dst, flag)

    return launch, lambda: bool((dst == src).all())
