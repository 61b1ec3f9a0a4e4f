"""Random layouts that fit a shape, as the text of their constructors."""

import itertools
import math

from gluonc import language as gl


def _log2(n):
    return n.bit_length() - 1


def _split(rng, total, parts):
    """`parts` powers of two whose product is 2**total."""
    exponents = [0] * parts
    for _ in range(total):
        exponents[rng.randrange(parts)] += 1
    return [1 << e for e in exponents]


def _order(rng, rank):
    order = list(range(rank))
    rng.shuffle(order)
    return order


# More elements than this in a thread make machine code that ptxas needs minutes for.
MOST_IN_A_THREAD = 512


def blocked(rng, shape, num_warps):
    rank = len(shape)
    while True:
        registers = _split(rng, rng.randrange(4), rank)
        lanes, warps = _split(rng, 5, rank), _split(rng, _log2(num_warps), rank)
        held = math.prod(max(r, size // (lane * warp))
                         for r, size, lane, warp in zip(registers, shape, lanes, warps))
        if held <= MOST_IN_A_THREAD:
            return f"gl.BlockedLayout({registers}, {lanes}, {warps}, {_order(rng, rank)})"


def sliced(rng, shape, num_warps):
    dim = rng.randrange(len(shape) + 1)
    parent = [*shape[:dim], rng.choice([1, 2, 4]), *shape[dim:]]
    return f"gl.SliceLayout({dim}, {distributed(rng, parent, num_warps)})"


def linear(rng, shape, num_warps):
    """Unit vectors spread at random, some added to each other: any invertible map, with zero bases
    where there are more threads than elements."""
    units = [[size if d == axis else 0 for d in range(len(shape))]
             for axis, extent in enumerate(shape)
             for size in itertools.takewhile(lambda s: s < extent, (1 << b for b in range(32)))]
    rng.shuffle(units)
    for _ in range(rng.randrange(4) if len(units) > 1 else 0):
        a, b = rng.sample(range(len(units)), 2)
        units[a] = [x ^ y for x, y in zip(units[a], units[b])]
    threads = 5 + _log2(num_warps)
    taken, registers = units[:threads], units[threads:]
    taken += [[0] * len(shape)] * (threads - len(taken))
    rng.shuffle(taken)
    return (f"gl.DistributedLinearLayout(reg_bases={registers}, lane_bases={taken[:5]}, "
            f"warp_bases={taken[5:]}, block_bases=[], shape={list(shape)})")


def mma(rng, shape, num_warps):
    """Accumulators and operands of mma.sync m16n8."""
    warps = _split(rng, _log2(num_warps), 2)
    parent = (f"gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta={warps}, "
              "instr_shape=[16, 8])")
    if rng.random() < 0.5:
        return parent
    return (f"gl.DotOperandLayout(operand_index={rng.randrange(2)}, parent={parent}, "
            f"k_width={rng.choice([1, 2, 4])})")


def distributed(rng, shape, num_warps):
    kinds = [blocked, blocked, linear]
    if len(shape) < 3:
        kinds.append(sliced)
    if len(shape) == 2 and min(shape) >= 16 and isinstance(gl.NVMMADistributedLayout, type):
        kinds.append(mma)
    return rng.choice(kinds)(rng, shape, num_warps)


def shared(rng, shape):
    order = _order(rng, len(shape))
    if rng.random() < 0.3:
        interval = 1 << rng.randrange(3, 7)
        return (f"gl.PaddedSharedLayout.with_identity_for([[{interval}, "
                f"{1 << rng.randrange(4)}]], {list(shape)}, {order})")
    vec, phase, phases = (1 << rng.randrange(4) for _ in range(3))
    return f"gl.SwizzledSharedLayout({vec}, {phase}, {phases}, {order})"
