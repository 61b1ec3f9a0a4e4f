"""Steps of the Triton language about products, loops and branches around them, and calls."""

import numpy as np

from maker import NothingFits, partner
from numeric import brain_float
from triton_tiles import along, offsets

HELPERS = '''

@triton.jit
def greatest(a, b, c, d):
    takes = (a > c) | ((a == c) & (b > d))
    return tl.where(takes, a, c), tl.where(takes, b, d)


@triton.jit
def clipped(x, LIMIT: tl.constexpr):
    if LIMIT is None:
        return x
    return tl.minimum(x, LIMIT)
'''

# dtype in memory, what its pointer points to, the most of a whole number, options of the product, type of the sum
PRODUCTS = [("float16", None, 3, "", "float32"), ("float16", None, 3, "", "float32"),
            ("float16", None, 2, ", out_dtype=tl.float16", "float16"), ("int16", "bfloat16", 3, "", "float32"),
            ("float32", None, 3, ", input_precision='tf32'", "float32"),
            ("float32", None, 3, ", input_precision='ieee'", "float32"), ("int8", None, 100, "", "int32"),
            ("uint8", "float8e5", 3, "", "float32")]


def memory(m, values, dtype):
    """An input of any shape, for one step only."""
    i = m.input(values.shape, dtype, values)
    m.step(i).is_private = True
    return i


class Operand:
    """A matrix of small whole numbers in memory."""

    def __init__(self, m, rows, columns, kind):
        stored, pointee, largest, _, _ = kind
        self.value = m.numpy.integers(-largest, largest + 1, (rows, columns))
        bits = self.value
        if pointee == "bfloat16":
            bits = (brain_float(self.value).view(np.uint32) >> 16).astype(np.uint16).view(np.int16)
        if pointee == "float8e5":
            bits = (self.value.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8)
        # By columns: neighbours in memory are below each other.
        self.is_turned = m.rng.random() < 0.3
        if self.is_turned:
            bits = bits.T
        self.strides = (1, rows) if self.is_turned else (columns, 1)
        self.step = memory(m, bits, stored)
        self.cast = f".to(tl.pointer_type(tl.{pointee}))" if pointee else ""

    def pointers(self, name, row, column, shape):
        return (f"{name}{self.cast} + ({row} + tl.arange(0, {shape[0]}))[:, None] * {self.strides[0]}"
                f" + ({column} + tl.arange(0, {shape[1]})) * {self.strides[1]}")


    def descriptor(self, name, depth, dim, shape):
        """One of blocks of `shape`, of a tensor that ends at `depth` along `dim`; turned as the memory is."""
        whole = list(self.value.shape)
        whole[dim] = depth
        if self.is_turned:
            whole, shape = whole[::-1], shape[::-1]
        return f"tl.make_tensor_descriptor({name}{self.cast}, {whole}, [{max(self.strides)}, 1], {list(shape)})"

    def block(self, descriptor, row, column):
        return f"{descriptor}.load([{column}, {row}]).T" if self.is_turned else f"{descriptor}.load([{row}, {column}])"


def add_sum(m, text, reads, value, dtype):
    """A step of a product's sum, of which {out} is the last line's. What is added to a float sum later becomes part of
    the product, in another order than NumPy's: integers keep it apart."""
    if dtype != "int32":
        text, dtype = text + "\n{out} = {out}.to(tl.int32)", "int32"
    m.add(text, reads, value, dtype)


def product_kind(m):
    kinds = [kind for kind in PRODUCTS if not (m.is_amd and (kind[1] == "float8e5" or "tf32" in kind[3]))]
    return m.rng.choice(kinds)


def _depths(m, kind):
    least = {"int8": 32, "uint8": 32, "float32": 8}.get(kind[0], 16)
    return [depth for depth in (8, 16, 32, 64) if depth >= least]


