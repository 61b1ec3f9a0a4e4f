"""Steps about Blackwell's partitions: one loads operands, one multiplies, one takes sums from tensor memory."""

import numpy as np

import layouts
from maker import NothingFits
from program import Tensor
from tensor_memory import HELD, Place, needs_fours, variant
from warpgroups import BITS

# Type of both operands and of the sum; the largest number.
TYPES = [("float16", "float32", 3), ("float16", "float16", 1), ("float32", "float32", 3), ("int8", "int32", 50)]
MOST_BYTES = 96 << 10


def tensor(m, dtype, shape, block, bases, largest):
    layout = layouts.nvmma(m.rng, block, BITS[dtype], bases, multiplied=True)
    if not layout:
        raise NothingFits
    memory = np.ascontiguousarray(m.numpy.integers(-largest, largest + 1, shape), np.dtype(dtype))
    return Tensor(memory, shape, block, layout, "zero", m.host_describes and m.rng.random() < 0.5)


def bars(name, count, slots, two_ctas=False):
    return (f"{name} = mbarrier.allocate_mbarrier(batch={slots}{', two_ctas=True' * two_ctas})\n"
            f"for k in gl.static_range({slots}):\n    mbarrier.init({name}.index(k), count={count})\n")


def ends(name, slots):
    return f"for k in gl.static_range({slots}):\n    mbarrier.invalidate({name}.index(k))\n"


# The partitions' lines: D slots of operands, E of sums, S products a tile.
LOADS = """@gluon.jit
def {fn}_loads(desc0, desc1, xs, ys, filled, drained, n):
    for k in range(n * {S}):
        mbarrier.wait(drained.index(k % {D}), k // {D} & 1 ^ 1)
        mbarrier.expect(filled.index(k % {D}), desc0.nbytes_per_cta + desc1.nbytes_per_cta)
        tma.async_load(desc0, [0, k * {K}], filled.index(k % {D}), xs.index(k % {D}))
        tma.async_load(desc1, [{AT}], filled.index(k % {D}), ys.index(k % {D}))
    # Who tells this CTA does so before its end.
    for k in range(n * {S}, n * {S} + {D}):
        mbarrier.wait(drained.index(k % {D}), k // {D} & 1 ^ 1)


"""
MULTIPLIES = """@gluon.jit
def {fn}_multiplies(xs, ys, sums, filled, drained, summed, taken, n):
    for tile in range(n):
        mbarrier.wait(taken.index(tile % {E}), tile // {E} & 1 ^ 1)
        for k in range(tile * {S}, tile * {S} + {S}):
            mbarrier.wait(filled.index(k % {D}), k // {D} & 1)
            tcgen05_mma(xs.index(k % {D}), ys.index(k % {D}){TURN}, sums.index(tile % {E}), use_acc=k > tile * {S},
                        mbarriers=[drained.index(k % {D})])
        tcgen05_commit(summed.index(tile % {E}))


"""
TAKES = """@gluon.jit
def {fn}_takes(sums, summed, taken, total, n):
    registers: gl.constexpr = sums.index(0).{VARIANT}
    acc = gl.full({SHAPE}, 1, gl.{SUM}, registers)
    for tile in range(n):
        mbarrier.wait(summed.index(tile % {E}), tile // {E} & 1)
        value = sums.index(tile % {E}).load(registers)
        mbarrier.arrive(taken.index(tile % {E}), count=1)
        acc = acc * {FACTOR} + value
    total.store(acc)


"""


