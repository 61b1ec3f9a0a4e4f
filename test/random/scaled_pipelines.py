"""Steps about products with scales in Blackwell's partitions: one loads operands and their scales, one copies the scales to
tensor memory and multiplies, one takes sums from there."""

import numpy as np

import layouts
from maker import NothingFits
from pipelines import MOST_BYTES, TAKES, bars, ends, with_values
from program import Tensor
from scaled import NIBBLES, TYPES, cga, packed_bases
from tensor_memory import Place, needs_fours, variant

# Small integers and the bytes that they are.
BYTES = {"e4m3": {0: 0x00, 1: 0x38, 2: 0x40, 3: 0x44}, "e5m2": {0: 0x00, 1: 0x3c, 2: 0x40, 3: 0x42}}
# What no sum may exceed, in steps of the smallest product of scales and numbers, to be exact.
MOST_STEPS = 1 << 24

LOADS = """@gluon.jit
def {fn}_loads(desc0, desc1, desc2, desc3, xs, ys, scales0, scales1, filled, drained, n):
    for k in range(n * {S}):
        mbarrier.wait(drained.index(k % {D}), k // {D} & 1 ^ 1)
        mbarrier.expect(filled.index(k % {D}), desc0.nbytes_per_cta + desc1.nbytes_per_cta + desc2.nbytes_per_cta
                        + desc3.nbytes_per_cta)
        tma.async_load(desc0, [0, k * {K0}], filled.index(k % {D}), xs.index(k % {D}))
        tma.async_load(desc1, [{AT}], filled.index(k % {D}), ys.index(k % {D}))
        tma.async_load(desc2, [k * {ROWS0}, 0], filled.index(k % {D}), scales0.index(k % {D}))
        tma.async_load(desc3, [k * {ROWS1}, 0], filled.index(k % {D}), scales1.index(k % {D}))
    for k in range(n * {S}, n * {S} + {D}):
        mbarrier.wait(drained.index(k % {D}), k // {D} & 1 ^ 1)


"""
MULTIPLIES = """@gluon.jit
def {fn}_multiplies(xs, ys, scales0, scales1, part0, part1, sums, filled, drained, summed, taken, n):
    for tile in range(n):
        mbarrier.wait(taken.index(tile % {E}), tile // {E} & 1 ^ 1)
        for k in range(tile * {S}, tile * {S} + {S}):
            mbarrier.wait(filled.index(k % {D}), k // {D} & 1)
            tcgen05_copy(scales0.index(k % {D})._reinterpret(gl.{SCALE}, {SHAPE0}, {PACKED0}), part0.index(k % {P}))
            tcgen05_copy(scales1.index(k % {D})._reinterpret(gl.{SCALE}, {SHAPE1}, {PACKED1}), part1.index(k % {P}))
            x = xs.index(k % {D}){SEEN0}
            y = ys.index(k % {D}){SEEN1}
            tcgen05_mma_scaled(x, y{TURN}, sums.index(tile % {E}), part0.index(k % {P}), part1.index(k % {P}), "{A}", "{B}",
                               use_acc=k > tile * {S}, mbarriers=[drained.index(k % {D})])
        tcgen05_commit(summed.index(tile % {E}))


"""