def product_loop(m):
    """The sum over a loop that loads ahead; in one of several shapes of program."""
    kind = product_kind(m)
    rows, columns = m.rng.choice([16, 32, 64, 128]), m.rng.choice([16, 32, 64])
    block = m.rng.choice(_depths(m, kind))
    count = m.rng.randrange(1, 5)
    depth = block * count if m.rng.random() < 0.6 else block * count - block // 2
    # The memory is of whole blocks; what the mask leaves out would be wrong.
    a, b = Operand(m, rows, block * count, kind), Operand(m, block * count, columns, kind)
    out = kind[4]
    total = a.value[:, :depth] @ b.value[:depth]
    if out == "float16" and np.abs(total).max() > 2048:
        raise NothingFits
    masked = depth < block * count or m.rng.random() < 0.3
    masks = [f", (k + tl.arange(0, {block})) < {depth}, other=0",
             f", (k + tl.arange(0, {block}))[:, None] < {depth}, other=0"] if masked else ["", ""]
    stages = m.rng.choice(["", "", ", num_stages=1", ", num_stages=2", ", num_stages=3", ", num_stages=4"])
    loads = [f"x = tl.load({a.pointers('{p0}', 0, 'k', (rows, block))}{masks[0]})",
             f"y = tl.load({b.pointers('{p1}', 'k', 0, (block, columns))}{masks[1]})"]
    before, behind = [], []
    if m.rng.random() < 0.4:
        # Pointers that move on.
        before = [f"left = {a.pointers('{p0}', 0, 0, (rows, block))}",
                  f"right = {b.pointers('{p1}', 0, 0, (block, columns))}"]
        loads = [f"x = tl.load(left{masks[0]})", f"y = tl.load(right{masks[1]})"]
        behind = [f"left += {block * a.strides[1]}", f"right += {block * b.strides[0]}"]
    use, total = _used(m, kind, out, total, a, b, depth, block)
    precision = kind[3]
    product = m.rng.choice([f"acc = tl.dot(x, y, acc{precision})", f"acc += tl.dot(x, y{precision})"])
    body = [*loads, *(use or [product]), *behind]
    lines = [*before, f"acc = tl.zeros([{rows}, {columns}], tl.{out})",
             f"for k in tl.range(0, {depth}, {block}{stages}):", *("    " + line for line in body)]
    lines.append("{out} = acc")
    add_sum(m, "\n".join(lines), [a.step, b.step], total, out)


def _used(m, kind, out, total, a, b, depth, block):
    """Another loop body with these operands, and its sum; None where it is a plain product."""
    way = m.rng.randrange(6)
    precision = kind[3]
    if way == 0 and out == "float32":
        # One operand is computed from what was loaded.
        return ["x = (x.to(tl.float32) * 2).to(x.dtype)", f"acc = tl.dot(x, y, acc{precision})"], total * 2
    if way == 1:
        # Under a condition that the loop's number decides.
        kept = sum(a.value[:, k:min(k + block, depth)] @ b.value[k:min(k + block, depth)]
                   for k in range(0, depth, 2 * block))
        return [f"if k // {block} % 2 == 0:", f"    acc = tl.dot(x, y, acc{precision})"], kept
    if way == 2 and out == "float32":
        # The sum is used inside of the loop, too.
        result = np.zeros(total.shape)
        for k in range(0, depth, block):
            part = a.value[:, k:min(k + block, depth)] @ b.value[k:min(k + block, depth)]
            result = np.minimum(result + part, 40)
        return [f"acc = clipped(tl.dot(x, y, acc{precision}), 40.0)"], result
    return None, total


