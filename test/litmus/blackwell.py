"""The cases of what there is from Blackwell on: tensor memory, pairs of CTAs, launch control, rows by number."""

import functools

import launch_control
import tensor_memory
import tensor_pairs
import tensor_partitions
from harness import FLAT, SWIZZLED, boxes, case, gl, torch

CHIP = "cuda:100a"
blackwell = functools.partial(case, CHIP)

# Bytes on their way to where they are read; bytes that somebody reads, or that are on their way, written.
ON_THE_WAY = ["UnfinishedCopyRead"]
IN_USE = ["SharedWriteDuringRead"]
OVERTAKEN = ["SharedWriteDuringCopy"]
NEVER_SET = ["UninitializedSharedRead"]
NO_FENCE = ["MissingProxyFence"]
# Known before the kernel runs: other bytes come to a barrier than it expects.
NEVER_ENOUGH = ["BarrierNeverCompletes"]
# Nothing orders two partitions or CTAs: who comes first may find, or leave, what is unfinished or was never there.
RACES = ["UnorderedSharedAccess", *NEVER_SET, *ON_THE_WAY, *IN_USE, *OVERTAKEN, *NO_FENCE]
# Who gets through a barrier too early may also miss the phase that it waits for.
MISSED = [*RACES, "BarrierOverrun", "Deadlock"]


def multiplying(kernel, steps=0, described=False, factor=1):
    """The case of a kernel that multiplies; with `steps`, sums up that many blocks along K, which lie one behind
    the other."""

    def run(env):
        blocks = max(steps, 1)
        a = env.random(env.programs, blocks, 128, 64, dtype=torch.float16)
        b = env.random(blocks, 64, 64, dtype=torch.float16)
        c = env.zeros(env.programs, 128, 64)
        want = factor * torch.einsum("pkij,kjl->pil", a.float(), b.float())
        sides = [a, b]
        if described:
            flat = a.transpose(1, 2).reshape(env.programs * 128, blocks * 64).contiguous()
            sides = [boxes(flat, (128, 64), SWIZZLED), boxes(b.reshape(-1, 64), (64, 64), SWIZZLED)]

        def launch():
            c.zero_()
            env.launch(kernel, *sides, c, *([steps] if steps else []))

        return launch, lambda: torch.equal(c, want)

    return run


@blackwell(init=["BarrierNotInitialized"], count=["Deadlock"], early=ON_THE_WAY, set=NEVER_SET, commit=["Deadlock"],
           wait=ON_THE_WAY, phase=ON_THE_WAY, end=["UnfinishedAtEnd"])
def tensor_product(env):
    return multiplying(tensor_memory.product)(env)


@blackwell(again=["WrongResult"], slot=ON_THE_WAY, slice=OVERTAKEN, seen=ON_THE_WAY, store=OVERTAKEN)
def two_products(env):
    return multiplying(tensor_memory.two_products, factor=3)(env)


@blackwell(left=IN_USE, right=IN_USE, wait=IN_USE, phase=[*IN_USE, "Deadlock"])
def operands_again(env):
    return multiplying(tensor_memory.operands_again, 4)(env)


@blackwell(full=[*ON_THE_WAY, *NEVER_SET], free=[*IN_USE, *OVERTAKEN], phase=["Deadlock"],
           bytes=NEVER_ENOUGH, release=IN_USE, other=[*IN_USE, *ON_THE_WAY, "Deadlock"], last=ON_THE_WAY)
def loaded_operands(env):
    return multiplying(tensor_memory.loaded, 5, True)(env)


@blackwell(set=NEVER_SET, early=IN_USE, wait=IN_USE)
def left_in_tensor_memory(env):
    return multiplying(tensor_memory.from_tensor_memory, factor=3)(env)


@blackwell(cleared=[*IN_USE, *OVERTAKEN], scored=ON_THE_WAY, columns=IN_USE, store=["WrongResult"])
def product_becomes_operand(env):
    a = env.random(env.programs, 128, 64, dtype=torch.float16)
    b = env.random(64, 64, dtype=torch.float16)
    c = env.zeros(env.programs, 128, 64)
    want = 3 * (a.float() @ b.float() * 0.125) @ b.float()

    def launch():
        c.zero_()
        env.launch(tensor_memory.attention, a, b, c, 3)

    return launch, lambda: torch.equal(c, want)


@blackwell(shape=[*OVERTAKEN, *ON_THE_WAY], type=[*OVERTAKEN, *ON_THE_WAY])
def overlapping_sums(env):
    a = env.random(env.programs, 128, 64, dtype=torch.float16)
    b = env.random(64, 64, dtype=torch.float16)
    c = env.zeros(env.programs, 128, 64)
    want = a.float() @ b.float()
    want[:, :, 32:] += a.float() @ b.flatten()[:2048].reshape(64, 32).float()

    def launch():
        c.zero_()
        env.launch(tensor_memory.overlapping, a, b, c)

    return launch, lambda: torch.equal(c, want)


