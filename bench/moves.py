"""Which layout conversions of an IR move elements between threads, and how many bytes."""

import math
import re

ELEMENT = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8,
           "f8E5M2": 1, "f8E4M3FN": 1}
ANYTHING = 1 << 30


def ints(text, name):
    found = re.search(rf"\b{name} = \[([^\]]*)\]", text)
    return [int(word) for word in found[1].split(",") if word.strip()] if found else []


def number(text, name):
    found = re.search(rf"\b{name} = (\d+)", text)
    return int(found[1]) if found else 0


def inside(text):
    """What is between the outermost <{ }>, with its nested ones."""
    return text[text.index("<{") + 2:text.rindex("}>")]


def spread(counts, starts, order, shape):
    """Basis vectors of bits that go along the dimensions in turn."""
    bases = []
    for d in order:
        for k in range(counts[d].bit_length() - 1):
            basis = [0] * len(shape)
            size = starts[d] << k
            basis[d] = size if size < shape[d] else 0
            bases.append(tuple(basis))
    return bases


def unit(shape, d, size):
    return tuple(size if e == d and size < shape[d] else 0 for e in range(len(shape)))


def threads_of(layout, shape, names):
    """(bases of lanes, bases of warps) of a layout's text; None for those that are not known here."""
    layout = names.get(layout, layout)
    kind = re.match(r"#ttg\.(\w+)", layout)
    kind = kind and kind[1]
    if kind == "blocked":
        size, lanes, warps, order = (ints(layout, name) for name in
                                     ("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order"))
        return (spread(lanes, size, order, shape),
                spread(warps, [s * n for s, n in zip(size, lanes)], order, shape))
    if kind == "slice":
        dim = number(layout, "dim")
        parent = re.search(r"parent = (.*)", inside(layout))[1]
        found = threads_of(parent, [*shape[:dim], ANYTHING, *shape[dim:]], names)
        return found and tuple([b[:dim] + b[dim + 1:] for b in part] for part in found)
    if kind in ("nvidia_mma", "dot_op"):
        parent = layout if kind == "nvidia_mma" else names.get(*2 * (re.search(r"parent = ([^,}]*)", layout)[1],))
        version, warps, instruction = number(parent, "versionMajor"), ints(parent, "warpsPerCTA"), ints(parent, "instrShape")
        if len(shape) != 2 or version not in (2, 3):
            return None
        order = [1, 0] if version == 2 else [0, 1]
        of_warps = spread(warps, instruction[:2], order, shape)
        if kind == "nvidia_mma":
            return [unit(shape, 1, 2), unit(shape, 1, 4), *(unit(shape, 0, 1 << k) for k in range(3))], of_warps
        index, width = number(layout, "opIdx"), number(layout, "kWidth")
        depth, other = (1, 0) if index == 0 else (0, 1)
        lanes = [unit(shape, depth, width), unit(shape, depth, 2 * width), *(unit(shape, other, 1 << k) for k in range(3))]
        return lanes, [b if b[other] else (0, 0) for b in of_warps]
    if kind == "linear":
        read = lambda name: [tuple(int(n) for n in words.split(",")) for words in  # noqa: E731
                             re.findall(r"\[([\d, ]+)\]", re.search(rf"{name} = \[(.*?)\](?:, \w+ = |$)", inside(layout))[1])]
        return read("lane"), read("warp")
    return None


def moves(shape, source, target, names):
    """Whether an element goes to another thread; yes where that is not known."""
    before, after = threads_of(source, shape, names), threads_of(target, shape, names)
    if not before or not after:
        return True
    return any(a != b and any(a) for part in zip(before, after) for a, b in zip(*part)) or \
        any(b != a and not any(a) and any(b) and b in sum(before, []) for part in zip(before, after) for a, b in zip(*part))


def tensor(text):
    """(shape, bytes of an element, layout) of a tensor's type."""
    body, _, layout = text.removeprefix("tensor<").removesuffix(">").partition(", ")
    extents = re.match(r"(?:\d+x)+", body)[0]
    shape = [int(n) for n in extents.split("x")[:-1]]
    return shape, ELEMENT.get(body[len(extents):], 8), layout


def conversions(ir):
    """{conversions, moving, bytes}: how many there are, and of those that move elements how many and
    how many bytes. What is stored into a new buffer moves."""
    names = dict(re.findall(r"^(#\w+) = (.*)$", ir, re.M))
    result = {"conversions": 0, "moving": 0, "bytes": 0}
    for line in ir.splitlines():
        converted = re.search(r"ttg\.convert_layout .*? : (tensor<.*>) -> (tensor<.*?>)(?: loc\(.*)?$", line)
        stored = re.search(r"ttg\.local_alloc %.*? : \((tensor<.*>)\) ->", line)
        if not converted and not stored:
            continue
        shape, width, layout = tensor((converted or stored)[1])
        does_move = stored or moves(shape, layout, tensor(converted[2])[2], names)
        result["conversions"] += 1
        result["moving"] += bool(does_move)
        result["bytes"] += math.prod(shape) * width * bool(does_move)
    return result