def described_product(m):
    """The sum over a loop that loads blocks through descriptors, and maybe stores it through one."""
    kind = product_kind(m)
    rows, columns = m.rng.choice([32, 64, 128, 256]), m.rng.choice([16, 32, 64, 128])
    block = m.rng.choice(_depths(m, kind))
    count = m.rng.randrange(1, 5)
    # Four stages, and the sum behind them, have room in each CTA.
    room = 32768 * m.program.num_ctas
    if rows * columns * 4 > 2 * room or (rows + columns * m.program.num_ctas) * block * np.dtype(kind[0]).itemsize > room:
        raise NothingFits
    # What lies behind the tensor's end would be wrong.
    depth = block * count if m.rng.random() < 0.6 else block * count - block // 2
    a, b = Operand(m, rows, block * count, kind), Operand(m, block * count, columns, kind)
    out, precision = kind[4], kind[3]
    total = a.value[:, :depth] @ b.value[:depth]
    if out == "float16" and np.abs(total).max() > 2048:
        raise NothingFits
    stages = m.rng.choice(["", "", ", num_stages=1", ", num_stages=2", ", num_stages=4"])
    right = (f"tl.load({b.pointers('{p1}', 'k', 0, (block, columns))}, "
             f"(k + tl.arange(0, {block}))[:, None] < {depth}, other=0)")
    if m.rng.random() < 0.8:
        right = b.block("right", "k", 0)
    text = [f"left = {a.descriptor('{p0}', depth, 1, (rows, block))}",
            f"right = {b.descriptor('{p1}', depth, 0, (block, columns))}",
            f"acc = tl.zeros([{rows}, {columns}], tl.{out})",
            f"for k in tl.range(0, {depth}, {block}{stages}):",
            f"    acc = tl.dot({a.block('left', 0, 'k')}, {right}, acc{precision})"]
    reads = [a.step, b.step]
    if m.rng.random() < 0.5:
        reads.append(memory(m, np.zeros((rows, columns)), {"float16": "float16", "int32": "int32"}.get(out, "float32")))
        text += [f"target = tl.make_tensor_descriptor({{p2}}, [{rows}, {columns}], [{columns}, 1], [{rows}, {columns}])",
                 "target.store([0, 0], acc)", "acc = target.load([0, 0])"]
    text.append("{out} = acc")
    add_sum(m, "\n".join(text), reads, total, out)


def turned_operands(m):
    """Blocks that a loop multiplies as they are loaded, transposed, computed on, or all of that."""
    kind = m.rng.choice([PRODUCTS[0], PRODUCTS[3], PRODUCTS[5] if m.is_amd else PRODUCTS[4]])
    rows, block, count = m.rng.choice([16, 32, 64, 128]), m.rng.choice([16, 32, 64]), m.rng.randrange(1, 4)
    a = Operand(m, rows, block * count, kind)
    weights = m.numpy.integers(0, 3, (rows,))
    i = memory(m, weights, "float32")
    load = f"x = tl.load({a.pointers('{p0}', 0, 'k', (rows, block))})"
    weigh = f"y = (x * tl.load({{p1}} + tl.arange(0, {rows}))[:, None]).to(x.dtype)"
    weighed, precision = a.value * weights[:, None], kind[3]
    shape = [rows, rows]
    way = m.rng.randrange(5)
    if way == 0:
        body, value = [load, f"acc = tl.dot(x, x.T, acc{precision})"], a.value @ a.value.T
    elif way == 1:
        body, value = [load, weigh, f"acc = tl.dot(y, x.T, acc{precision})"], weighed @ a.value.T
    elif way == 2:
        body, value = [load, weigh, f"acc = tl.dot(x, y.T, acc{precision})"], a.value @ weighed.T
    elif way == 3:
        b = m.rng.choice([16, 32, 64])
        other = Operand(m, b, block * count, kind)
        text = [f"acc = tl.zeros([{rows}, {b}], tl.float32)", f"for k in range(0, {block * count}, {block}):",
                "    " + load, f"    y = tl.load({other.pointers('{p1}', 0, 'k', (b, block))})",
                f"    acc = tl.dot(x, y.T, acc{precision})", "{out} = acc"]
        add_sum(m, "\n".join(text), [a.step, other.step], a.value @ other.value.T, "float32")
        return
    else:
        # What one product gives is the other's operand, and its block too, transposed.
        shape = [block, rows]
        body = [load, f"z = tl.dot(x, x.T{precision})", f"acc += tl.dot(x.T, tl.minimum(z, 3).to(x.dtype){precision})"]
        blocks = [a.value[:, k:k + block] for k in range(0, block * count, block)]
        value = sum(part.T @ np.minimum(part @ part.T, 3) for part in blocks)
    text = [f"acc = tl.zeros({shape}, tl.float32)", f"for k in range(0, {block * count}, {block}):",
            *("    " + line for line in body), "{out} = acc"]
    add_sum(m, "\n".join(text), [a.step, i], value, "float32")