@blackwell(wait=ON_THE_WAY, store=NEVER_SET, set=NEVER_SET)
def lifetimes(env):
    return multiplying(tensor_memory.lifetimes, factor=2)(env)


@blackwell(early=ON_THE_WAY, commit=["Deadlock"], source=IN_USE, target=OVERTAKEN, twice=OVERTAKEN,
           wait=[*ON_THE_WAY, *IN_USE], phase=[*ON_THE_WAY, "Deadlock"])
def copied_to_tensor_memory(env):
    src = env.random(env.programs, 2, 128, 32)
    dst = env.zeros(*src.shape)

    def launch():
        dst.zero_()
        env.launch(tensor_memory.copied, src, dst)

    return launch, lambda: torch.equal(dst, src)


def scaling(kernel, steps, *counts):
    """The case of a product whose left operand has scales of its own in each step."""

    def run(env):
        a = env.random(env.programs, 128, 128).to(torch.float8_e5m2)
        b = env.random(128, 128).to(torch.float8_e5m2)
        factors = torch.randint(125, 130, (steps, 128, 4), generator=torch.Generator().manual_seed(1))
        c = env.zeros(env.programs, 128, 128)
        each = 2.0 ** (factors - 127).repeat_interleave(32, 2)
        each = (each if counts else each * torch.tensor([1, 2])[:, None, None]).to(env.device)
        want = torch.einsum("pmk,smk,nk->pmn", a.float(), each, b.float())
        factors = factors.to(env.device, torch.uint8)

        def launch():
            c.zero_()
            env.launch(kernel, a, b, factors, c, *counts)

        return launch, lambda: torch.equal(c, want)

    return run


@blackwell(wait=[*IN_USE, *OVERTAKEN], set=NEVER_SET, source=IN_USE, store=IN_USE, load=ON_THE_WAY)
def scaled_products(env):
    return scaling(tensor_memory.scaled, 3, 3)(env)


@blackwell(left=NEVER_SET, right=NEVER_SET, wait=IN_USE)
def stored_scales(env):
    return scaling(tensor_memory.stored_scales, 1)(env)


@case("cuda:103a", copy=NEVER_SET, wait=ON_THE_WAY)
def load_that_reduces(env):
    src = env.random(env.programs, 128, 32)
    dst, most = env.zeros(*src.shape), env.zeros(env.programs, 128)

    def launch():
        dst.zero_()
        env.launch(tensor_memory.greatest, src, dst, most)

    return launch, lambda: torch.equal(dst, src) and torch.equal(most, src.amax(2))


@blackwell(columns=["TensorMemoryExceeded"])
def all_columns(env):
    c = env.zeros(env.programs, 128, 64)

    def launch():
        c.zero_()
        env.launch(tensor_memory.wide, c)

    return launch, lambda: bool((c == 28).all())


# Partitions.


@blackwell(full=RACES, free=MISSED, release=RACES, taken=RACES, arrive=RACES, commit=["Deadlock"], summed=MISSED,
           phase=MISSED, early=MISSED, slot=MISSED, keep=["Deadlock"])
def tensor_pipeline(env):
    tiles = 4
    a = env.random(env.programs * 128, tiles * 128, dtype=torch.float16)
    b = env.random(tiles * 128, 64, dtype=torch.float16)
    c = env.zeros(env.programs, tiles, 128, 64)
    want = torch.einsum("pitk,tkj->ptij", a.float().reshape(env.programs, 128, tiles, 128),
                        b.float().reshape(tiles, 128, 64))

    def launch():
        c.zero_()
        env.launch(tensor_partitions.pipeline, boxes(a, (128, 64), SWIZZLED), boxes(b, (64, 64), SWIZZLED), c, tiles)

    return launch, lambda: torch.equal(c, want)


@blackwell(gone=MISSED, early=MISSED, come=MISSED, arrive=RACES, end=RACES)
def stored_operand(env):
    return multiplying(tensor_partitions.stored_operand, factor=3)(env)


@blackwell(free=MISSED, before=NO_FENCE, fence=NO_FENCE, late=NO_FENCE, full=MISSED, done=RACES)
def written_operands(env):
    return multiplying(tensor_partitions.written_operands, 5)(env)


@blackwell(gone=MISSED, arrive=RACES, come=MISSED, begun=RACES)
def copied_scales(env):
    return scaling(tensor_partitions.copied_scales, 3, 3)(env)


@blackwell(first=RACES, arrive=RACES, second=RACES)
def two_multiply(env):
    return multiplying(tensor_partitions.two_multiply, factor=2)(env)


@blackwell(operand=RACES, sum=RACES, told=RACES, early=RACES, keep=["Deadlock"])
def told_back(env):
    return multiplying(tensor_partitions.told_back)(env)


@blackwell(starter=RACES, done=RACES, warps=["TensorMemoryOperand"])
def own_commit(env):
    return multiplying(tensor_partitions.own_commit)(env)


@blackwell(four=["TensorMemoryOperand"])
def right_warps(env):
    c = env.zeros(env.programs, 128, 64)

    def launch():
        c.zero_()
        env.launch(tensor_partitions.right_warps, c)

    return launch, lambda: bool((c == 1).all())