def _numbers(m, kind, rows, depth):
    """Of `rows` by `depth`: bytes and what they are."""
    if kind == "e2m1":
        bytes = m.numpy.integers(0, 256, (rows, depth // 2), np.uint8)
        return bytes, NIBBLES[np.stack([bytes & 15, bytes >> 4], -1).reshape(rows, depth)]
    values = m.numpy.integers(-3, 4, (rows, depth))
    table = np.array([BYTES[kind][abs(value)] | 0x80 * (value < 0) for value in range(-3, 4)], np.uint8)
    return table[values + 3], values.astype(np.float64)


def _scales(m, rows, bases, vector, inner, steps):
    """Bytes as they are copied, those of each CTA and step below the last one's, factors for each element, and the layout
    of a step's in shared memory. CTAs divide rows, or all have the same, as `bases` say."""
    columns, parts = inner // vector, 2 if [1, 0] in bases else 1
    own = rows // parts
    packed = packed_bases(own, columns)
    if packed is None:
        raise NothingFits
    if vector == 16:
        exponents = m.numpy.integers(6, 9, (rows, columns * steps), np.uint8)
        # e4m3 of powers of two.
        bytes, factors = exponents << 3, 2.0 ** (exponents.astype(np.float64) - 7)
    else:
        bytes = m.numpy.integers(126, 129, (rows, columns * steps), np.uint8)
        factors = 2.0 ** (bytes.astype(np.float64) - 127)
    places = np.zeros((own * columns, 2), np.int64)
    for bit, basis in enumerate(packed):
        places ^= (np.arange(own * columns)[:, None] >> bit & 1) * np.array(basis)
    memory = [bytes[places[:, 0] + part * own, places[:, 1] + step * columns]
              for step in range(steps) for part in range(parts)]
    blocks = [[own * down, 0] for down, _ in bases]
    return (np.ascontiguousarray(np.concatenate(memory).reshape(-1, 16)), np.repeat(factors, vector, 1),
            f"gl.SharedLinearLayout({packed}{f', {blocks}' if blocks else ''})")


def _block(m, kind, shape, bases, padded):
    """The layout of an operand's block of bytes in shared memory. Beside one of 8 bits, 4-bit floats take as much room."""
    if padded:
        return f"gl.NVMMASharedLayout(128, 8, 2, fp4_padded=True{layouts.cga_text(bases)})"
    layout = layouts.nvmma(m.rng, shape, 8, bases, multiplied=True)
    if not layout:
        raise NothingFits
    return layout


def scaled_pipeline(m):
    """As pipelined, with scales."""
    needs_fours(m)
    rng, pair = m.rng, m.pairs
    if m.program.num_ctas > 1 and not pair:
        raise NothingFits
    kinds = rng.choice([("8", "8"), ("4", "4"), ("4", "8"), ("8", "4")])
    mixed = kinds[0] != kinds[1]
    kinds = ["e2m1" if kind == "4" else rng.choice(["e4m3", "e5m2"]) for kind in kinds]
    vector = rng.choice([16, 32]) if kinds == ["e2m1", "e2m1"] else 32
    rows, columns, inner = 128 * (1 + pair), rng.choice([64, 128]), rng.choice([128, 256])
    D, E, S, P = (rng.choice(of) for of in ([1, 2, 3], [1, 2], [1, 2, 3], [1, 2]))
    which = rng.randrange(2)
    n = m.program.scalars[which]
    steps = max(n, 1) * S
    wide = [inner // 2 if kind == "e2m1" else inner for kind in kinds]
    # Operands of 4 bits lie with their inner dimension last.
    turned = kinds[1] == "e2m1" or rng.random() < 0.7
    down, right = ([[1, 0]], [[0, 1]]) if pair else ([], [])
    blocks = [[rows, wide[0]], [columns, wide[1]] if turned else [wide[1], columns]]
    bases = [down, [basis[::-1] for basis in right] if turned else right]
    (left, a), (over, b) = (_numbers(m, kind, extent, steps * inner) for kind, extent in zip(kinds, (rows, columns)))
    swizzles = [_block(m, kind, block, base, mixed and kind == "e2m1")
                for kind, block, base in zip(kinds, blocks, bases)]
    if D * (rows + columns) * (inner if mixed else wide[0]) // (1 + pair) > MOST_BYTES:
        raise NothingFits
    tensors = [Tensor(np.ascontiguousarray(memory), list(memory.shape), block, layout)
               for memory, block, layout in zip((left, over if turned else over.T), blocks, swizzles)]
    divided = [down, [[0, 0]] if pair else []]
    scales = [_scales(m, extent, base, vector, inner, steps) for extent, base in zip((rows, columns), divided)]
    parts = [extent * (inner // vector) // 16 for extent in (rows, columns)]
    flat = [f"gl.NVMMASharedLayout(0, 8, 2{layouts.cga_text(base)})" for base in divided]
    tensors += [Tensor(packed, list(packed.shape), [part, 16], layout)
                for (packed, *_), part, layout in zip(scales, parts, flat)]
    a, b = a * scales[0][1], b * scales[1][1]
    factor, value, most = rng.choice([1, 2, 3]), np.ones((rows, columns)), np.ones((rows, columns))
    for tile in range(n):
        part = slice(tile * S * inner, (tile + 1) * S * inner)
        value = value * factor + a[:, part] @ b[:, part].T
        most = most * factor + abs(a[:, part]) @ abs(b[:, part]).T
    if most.max() * 16 * 2 ** kinds.count("e2m1") > MOST_STEPS:
        raise NothingFits
    place = Place("float32", 32, [rows, columns], [128, columns], 1, ((1, 0),) if pair else (), pair)
    takes_first = rng.random() < 0.5
    warps = m.program.num_warps if takes_first else rng.choice([4, 8])
    element = "float8e4nv" if vector == 16 else "uint8"
    seen = ["" if kind == "e2m1" else f"._reinterpret(gl.{TYPES[kind]}, {block}, {layout})"
            for kind, block, layout in zip(kinds, blocks, swizzles)]
    values = dict(D=D, E=E, S=S, P=P, K0=wide[0], AT=f"0, k * {wide[1]}" if turned else f"k * {wide[1]}, 0",
                  ROWS0=parts[0], ROWS1=parts[1], SCALE=element, SHAPE0=[rows, inner // vector],
                  SHAPE1=[columns, inner // vector], PACKED0=scales[0][2], PACKED1=scales[1][2], SEEN0=seen[0],
                  SEEN1=seen[1], TURN=".permute((1, 0))" * turned, A=kinds[0], B=kinds[1], VARIANT=variant(m, place),
                  SHAPE=place.shape, SUM="float32", FACTOR=factor)
    calls = {
        "takes": f"({{fn}}_takes, (acc, filled1, drained1, s, n{which}))",
        "multiplies": f"({{fn}}_multiplies, (x, y, ring0, ring1, part0, part1, acc, filled0, drained0, filled1, drained1, "
                      f"n{which}))",
        "loads": f"({{fn}}_loads, (left, right, at, ahead, x, y, ring0, ring1, filled0, drained0, n{which}))",
    }
    counts = {"takes": warps, "multiplies": rng.choice([1, 2, 4]), "loads": rng.choice([1, 1, 4])}
    names = ["takes", "multiplies", "loads"] if takes_first else ["multiplies", "takes", "loads"]
    text = "".join(tensor.described(f"{{t{i}}}", name)
                   for i, (tensor, name) in enumerate(zip(tensors, ("left", "right", "at", "ahead"))))
    for name, block, layout in zip(("x", "y", "ring0", "ring1"), (*blocks, [parts[0], 16], [parts[1], 16]),
                                   (*swizzles, *flat)):
        text += f"{name} = gl.allocate_shared_memory(gl.uint8, {[D, *block]}, {layout})\n"
    for name, extent, base in zip(("part0", "part1"), (rows, columns), divided):
        text += (f"{name} = allocate_tensor_memory(gl.{element}, {[P, extent, inner // vector]}, "
                 f"TensorMemoryScalesLayout({cga(base)}))\n")
    total = f"gl.SwizzledSharedLayout(1, 1, 1, [1, 0]{layouts.cga_text(down)})"
    text += (f"s = gl.allocate_shared_memory(gl.float32, {place.shape}, {total})\n"
             f"acc = {place.allocate(E)}\n" + bars("filled0", 1, D, pair) + bars("drained0", 1, D)
             + bars("filled1", 1, E) + bars("drained1", 1, E, pair)
             + f"gl.warp_specialize([{', '.join(calls[name] for name in names)}], {[counts[k] for k in names[1:]]})\n"
             + m.meet() + ends("filled0", D) + ends("drained0", D) + ends("filled1", E) + ends("drained1", E))
    m.add(text + "{out} = s.load({layout})", [], value, "float32", m.layout(place.shape),
          functions=with_values(LOADS + MULTIPLIES + TAKES, **values), tensors=tensors)


KINDS = [scaled_pipeline]