def fixed_operand(m):
    """One operand stays the same for all products of a loop, as an attention's queries do; or both do."""
    kind = m.rng.choice([PRODUCTS[0], PRODUCTS[5] if m.is_amd else PRODUCTS[4], PRODUCTS[5]])
    rows, columns, depth = m.rng.choice([16, 32, 64, 128]), m.rng.choice([16, 32, 64, 128]), m.rng.choice([16, 32, 64])
    count = m.rng.randrange(0, 4)
    a, b = Operand(m, rows, depth, kind), Operand(m, depth, columns * max(count, 1), kind)
    precision = kind[3]
    parts = [b.value[:, k * columns:(k + 1) * columns] for k in range(count)]
    fixed = m.rng.random() < 0.3
    if fixed:
        parts = [b.value[:, :columns]] * count
    load = f"y = tl.load({b.pointers('{p1}', 0, '0' if fixed else f'k * {columns}', (depth, columns))})"
    ways = [(f"acc += tl.dot(x, y{precision}) * k", sum((a.value @ part * k for k, part in enumerate(parts)),
                                                        np.zeros((rows, columns)))),
            (f"acc = tl.dot(x, y, acc{precision})", sum((a.value @ part for part in parts), np.zeros((rows, columns))))]
    line, value = m.rng.choice(ways)
    text = [f"x = tl.load({a.pointers('{p0}', 0, 0, (rows, depth))})", *([load] if fixed else []),
            f"acc = tl.zeros([{rows}, {columns}], tl.float32)", f"for k in range({count}):",
            *([] if fixed else ["    " + load]), "    " + line, "{out} = acc"]
    add_sum(m, "\n".join(text), [a.step, b.step], value, "float32")


def chained(m):
    """A product of a product, or with something transposed."""
    kind = m.rng.choice([PRODUCTS[0], PRODUCTS[5] if m.is_amd else PRODUCTS[4]])
    rows, inner, columns, last = (m.rng.choice([16, 32, 64]) for _ in range(4))
    small = (kind[0], kind[1], 1, kind[3], kind[4])
    a, b, c = Operand(m, rows, inner, small), Operand(m, inner, columns, small), Operand(m, columns, last, small)
    first = a.value @ b.value
    text = [f"x = tl.load({a.pointers('{p0}', 0, 0, (rows, inner))})",
            f"y = tl.load({b.pointers('{p1}', 0, 0, (inner, columns))})",
            f"z = tl.dot(x, y{kind[3]})"]
    way = m.rng.randrange(3)
    if way == 0:
        text += [f"right = tl.load({c.pointers('{p2}', 0, 0, (columns, last))})",
                 f"{{out}} = tl.dot(z.to(right.dtype), right{kind[3]})"]
        add_sum(m, "\n".join(text), [a.step, b.step, c.step], first @ c.value, "float32")
    elif way == 1:
        text.append(f"{{out}} = tl.dot(z.to(x.dtype).T, x{kind[3]})")
        add_sum(m, "\n".join(text), [a.step, b.step], first.T @ a.value, "float32")
    else:
        text += ["acc = z - tl.max(z, 1)[:, None]", "{out} = acc + tl.sum(z, 1)[:, None]"]
        m.add("\n".join(text), [a.step, b.step], first - first.max(1)[:, None] + first.sum(1)[:, None], "float32")