# Two CTAs that multiply together.


def multiplying_together(kernel, steps=0):

    def run(env):
        blocks = max(steps, 1)
        a = env.random(env.programs, blocks, 256, 64, dtype=torch.float16)
        b = env.random(blocks, 64, 64, dtype=torch.float16)
        c = env.zeros(env.programs, 256, 64)
        want = torch.einsum("pkij,kjl->pil", a.float(), b.float())

        def launch():
            c.zero_()
            env.launch(kernel, a, b, c, *([steps] if steps else []), num_ctas=2)

        return launch, lambda: torch.equal(c, want)

    return run


@blackwell(count=["Deadlock"], set=NEVER_SET, commit=["Deadlock"],
           overwrite=RACES, wait=RACES, phase=RACES)
def product_of_a_pair(env):
    return multiplying_together(tensor_pairs.pair)(env)


@blackwell(wait=RACES)
def product_of_a_pair_again(env):
    return multiplying_together(tensor_pairs.pair_again, 4)(env)


def loading_together(ctas, bases, left, right, M, N):

    def run(env):
        steps = 5
        a = env.random(env.programs * M, steps * 64, dtype=torch.float16)
        b = env.random(steps * 64, N, dtype=torch.float16)
        c = env.zeros(env.programs * M, N)
        want = a.float() @ b.float()
        sides = [boxes(a, (M, 64), gl.NVMMASharedLayout(128, 16, rank=2, cga_layout=left)),
                 boxes(b, (64, N), gl.NVMMASharedLayout(64, 16, rank=2, cga_layout=right))]

        def launch():
            c.zero_()
            env.launch(tensor_pairs.loaded_pair, *sides, c, steps, CGA=bases, M=M, N=N, num_ctas=ctas)

        return launch, lambda: torch.equal(c, want)

    return run


@blackwell(own=MISSED, more=["Deadlock"], free=MISSED, bytes=["Deadlock"], full=MISSED,
           last=[*RACES, "SharedMemoryOutlived"])
def loads_for_a_pair(env):
    return loading_together(2, [[1, 0]], [[1, 0]], [[0, 1]], 256, 64)(env)


@blackwell(one=MISSED, more=["Deadlock"], free=MISSED, full=MISSED, multicast=["Deadlock"], part=["Deadlock"],
           last=[*RACES, "SharedMemoryOutlived"])
def loads_for_two_pairs(env):
    return loading_together(4, [[1, 0], [0, 1]], [[1, 0], [0, 0]], [[0, 1], [0, 2]], 256, 128)(env)


# Launch control, rows by number.


def doubling(kernel, programs, **options):

    def run(env):
        src = env.random(programs, 128)
        dst = env.zeros(*src.shape)

        def launch():
            dst.zero_()
            kernel[(programs,)](src, dst, broken=env.broken, **options)

        return launch, lambda: torch.equal(dst, 2 * src)

    return run


@blackwell(arrive=NEVER_ENOUGH, expect=NEVER_ENOUGH, bytes=NEVER_ENOUGH, twice=NEVER_ENOUGH, wait=ON_THE_WAY,
           phase=ON_THE_WAY, refused=["RequestAfterRefusal", "WrongResult"],
           believe=["RefusalHasNoProgram", "OutOfBoundsAccess"])
def take_over(env):
    return doubling(launch_control.take_over, 9)(env)


@blackwell(read=MISSED, wait=MISSED)
def take_over_together(env):
    return doubling(launch_control.take_over_together, 9, num_ctas=2)(env)


@blackwell(free=[*MISSED, "WrongResult"], full=MISSED, early=MISSED, keep=["Deadlock"])
def take_over_ahead(env):
    return doubling(launch_control.take_over_ahead, 17)(env)


@blackwell(row=NEVER_ENOUGH, more=NEVER_ENOUGH, expect=NEVER_ENOUGH, store=OVERTAKEN, wait=ON_THE_WAY,
           phase=[*ON_THE_WAY, "Deadlock"])
def gathered(env):
    src = env.random(100, 64)
    count = env.programs * 64
    numbers = (torch.arange(count, dtype=torch.int32) * 37 + 5) % 100
    dst = env.zeros(count, 64)

    def launch():
        dst.zero_()
        env.launch(launch_control.gathered, boxes(src, (1, 64)), numbers.to(env.device), dst)

    return launch, lambda: torch.equal(dst, src[numbers.long()])


@blackwell(rows=["StoreOverlap", "UnorderedGlobalAccess"], end=["UnfinishedAtEnd"], count=IN_USE, wait=IN_USE)
def scattered(env):
    count = env.programs * 64
    src, dst = env.random(count, 64), env.zeros(count, 64)
    numbers = (torch.arange(count, dtype=torch.int32) * 37 + 5) % count

    def launch():
        dst.zero_()
        env.launch(launch_control.scattered, src, numbers.to(env.device), boxes(dst, (1, 64)))

    return launch, lambda: torch.equal(dst[numbers.long()], src)
