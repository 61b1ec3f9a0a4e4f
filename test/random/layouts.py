"""Random layouts that fit a shape, as the text of their constructors.

`launch` is what has num_warps and num_ctas, and `lanes` and `chip` where they are AMD's: a Program.
"""

import itertools
import math

from gluonc import language as gl


def _log2(n):
    return n.bit_length() - 1


def _lanes(launch):
    """Threads of a warp."""
    return getattr(launch, "lanes", 32)


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


def cga_bases(rng, shape, launch, copies=True):
    """Which part of a tile each CTA holds: bases in units of parts."""
    parts, bases = [1] * len(shape), []
    for _ in range(_log2(launch.num_ctas)):
        basis, dim = [0] * len(shape), rng.randrange(len(shape) + copies)
        # Where no dimension is split, two CTAs hold the same.
        if dim < len(shape) and 2 * parts[dim] <= shape[dim]:
            basis[dim] = parts[dim]
            parts[dim] *= 2
        bases.append(basis)
    rng.shuffle(bases)
    return bases


def cga_text(bases):
    """ ", cga_layout=..." or nothing."""
    return f", cga_layout={bases}" if bases else ""


def cga(rng, shape, launch):
    return cga_text(cga_bases(rng, shape, launch))


def share(shape, bases):
    """The shape of what one CTA holds."""
    return [extent // max([1] + [2 * basis[d] for basis in bases])
            for d, extent in enumerate(shape)]


def whole(shape, launch):
    """The same where every CTA holds all."""
    copies = [[0] * len(shape)] * _log2(launch.num_ctas)
    return f", cga_layout={copies}" if copies else ""


# More elements than this in a thread, where fewer are possible, make machine code that ptxas needs
# minutes for.
MOST_IN_A_THREAD = 512


def blocked(rng, shape, launch, parts=None):
    rank, parts = len(shape), cga(rng, shape, launch) if parts is None else parts
    # Twice what a thread holds at least: few layouts come down to that.
    most = max(MOST_IN_A_THREAD, 2 * math.prod(shape) // (_lanes(launch) * launch.num_warps))
    while True:
        registers = _split(rng, rng.randrange(4), rank)
        lanes, warps = _split(rng, _log2(_lanes(launch)), rank), _split(rng, _log2(launch.num_warps), rank)
        held = math.prod(max(r, size // (lane * warp))
                         for r, size, lane, warp in zip(registers, shape, lanes, warps))
        if held <= most:
            return f"gl.BlockedLayout({registers}, {lanes}, {warps}, {_order(rng, rank)}{parts})"


def sliced(rng, shape, launch):
    dim = rng.randrange(len(shape) + 1)
    parent = [*shape[:dim], rng.choice([1, 2, 4]), *shape[dim:]]
    return f"gl.SliceLayout({dim}, {distributed(rng, parent, launch)})"


def linear(rng, shape, launch):
    """Unit vectors spread at random, some added to each other: any invertible map, with zero bases
    where there are more threads than elements."""
    units = [[size if d == axis else 0 for d in range(len(shape))]
             for axis, extent in enumerate(shape)
             for size in itertools.takewhile(lambda s: s < extent, (1 << b for b in range(32)))]
    rng.shuffle(units)
    for _ in range(rng.randrange(4) if len(units) > 1 else 0):
        a, b = rng.sample(range(len(units)), 2)
        units[a] = [x ^ y for x, y in zip(units[a], units[b])]
    lanes = _log2(_lanes(launch))
    warps = lanes + _log2(launch.num_warps)
    threads = warps + _log2(launch.num_ctas)
    taken, registers = units[:threads], units[threads:]
    taken += [[0] * len(shape)] * (threads - len(taken))
    rng.shuffle(taken)
    return (f"gl.DistributedLinearLayout(reg_bases={registers}, lane_bases={taken[:lanes]}, "
            f"warp_bases={taken[lanes:warps]}, block_bases={taken[warps:]}, shape={list(shape)})")


def mma(rng, shape, launch):
    """Accumulators and operands of mma.sync m16n8."""
    warps = _split(rng, _log2(launch.num_warps), 2)
    parent = (f"gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta={warps}, "
              f"instr_shape=[16, 8]{cga(rng, shape, launch)})")
    if rng.random() < 0.5:
        return parent
    return (f"gl.DotOperandLayout(operand_index={rng.randrange(2)}, parent={parent}, "
            f"k_width={rng.choice([1, 2, 4])})")


def distributed(rng, shape, launch):
    kinds = [blocked, blocked, linear]
    if len(shape) < 3:
        kinds.append(sliced)
    if getattr(launch, "chip", None) is None and len(shape) == 2 and min(shape) >= 16 and isinstance(gl.NVMMADistributedLayout, type):
        kinds.append(mma)
    return rng.choice(kinds)(rng, shape, launch)


def shared(rng, shape, launch):
    order, parts = _order(rng, len(shape)), cga(rng, shape, launch)
    if rng.random() < 0.3:
        interval = 1 << rng.randrange(3, 7)
        return (f"gl.PaddedSharedLayout.with_identity_for([[{interval}, "
                f"{1 << rng.randrange(4)}]], {list(shape)}, {order}{parts})")
    vec, phase, phases = (1 << rng.randrange(4) for _ in range(3))
    return f"gl.SwizzledSharedLayout({vec}, {phase}, {phases}, {order}{parts})"


def plain(shape, launch):
    """Row-major shared memory, all of it in every CTA."""
    order = list(reversed(range(len(shape))))
    return f"gl.SwizzledSharedLayout(1, 1, 1, {order}{whole(shape, launch)})"


def plain_shares(rng, shape, launch):
    """The same, divided among CTAs at random."""
    order = list(reversed(range(len(shape))))
    return f"gl.SwizzledSharedLayout(1, 1, 1, {order}{cga(rng, shape, launch)})"


def nvmma(rng, shape, bits, bases=(), transposed=False, multiplied=False):
    """The layout of a block that the copy engine moves or the tensor cores multiply."""
    part = share(shape, bases)
    if transposed:
        part = [*part[1:], part[0]]
    row = part[-1] * bits // 8
    others = math.prod(min(extent, 256) for extent in part[:-1])
    widths = [width for width in (32, 64, 128) if row >= width and len(part) > 1 and others >= 8]
    # The tensor cores read rows that are not swizzled only where those are of 16 bytes.
    if row == 16 or row > 16 and not multiplied:
        widths.append(0)
    if not widths:
        return None
    turned = ", transposed=True" if transposed else ""
    return (f"gl.NVMMASharedLayout({rng.choice(widths)}, {bits}, {len(shape)}{turned}"
            f"{cga_text(list(bases))})")