def batched(m):
    count, rows, inner, columns = 2, *(m.rng.choice([16, 32]) for _ in range(3))
    dtype = m.rng.choice(["float16", "float32"])
    i, j = (m.input(shape, dtype, m.numpy.integers(-3, 4, shape))
            for shape in ((count, rows, inner), (count, inner, columns)))
    precision = ", input_precision='ieee'" if dtype == "float32" else ""
    add_sum(m, f"{{out}} = tl.dot({{a0}}, {{a1}}{precision})", [i, j],
            m.step(i).value.astype(np.float64) @ m.step(j).value.astype(np.float64), "float32")


def product_of_steps(m):
    """Of tiles that other steps computed."""
    def fits(step):
        return len(step.shape) == 2 and min(step.shape) >= 16 and max(step.shape) <= 64 and step.dtype in ("int32", "int64")
    i, j = m.pick(fits), m.pick(fits)
    if m.step(i).shape[1] != m.step(j).shape[0]:
        j = i
    turned = m.step(i).shape[1] != m.step(j).shape[0]
    a, b = m.step(i).value & 3, m.step(j).value & 3
    # tl.dot wants 32 of int8.
    to = m.rng.choice(["float16", "bfloat16"] + ["int8"] * (a.shape[1] >= 32))
    text = f"tl.dot(({{a0}} & 3).to(tl.{to}), ({{a1}} & 3).to(tl.{to}){'.T' if turned else ''})"
    value = a.astype(np.int64) @ (b.T if turned else b).astype(np.int64)
    if m.rng.random() < 0.4:
        # A sum that the product takes in.
        text, value = m.rng.choice([(text + " + 3", value + 3), (f"tl.arange(0, {value.shape[1]}) + {text}",
                                                                np.arange(value.shape[1]) + value)])
    add_sum(m, "{out} = " + text, [i, j], value, "int32" if to == "int8" else "float32")


def nested_products(m):
    """Tiles in a loop around that of the product; one loop of both where `flatten` says so."""
    rows, columns, block, count, tiles = 32, m.rng.choice([16, 32]), 16, m.rng.randrange(0, 4), m.rng.randrange(1, 4)
    kind = PRODUCTS[0]
    a, b = Operand(m, rows * tiles, block * max(count, 1), kind), Operand(m, block * max(count, 1), columns, kind)
    total = np.zeros((rows, columns))
    for t in range(tiles):
        part = a.value[t * rows:(t + 1) * rows, :block * count] @ b.value[:block * count]
        total = total * 3 + part + t
    text = [f"acc = tl.zeros([{rows}, {columns}], tl.float32)",
            f"for x in tl.range(0, {tiles}, flatten={m.rng.random() < 0.7}):",
            f"    y = tl.zeros([{rows}, {columns}], tl.float32)",
            f"    for k in tl.range(0, {block * count}, {block}):",
            f"        left = tl.load({a.pointers('{p0}', f'x * {rows}', 'k', (rows, block))})",
            f"        right = tl.load({b.pointers('{p1}', 'k', 0, (block, columns))})",
            "        y = tl.dot(left, right, y)", "    acc = acc * 3 + y + x", "{out} = acc"]
    add_sum(m, "\n".join(text), [a.step, b.step], total, "float32")