def with_values(text, **values):
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def pipelined(m):
    """Tiles, each the sum of a few products; what comes out is what one partition makes of all."""
    needs_fours(m)
    rng, pair = m.rng, m.pairs
    if m.program.num_ctas > 1 and not pair:
        raise NothingFits
    dtype, sums, largest = rng.choice(TYPES)
    rows, columns = rng.choice([64, 128, 128]) * (1 + pair), rng.choice([32, 64])
    inner = 256 // BITS[dtype] * rng.choice([1, 2, 4])
    D, E, S = rng.choice([1, 2, 3]), rng.choice([1, 2]), rng.choice([1, 2, 3])
    which = rng.randrange(2)
    n = m.program.scalars[which]
    # Operands of 32 bits lie with their inner dimension last.
    turned = dtype == "float32" or rng.random() < 0.5
    depth = max(n, 1) * S * inner
    down, right = ([[1, 0]], [[0, 1]]) if pair else ([], [])
    a = tensor(m, dtype, [rows, depth], [rows, inner], down, largest)
    b = tensor(m, dtype, [columns, depth] if turned else [depth, columns],
                [columns, inner] if turned else [inner, columns], [basis[::-1] for basis in right] if turned else right,
                largest)
    if D * (a.block[0] * a.block[1] + b.block[0] * b.block[1]) * BITS[dtype] // 8 > MOST_BYTES:
        raise NothingFits
    place = Place(sums, HELD[sums], [rows, columns], [rows // (1 + pair), columns], 2 if sums == "float16" else 1,
                  ((1, 0),) if pair else (), pair)
    left, over = a.memory.astype(np.int64), (b.memory.T if turned else b.memory).astype(np.int64)
    factor, value = rng.choice([1, 2, 3]), np.ones(place.shape, np.int64)
    for tile in range(n):
        part = slice(tile * S * inner, (tile + 1) * S * inner)
        value = value * factor + left[:, part] @ over[part]
    if sums == "float16" and np.abs(value).max() > 2000:
        raise NothingFits
    # The default partition takes sums, or one with warps of its own.
    takes_first = rng.random() < 0.5
    warps = m.program.num_warps if takes_first else rng.choice([4, 8])
    values = dict(D=D, E=E, S=S, K=inner, AT=f"0, k * {inner}" if turned else f"k * {inner}, 0",
                  TURN=".permute((1, 0))" * turned, VARIANT=variant(m, place), SHAPE=place.shape, SUM=sums,
                  FACTOR=factor)
    functions = with_values(LOADS + MULTIPLIES + TAKES, **values)
    total = f"gl.SwizzledSharedLayout(1, 1, 1, [1, 0]{layouts.cga_text(down)})"
    calls = {
        "takes": f"({{fn}}_takes, (acc, filled1, drained1, s, n{which}))",
        "multiplies": f"({{fn}}_multiplies, (x, y, acc, filled0, drained0, filled1, drained1, n{which}))",
        "loads": f"({{fn}}_loads, (left, right, x, y, filled0, drained0, n{which}))",
    }
    counts = {"takes": warps, "multiplies": rng.choice([1, 2, 4]), "loads": rng.choice([1, 1, 4])}
    names = ["takes", "multiplies", "loads"] if takes_first else ["multiplies", "takes", "loads"]
    text = (a.described("{t0}", "left") + b.described("{t1}", "right")
            + f"x = gl.allocate_shared_memory(gl.{dtype}, {[D, *a.block]}, {a.layout})\n"
            f"y = gl.allocate_shared_memory(gl.{dtype}, {[D, *b.block]}, {b.layout})\n"
            f"s = gl.allocate_shared_memory(gl.{sums}, {place.shape}, {total})\nacc = {place.allocate(E)}\n"
            + bars("filled0", 1, D, pair) + bars("drained0", 1, D) + bars("filled1", 1, E)
            + bars("drained1", 1, E, pair)
            + f"gl.warp_specialize([{', '.join(calls[name] for name in names)}], {[counts[k] for k in names[1:]]})\n"
            + m.meet() + ends("filled0", D) + ends("drained0", D) + ends("filled1", E) + ends("drained1", E))
    m.add(text + "{out} = s.load({layout})", [], value, sums, m.layout(place.shape), functions=functions,
          tensors=[a, b])


KINDS = [pipelined]