def flat_scalars(m):
    """Two nested loops over scalars, with a store behind the inner one."""
    i = m.pick(lambda step: step.dtype in ("int32", "int64"))
    step = m.step(i)
    outer, inner = m.program.scalars
    j = m.input((16,), step.dtype)
    m.step(j).is_private = True
    x = step.value
    memory = m.step(j).value.copy()
    for k in range(outer):
        count = 0
        for z in range(0, inner):
            x = x * 3 + z
            count += z + k
        memory[k] = count
    text = ["x = {a0}", f"for k in tl.range(0, n0, flatten={m.rng.random() < 0.7}):", "    count = 0",
            "    for z in range(n1):", "        x = x * 3 + z", "        count += z + k",
            "    tl.store({p1} + k, count)", m.barrier(),
            f"{{out}} = x + tl.sum(tl.load({{p1}} + tl.arange(0, 16)))"]
    m.add("\n".join(text), [i, j], x + memory.sum(dtype=memory.dtype), step.dtype)


def running(m):
    """Blocks of memory, loaded ahead, meet in what a loop carries."""
    shape = m.rng.choice([(32,), (128,), (256,), (16, 16), (8, 32), (64, 4)])
    count = m.rng.choice([1, 2, 4, 8])
    dtype = m.rng.choice(["int32", "int64", "int8", "float16", "float32"])
    size = int(np.prod(shape))
    values = m.numpy.integers(-9, 10, (count * size,))
    i = memory(m, values, dtype)
    blocks = values.reshape(count, *shape)
    stages = m.rng.choice(["", ", num_stages=2", ", num_stages=3", ", num_stages=4", ", flatten=True",
                           ", loop_unroll_factor=2", ", disable_licm=True"])
    limit = m.rng.choice([None, size // 2, size - 3])
    inside = np.ones(shape, bool) if limit is None else np.arange(size).reshape(shape) < limit
    mask = "" if limit is None else f", at < {limit}" + m.rng.choice(["", ", other=0"])
    head = [f"at = {offsets(shape, m.rng.randrange(3))}"]
    load = f"x = tl.load({{p0}} + k * {size} + at{mask}).to(tl.int32)"
    loop = f"for k in tl.range({count}{stages}):"
    blocks = np.where(inside, blocks, 0)
    axis = m.rng.randrange(len(shape))
    way = m.rng.randrange(5)
    if way == 0:
        text, value = [f"acc = tl.zeros({list(shape)}, tl.int32)", loop, load, "acc = acc * 2 + x"], np.zeros(shape, int)
        for block in blocks:
            value = value * 2 + block
    elif way == 1 and len(shape) > 1:
        rest = [*shape[:axis], *shape[axis + 1:]]
        text = [f"acc = tl.zeros({rest}, tl.int32)", loop, load, f"acc += tl.sum(x, {axis})"]
        value = blocks.sum((0, axis + 1))
    elif way == 2 and len(shape) > 1:
        # The running maximum of rows, as of a softmax.
        rest = [*shape[:axis], *shape[axis + 1:]]
        pick = along(1 - axis, 2) if len(shape) == 2 else ""
        text = [f"acc, y = tl.full({rest}, -100, tl.int32), tl.zeros({list(shape)}, tl.int32)", loop, load,
                f"z = tl.maximum(acc, tl.max(x, {axis}))", f"y = y * 2 + x - z{pick}", "acc = z"]
        best, value = np.full(rest, -100), np.zeros(shape, int)
        for block in blocks:
            best = np.maximum(best, block.max(axis))
            value = value * 2 + block - np.expand_dims(best, axis)
        m.add("\n".join(_indented(head + text, 2) + [f"{{out}} = y + acc{pick}"]), [i],
              value + np.expand_dims(best, axis), "int32")
        return
    elif way == 3:
        text = ["count = 0", loop, load, "count = count * 3 + tl.sum(x)"] if len(shape) == 1 else \
               ["count = 0", loop, load, "count = count * 3 + tl.sum(tl.sum(x, 1), 0)"]
        value = 0
        for block in blocks:
            value = value * 3 + int(block.sum())
        m.add("\n".join(_indented(head + text, 2) + ["{out} = at + count"]), [i],
              np.arange(size).reshape(shape) + value, "int32")
        return
    else:
        # What a while loop finds until it has enough.
        text = [f"acc, k, count = tl.zeros({list(shape)}, tl.int32), 0, 0",
                f"while (k < {count}) & (count < 40):", load, "acc += x",
                "count += tl.max(x)" if len(shape) == 1 else "count += tl.max(tl.max(x, 0), 0)", "k += 1"]
        value, got = np.zeros(shape, int), 0
        for block in blocks:
            if got >= 40:
                break
            value, got = value + block, got + int(block.max())
    m.add("\n".join(_indented(head + text, 2) + ["{out} = acc"]), [i], value, "int32")


def _indented(lines, head):
    """The lines of a loop that begins at line `head`."""
    return lines[:head + 1] + ["    " + line for line in lines[head + 1:]]


def turned_in_loop(m):
    """A square that is transposed, reduced and spread again in every iteration."""
    i = m.pick(lambda step: step.dtype in ("int32", "int64") and len(step.shape) == 2 and step.shape[0] == step.shape[1])
    step = m.step(i)
    way = m.rng.randrange(3)
    text, function = [("x = x.T + k", lambda x, k: x.T + k),
                      ("x = x * 3 + tl.sum(x, 1)[:, None]", lambda x, k: x * 3 + x.sum(1, dtype=x.dtype)[:, None]),
                      ("x = x ^ tl.max(x, 0) + k", lambda x, k: x ^ (x.max(0) + k))][way]
    x = step.value
    for k in range(m.program.scalars[0]):
        x = function(x, k)
    m.add(f"x = {{a0}}\nfor k in range(n0):\n    {text}\n{{out}} = x", [i], x, step.dtype)


def branches_with_work(m):
    """Different work in the arms of a branch: loads, sums, a product."""
    i = m.pick(lambda step: step.dtype == "int32" and len(step.shape) == 2)
    step = m.step(i)
    j = m.input(step.shape, "int32")
    limit = m.rng.randrange(5)
    taken = m.program.scalars[0] > limit
    ways = [("x = {a0} + tl.sum({a0}, 0)", step.value + step.value.sum(0, dtype=np.int32)),
            (f"x = tl.load({{p1}} + {offsets(step.shape, m.rng.randrange(3))}) * 2", m.step(j).value * 2),
            ("x = tl.cumsum({a0}, 1)", np.cumsum(step.value, 1, dtype=np.int32)),
            ("x = tl.where({a0} > n1, {a0}, n1)", np.maximum(step.value, m.program.scalars[1]))]
    one, other = m.rng.sample(ways, 2)
    if m.rng.random() < 0.3:
        other = ("pass", step.value)
    m.add(f"x = {{a0}}\nif n0 > {limit}:\n    {one[0]}\nelse:\n    {other[0]}\n{{out}} = x", [i, j],
          (one if taken else other)[1], "int32")


def called(m):
    """Functions of the program's own: one that loads, one that a constant changes."""
    i = m.pick(lambda step: step.dtype in ("int32", "int64"))
    j = partner(m, i)
    a, b = m.step(i), m.step(j)
    early = m.rng.random() < 0.5
    functions = ("@triton.jit\ndef {fn}_mix(a, b, n, EARLY: tl.constexpr):\n"
                 "    if EARLY:\n        if n > 1:\n            return a - b, b\n"
                 "    return clipped(a, 100), b + n\n\n\n")
    n = m.program.scalars[0]
    which = m.rng.randrange(2)
    results = (a.value - b.value, b.value) if early and n > 1 else (np.minimum(a.value, 100), b.value + n)
    m.add(f"{{out}} = {{fn}}_mix({{a0}}, {{a1}}, n0, {early})[{which}]", [i, j], results[which], a.dtype,
          functions=functions)


KINDS = [product_loop, product_loop, product_loop, described_product, described_product, turned_operands, turned_operands, fixed_operand,
         chained, batched, product_of_steps, nested_products,
         nested_products, flat_scalars, running, running, running, turned_in_loop, branches_with_work, called]
